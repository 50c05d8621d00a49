func.func @main() {
  // What lies above the diagonal is not looked at.
  %a = stablehlo.constant dense<[[2.0, 7.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [9.0]]> : tensor<2x1xf32>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %0, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  // Transposed: 2 x + y = 9, 4 y = 4.
  %c = stablehlo.constant dense<[[9.0], [4.0]]> : tensor<2x1xf32>
  %1 = "stablehlo.triangular_solve"(%a, %c) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %1, dense<[[4.0], [1.0]]> : tensor<2x1xf32>
  // From the right, with ones on the diagonal: x + y = 5, y = 2.
  %d = stablehlo.constant dense<[[5.0, 2.0]]> : tensor<1x2xf32>
  %2 = "stablehlo.triangular_solve"(%a, %d) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  check.expect_almost_eq_const %2, dense<[[3.0, 2.0]]> : tensor<1x2xf32>
  return
}

// -----

// error: triangular_solve (C
func.func @main(%a: tensor<2x2xf32>, %b: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}
