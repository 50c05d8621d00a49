func.func @main() {
  %x = stablehlo.constant dense<[-2.0, 0.001953125, 0.5, 9.0]> : tensor<4xf32>
  %0 = chlo.erfc %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[1.99532227, 0.997796137, 0.479500122, 4.13703175e-37]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// error: erfc (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.erfc %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
