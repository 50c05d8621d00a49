// Convolutions large enough for tiles, of sizes that are no multiples of them: strides, padding, dilations, reversal, groups of
// features and of batches, features first and last, narrow floats and integers.
// inputs: random:1 random:2 random:3 random:4 random:5 random:6 random:7
// outputs: 5
// kernels: gpu.convolution gpu.convolution gpu.convolution gpu.convolution gpu.convert gpu.convolution
func.func @main(%x: tensor<2x13x14x10xf32>, %w: tensor<3x4x5x70xf32>, %z: tensor<2x9x11x12xf32>, %v: tensor<40x9x3x2xf32>, %h: tensor<4x50x9xf16>, %g: tensor<5x9x66xf16>, %i: tensor<3x40x8xi32>) -> (tensor<2x7x6x70xf32>, tensor<2x40x21x23xf32>, tensor<1x11x12x64xf32>, tensor<4x46x66xf32>, tensor<3x40x40xi32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x13x14x10xf32>, tensor<3x4x5x70xf32>) -> tensor<2x7x6x70xf32>
  %1 = stablehlo.convolution(%z, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[2, 2], [1, 0]], lhs_dilate = [2, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x11x12xf32>, tensor<40x9x3x2xf32>) -> tensor<2x40x21x23xf32>
  %k = stablehlo.slice %w [0:3, 0:3, 0:5, 0:64] : (tensor<3x4x5x70xf32>) -> tensor<3x3x5x64xf32>
  %y = stablehlo.slice %x [0:2, 0:13, 0:14, 0:10:2] : (tensor<2x13x14x10xf32>) -> tensor<2x13x14x5xf32>
  %2 = stablehlo.convolution(%y, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x13x14x5xf32>, tensor<3x3x5x64xf32>) -> tensor<1x11x12x64xf32>
  %3 = stablehlo.convolution(%h, %g) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x50x9xf16>, tensor<5x9x66xf16>) -> tensor<4x46x66xf16>
  %4 = stablehlo.convert %3 : (tensor<4x46x66xf16>) -> tensor<4x46x66xf32>
  %t = stablehlo.reshape %i : (tensor<3x40x8xi32>) -> tensor<3x8x40xi32>
  %5 = stablehlo.convolution(%i, %t) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x40x8xi32>, tensor<3x8x40xi32>) -> tensor<3x40x40xi32>
  return %0, %1, %2, %4, %5 : tensor<2x7x6x70xf32>, tensor<2x40x21x23xf32>, tensor<1x11x12x64xf32>, tensor<4x46x66xf32>, tensor<3x40x40xi32>
}
