func.func @main() {
  %x = stablehlo.constant dense<[-3.0, -0.001953125, 0.5, 1000.0]> : tensor<4xf32>
  %0 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[-1.24904577, -0.00195312252, 0.463647609, 1.56979633]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 1.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.atan %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(0.907887495, 0.708303336), (-1.11211133, -0.0495442321)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: atan (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.atan %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
