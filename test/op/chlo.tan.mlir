func.func @main() {
  %x = stablehlo.constant dense<[0.5, 1.0, -2.0]> : tensor<3xf32>
  %0 = chlo.tan %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0.54630249, 1.55740772, 2.18503986]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 1.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.tan %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(0.19557731, 0.842966205), (1.59668921, -1.09939814)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: tan (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.tan %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
