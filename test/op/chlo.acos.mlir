func.func @main() {
  %x = stablehlo.constant dense<[-1.0, -0.5, 0.25, 1.0]> : tensor<4xf32>
  %0 = chlo.acos %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[3.14159265, 2.0943951, 1.31811607, 0.0]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  // Nothing beyond 1.
  %x = stablehlo.constant dense<[2.0]> : tensor<1xf32>
  %0 = chlo.acos %x : tensor<1xf32> -> tensor<1xf32>
  %1 = stablehlo.constant dense<[0x7FC00000]> : tensor<1xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<1xf32>, tensor<1xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 1.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.acos %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(1.22135726, -0.926133031), (2.99872047, 1.32876337)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: acos (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.acos %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
