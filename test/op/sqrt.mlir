func.func @main() {
  %x = stablehlo.constant dense<[4.0, 2.0, 0.0]> : tensor<3xf32>
  %0 = stablehlo.sqrt %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[2.0, 1.414213562, 0.0]> : tensor<3xf32>
  return
}
