func.func @main() {
  // Differences of neighbours, with one zero on the left.
  %x = stablehlo.constant dense<[[[1.0], [4.0], [9.0]]]> : tensor<1x3x1xf32>
  %w = stablehlo.constant dense<[[[-1.0]], [[1.0]]]> : tensor<2x1x1xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  check.expect_eq_const %0, dense<[[[1.0], [3.0], [5.0]]]> : tensor<1x3x1xf32>
  return
}

// -----

func.func @main() {
  // A kernel of two by two over three by three, in other orders of dimensions, turned round and two steps apart over
  // four by four with zeros around: the corners of x by the opposite corners of the kernel.
  %x = stablehlo.constant dense<[[[[1, 2], [3, 4]]]]> : tensor<1x1x2x2xi32>
  %w = stablehlo.constant dense<[[[[1, 10], [100, 1000]]]]> : tensor<1x1x2x2xi32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x2xi32>, tensor<1x1x2x2xi32>) -> tensor<1x2x2x1xi32>
  check.expect_eq_const %0, dense<[[[[1000], [200]], [[30], [4]]]]> : tensor<1x2x2x1xi32>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x2xi32>, tensor<1x1x2x2xi32>) -> tensor<1x2x2x1xi32>
  check.expect_eq_const %1, dense<[[[[1], [20]], [[300], [4000]]]]> : tensor<1x2x2x1xi32>
  return
}

// -----

func.func @main() {
  // The same, of operands that are transposed and reversed first; the barrier hides that they are constants.
  %c = stablehlo.constant dense<[[[[1]], [[3]]], [[[2]], [[4]]]]> : tensor<2x2x1x1xi32>
  %d = stablehlo.constant dense<[[[[1, 10], [100, 1000]]]]> : tensor<1x1x2x2xi32>
  %e, %f = stablehlo.optimization_barrier %c, %d : tensor<2x2x1x1xi32>, tensor<1x1x2x2xi32>
  %x = stablehlo.transpose %e, dims = [3, 2, 1, 0] : (tensor<2x2x1x1xi32>) -> tensor<1x1x2x2xi32>
  %t = stablehlo.transpose %f, dims = [3, 0, 2, 1] : (tensor<1x1x2x2xi32>) -> tensor<2x1x2x1xi32>
  %w = stablehlo.reverse %t, dims = [0, 2] : tensor<2x1x2x1xi32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[1, i, 0, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x2xi32>, tensor<2x1x2x1xi32>) -> tensor<1x2x2x1xi32>
  check.expect_eq_const %0, dense<[[[[1], [20]], [[300], [4000]]]]> : tensor<1x2x2x1xi32>
  return
}

// -----

func.func @main() {
  // Both dilated: 1 . 2 . 3 by 1 . 10.
  %x = stablehlo.constant dense<[[[1, 2, 3]]]> : tensor<1x1x3xi32>
  %w = stablehlo.constant dense<[[[1, 10]]]> : tensor<1x1x2xi32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {lhs_dilate = [2], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xi32>, tensor<1x1x2xi32>) -> tensor<1x1x3xi32>
  check.expect_eq_const %0, dense<[[[21, 0, 32]]]> : tensor<1x1x3xi32>
  return
}

// -----

func.func @main() {
  // Each group of features, and of batches, has kernels of its own.
  %x = stablehlo.constant dense<[[[1], [2]]]> : tensor<1x2x1xi32>
  %w = stablehlo.constant dense<[[[10]], [[100]]]> : tensor<2x1x1xi32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x1xi32>, tensor<2x1x1xi32>) -> tensor<1x2x1xi32>
  check.expect_eq_const %0, dense<[[[10], [200]]]> : tensor<1x2x1xi32>
  %y = stablehlo.constant dense<[[[1]], [[2]]]> : tensor<2x1x1xi32>
  %1 = stablehlo.convolution(%y, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<1x2x1xi32>
  check.expect_eq_const %1, dense<[[[10], [200]]]> : tensor<1x2x1xi32>
  return
}

// -----

// error: convolution (C14): rhs has 1 input features; expected 2
func.func @main(%x: tensor<1x2x1xi32>, %w: tensor<2x1x1xi32>) -> tensor<1x2x1xi32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xi32>, tensor<2x1x1xi32>) -> tensor<1x2x1xi32>
  return %0 : tensor<1x2x1xi32>
}
