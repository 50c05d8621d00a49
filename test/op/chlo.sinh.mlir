func.func @main() {
  %x = stablehlo.constant dense<[-2.0, 0.001953125, 1.0, 10.0]> : tensor<4xf32>
  %0 = chlo.sinh %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[-3.62686041, 0.00195312624, 1.17520119, 11013.2329]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 1.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.sinh %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(0.281548995, 0.948864531), (-3.5141101, -0.930782109)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: sinh (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.sinh %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
