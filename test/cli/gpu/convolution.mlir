// Strides, padding, dilations, reversal, groups of features and of batches, in several orders of dimensions.
// inputs: random:1 random:2 random:3 random:4
// outputs: 3
// kernels: gpu.convolution gpu.convolution gpu.convolution
func.func @main(%x: tensor<2x13x14x6xf32>, %w: tensor<3x4x3x8xf32>, %t: tensor<8x3x4x3xf32>, %v: tensor<3x3x6x4xf32>) -> (tensor<2x7x6x8xf32>, tensor<2x8x23x28xf32>, tensor<1x11x12x4xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x13x14x6xf32>, tensor<3x4x3x8xf32>) -> tensor<2x7x6x8xf32>
  %y = stablehlo.transpose %t, dims = [1, 2, 3, 0] : (tensor<8x3x4x3xf32>) -> tensor<3x4x3x8xf32>
  %1 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1], window = {pad = [[1, 1], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x13x14x6xf32>, tensor<3x4x3x8xf32>) -> tensor<2x8x23x28xf32>
  %2 = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x13x14x6xf32>, tensor<3x3x6x4xf32>) -> tensor<1x11x12x4xf32>
  return %0, %1, %2 : tensor<2x7x6x8xf32>, tensor<2x8x23x28xf32>, tensor<1x11x12x4xf32>
}
