func.func @main() {
  %x = stablehlo.constant dense<[-2.0, 0.001953125, 1.0, 10.0]> : tensor<4xf32>
  %0 = chlo.cosh %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[3.76219569, 1.00000191, 1.54308063, 11013.2329]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 1.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.cosh %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(0.609258909, 0.43848658), (3.64523814, 0.897299625)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: cosh (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.cosh %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
