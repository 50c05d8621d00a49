// Beside the operations that say the same, of an array and of its transpose.
func.func @main() {
  %x = stablehlo.iota dim = 1 : tensor<3x700xf32>
  %y = stablehlo.custom_call @rms_norm(%x) {api_version = 4 : i32, backend_config = {eps = 0.0 : f32}}
      : (tensor<3x700xf32>) -> tensor<3x700xf32>

  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %square = stablehlo.multiply %x, %x : tensor<3x700xf32>
  %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<3x700xf32>, tensor<f32>) -> tensor<3xf32>
  %columns = stablehlo.constant dense<700.0> : tensor<3xf32>
  %mean = stablehlo.divide %sum, %columns : tensor<3xf32>
  %scale = stablehlo.rsqrt %mean : tensor<3xf32>
  %scales = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<3xf32>) -> tensor<3x700xf32>
  %expected = stablehlo.multiply %x, %scales : tensor<3x700xf32>
  stablehlo.custom_call @check.expect_almost_eq(%y, %expected) {has_side_effect = true}
      : (tensor<3x700xf32>, tensor<3x700xf32>) -> ()

  // The rows of the transpose hold the numbers 0, 0, 0 to 699, 699, 699: all become 1.
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x700xf32>) -> tensor<700x3xf32>
  %ones = stablehlo.custom_call @rms_norm(%t) {api_version = 4 : i32, backend_config = {eps = 1.0e-20 : f32}}
      : (tensor<700x3xf32>) -> tensor<700x3xf32>
  %from_one = stablehlo.slice %ones [1:700, 0:3] : (tensor<700x3xf32>) -> tensor<699x3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<699x3xf32>
  stablehlo.custom_call @check.expect_almost_eq(%from_one, %one) {has_side_effect = true}
      : (tensor<699x3xf32>, tensor<699x3xf32>) -> ()
  return
}
