func.func @main() {
  // Features in columns: means 2 and 3, variances 1 and 1.
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %scale = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %0#0, dense<[[0.0, -2.0], [2.0, 2.0]]> : tensor<2x2xf32>
  check.expect_almost_eq_const %0#1, dense<[2.0, 3.0]> : tensor<2xf32>
  check.expect_almost_eq_const %0#2, dense<[1.0, 1.0]> : tensor<2xf32>
  return
}

// -----

// error: batch_norm_training (C1)
func.func @main(%x: tensor<2x2xf32>, %s: tensor<2xf32>) -> tensor<2x2xf32> {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2x2xf32>
}
