func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, 0xFF800000]> : tensor<3xf32>
  %0 = stablehlo.tanh %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 0.761594156, -1.0]> : tensor<3xf32>
  return
}
