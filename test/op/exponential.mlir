func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0, 0xFF800000]> : tensor<4xf32>
  %0 = stablehlo.exponential %x : tensor<4xf32>
  check.expect_almost_eq_const %0, dense<[1.0, 2.718281828, 0.367879441, 0.0]> : tensor<4xf32>
  return
}
