// Scores of four rows: swish(x * w), summed along each row.
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %weights = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %scaled = stablehlo.multiply %x, %weights : tensor<4x8xf32>
  %active = stablehlo.custom_call @swish(%scaled) {api_version = 4 : i32,
      backend_config = {beta = 2.0 : f32}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = stablehlo.reduce(%active init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
