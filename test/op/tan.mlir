func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -2.0]> : tensor<3xf32>
  %0 = stablehlo.tan %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 1.557407725, 2.185039863]> : tensor<3xf32>
  return
}
