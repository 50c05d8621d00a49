func.func @main() {
  %x = stablehlo.constant dense<[-1.5, 0.25, 3.0, 100.0]> : tensor<4xf32>
  %0 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[0.860047015, 1.28802252, 0.693147181, 359.134205]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  // Infinite at the poles.
  %x = stablehlo.constant dense<[0.0, -1.0, 0xFF800000]> : tensor<3xf32>
  %0 = chlo.lgamma %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// error: lgamma (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.lgamma %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
