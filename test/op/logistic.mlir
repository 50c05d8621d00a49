func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -2.0]> : tensor<3xf32>
  %0 = stablehlo.logistic %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[0.5, 0.731058579, 0.119202922]> : tensor<3xf32>
  return
}
