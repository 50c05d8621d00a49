func.func @main() {
  %a = stablehlo.constant dense<[0.0, 1.0, -1.0, 0.0]> : tensor<4xf32>
  %b = stablehlo.constant dense<[1.0, 0.0, -1.0, -1.0]> : tensor<4xf32>
  %0 = stablehlo.atan2 %a, %b : tensor<4xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 1.570796327, -2.35619449, 3.14159265]> : tensor<4xf32>
  return
}
