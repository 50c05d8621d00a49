func.func @main() {
  // One feature, four times; normalised they are -1, -1, 1, 1 =: y. The gradient g has the sum 1, g * y the sum -1; then
  // that of x is scale / 4 * (4 g - 1 - y * -1).
  %x = stablehlo.constant dense<[[0.0], [0.0], [2.0], [2.0]]> : tensor<4x1xf32>
  %scale = stablehlo.constant dense<2.0> : tensor<1xf32>
  %mean = stablehlo.constant dense<1.0> : tensor<1xf32>
  %variance = stablehlo.constant dense<1.0> : tensor<1xf32>
  %g = stablehlo.constant dense<[[1.0], [0.0], [0.0], [0.0]]> : tensor<4x1xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %g) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
  check.expect_almost_eq_const %0#0, dense<[[1.0], [-1.0], [0.0], [0.0]]> : tensor<4x1xf32>
  check.expect_almost_eq_const %0#1, dense<-1.0> : tensor<1xf32>
  check.expect_almost_eq_const %0#2, dense<1.0> : tensor<1xf32>
  return
}

// -----

// error: batch_norm_grad (C1)
func.func @main(%x: tensor<2x2xf32>, %s: tensor<2xf32>) -> tensor<2x2xf32> {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %x) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2x2xf32>
}
