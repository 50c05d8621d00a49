func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  %0 = stablehlo.log_plus_one %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 0.693147181, 0xFF800000]> : tensor<3xf32>
  return
}
