func.func @main() {
  %a = stablehlo.constant dense<[1.0, -0.0, -2.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[2.0, 0.0, -3.0]> : tensor<3xf32>
  %0 = stablehlo.minimum %a, %b : tensor<3xf32>
  check.expect_eq_const %0, dense<[1.0, -0.0, -3.0]> : tensor<3xf32>
  return
}
