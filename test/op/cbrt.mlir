func.func @main() {
  %x = stablehlo.constant dense<[8.0, -27.0, 0.0, 0x7F800000]> : tensor<4xf32>
  %0 = stablehlo.cbrt %x : tensor<4xf32>
  check.expect_almost_eq_const %0, dense<[2.0, -3.0, 0.0, 0x7F800000]> : tensor<4xf32>
  return
}
