func.func @main() {
  %x = stablehlo.constant dense<[4.0, 1.0, 0.0]> : tensor<3xf32>
  %0 = stablehlo.rsqrt %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[0.5, 1.0, 0x7F800000]> : tensor<3xf32>
  return
}
