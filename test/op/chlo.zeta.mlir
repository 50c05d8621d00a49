func.func @main() {
  %a = stablehlo.constant dense<[2.0, 1.5, 4.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[1.0, 0.25, 10.0]> : tensor<3xf32>
  %0 = chlo.zeta %a, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[1.64493407, 10.2130554, 0.000386650217]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @main() {
  // Infinite at s = 1 and at poles; none below s = 1.
  %a = stablehlo.constant dense<[1.0, 2.0, 0.5]> : tensor<3xf32>
  %b = stablehlo.constant dense<[3.0, -1.0, 3.0]> : tensor<3xf32>
  %0 = chlo.zeta %a, %b : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// error: zeta (I1): lhs has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.zeta %x, %x : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
