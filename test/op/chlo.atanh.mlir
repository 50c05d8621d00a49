func.func @main() {
  %x = stablehlo.constant dense<[-0.5, 0.001953125, 0.75]> : tensor<3xf32>
  %0 = chlo.atanh %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[-0.549306144, 0.00195312748, 0.972955075]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @main() {
  // Infinite at the ends.
  %x = stablehlo.constant dense<[1.0, -1.0, 2.0]> : tensor<3xf32>
  %0 = chlo.atanh %x : tensor<3xf32> -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(0.5, 1.0), (-2.0, -0.25)]> : tensor<2xcomplex<f32>>
  %0 = chlo.atanh %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[(0.238877861, 0.847575661), (-0.5358801, -1.48987761)]> : tensor<2xcomplex<f32>>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}

// -----

// error: atanh (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.atanh %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
