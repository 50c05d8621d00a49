func.func @main() {
  %x = stablehlo.constant dense<[1.0, 1.5, 10.0]> : tensor<3xf32>
  %0 = chlo.acosh %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0.0, 0.96242365, 2.99322285]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @main() {
  // Below 1 there is none.
  %x = stablehlo.constant dense<[0.5, 0x7F800000]> : tensor<2xf32>
  %0 = chlo.acosh %x : tensor<2xf32> -> tensor<2xf32>
  %1 = stablehlo.constant dense<[0x7FC00000, 0x7F800000]> : tensor<2xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 1.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.acosh %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(0.926133031, 1.22135726), (1.32876337, -2.99872047)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: acosh (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.acosh %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
