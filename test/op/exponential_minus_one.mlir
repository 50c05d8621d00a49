func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0e-6, 1.0]> : tensor<3xf32>
  %0 = stablehlo.exponential_minus_one %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 1.0000005e-06, 1.718281828]> : tensor<3xf32>
  return
}
