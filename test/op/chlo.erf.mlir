func.func @main() {
  %x = stablehlo.constant dense<[-2.0, 0.001953125, 0.5, 4.0]> : tensor<4xf32>
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[-0.995322265, 0.00220386276, 0.520499878, 0.999999985]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// error: erf (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.erf %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
