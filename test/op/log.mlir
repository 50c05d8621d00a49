func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 0.0, 0x7F800000]> : tensor<4xf32>
  %0 = stablehlo.log %x : tensor<4xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 0.693147181, 0xFF800000, 0x7F800000]> : tensor<4xf32>
  return
}
