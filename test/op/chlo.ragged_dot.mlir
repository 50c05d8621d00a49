func.func @main() {
  // Rows in groups of 2 and 1, each with a matrix of its own; the last row is in none.
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %b = stablehlo.constant dense<[[[1.0], [1.0]], [[1.0], [-1.0]]]> : tensor<2x2x1xf32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  check.expect_eq_const %0, dense<[[3.0], [7.0], [-1.0], [0.0]]> : tensor<4x1xf32>
  return
}

// -----

func.func @main() {
  // A sum in groups: of terms 0 to 1, and of term 2.
  %a = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %b = stablehlo.constant dense<[[10, 1], [100, 1], [1000, 1]]> : tensor<3x2xi32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%a, %b, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>
  } : (tensor<1x3xi32>, tensor<3x2xi32>, tensor<2xi64>) -> tensor<2x1x2xi32>
  check.expect_eq_const %0, dense<[[[210, 3]], [[3000, 3]]]> : tensor<2x1x2xi32>
  return
}

// -----

func.func @main() {
  // Pairs of which the first two are in groups; with sizes for each batch in the second one.
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %b = stablehlo.constant dense<[[1, 1], [1, 1], [1, 1]]> : tensor<3x2xi32>
  %sizes = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>
  } : (tensor<3x2xi32>, tensor<3x2xi32>, tensor<2xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[3, 7, 0]> : tensor<3xi32>
  %c = stablehlo.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi32>
  %d = stablehlo.constant dense<[[[[10]], [[100]]], [[[10]], [[100]]]]> : tensor<2x2x1x1xi32>
  %each = stablehlo.constant dense<[[1, 1], [0, 2]]> : tensor<2x2xi32>
  %1 = "chlo.ragged_dot"(%c, %d, %each) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>
  } : (tensor<2x2x1xi32>, tensor<2x2x1x1xi32>, tensor<2x2xi32>) -> tensor<2x2x1xi32>
  check.expect_eq_const %1, dense<[[[10], [200]], [[300], [400]]]> : tensor<2x2x1xi32>
  return
}

// -----

// error: ragged_dot: the group dimension of rhs is 3; expected 2
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3x2x1xf32>, %sizes: tensor<2xi32>) -> tensor<4x1xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<4x2xf32>, tensor<3x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
