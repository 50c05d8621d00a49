func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -2.0]> : tensor<3xf32>
  %0 = stablehlo.cosine %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[1.0, 0.540302306, -0.416146837]> : tensor<3xf32>
  return
}
