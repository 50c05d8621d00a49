func.func @main() {
  %min = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.constant dense<[-1.0, 0.5, 2.0]> : tensor<3xf32>
  %max = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.clamp %min, %x, %max : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[0.0, 0.5, 1.0]> : tensor<3xf32>
  return
}

// -----

// error: clamp (C1)
func.func @main(%min: tensor<2xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.clamp"(%min, %x, %x) : (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
