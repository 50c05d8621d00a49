func.func @main() {
  %a = stablehlo.constant dense<[0.0, 1.0, 2.0, 5.0]> : tensor<4xf32>
  %b = stablehlo.constant dense<[2.5, 0.5, 10.0, 0.75]> : tensor<4xf32>
  %0 = chlo.polygamma %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[0.703156641, 4.9348022, -0.011049835, 678.753343]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  // The order is a natural number.
  %a = stablehlo.constant dense<[1.5, -1.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[2.0, 2.0]> : tensor<2xf32>
  %0 = chlo.polygamma %a, %b : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = stablehlo.constant dense<0x7FC00000> : tensor<2xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// error: polygamma (I1): lhs has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.polygamma %x, %x : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
