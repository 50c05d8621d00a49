func.func @main() {
  %x = stablehlo.constant dense<[-1.5, 0.25, 1.0, 10.0]> : tensor<4xf32>
  %0 = chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[0.703156641, -4.22745353, -0.577215665, 2.25175259]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  // None at the poles.
  %x = stablehlo.constant dense<[0.0, -2.0, 0x7F800000]> : tensor<3xf32>
  %0 = chlo.digamma %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 0x7F800000]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// error: digamma (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.digamma %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
