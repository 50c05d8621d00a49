func.func @main() {
  %x = stablehlo.constant dense<[-3.0, 0.5]> : tensor<2xf32>
  %0 = chlo.square %x : tensor<2xf32> -> tensor<2xf32>
  %1 = stablehlo.constant dense<[9.0, 0.25]> : tensor<2xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.square %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(-3.0, 4.0), (3.9375, 1.0)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: square (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.square %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
