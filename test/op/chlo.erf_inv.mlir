func.func @main() {
  %x = stablehlo.constant dense<[-0.75, 0.001953125, 0.5, 0.999023438]> : tensor<4xf32>
  %0 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[-0.813419848, 0.00173091369, 0.476936276, 2.33146777]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  // Infinite at the ends, nothing beyond.
  %x = stablehlo.constant dense<[1.0, -1.0, 2.0]> : tensor<3xf32>
  %0 = chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// error: erf_inv (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.erf_inv %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
