func.func @main() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi32>
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<1x3x2xi32>) -> tensor<2x1x3xi32>
  check.expect_eq_const %0, dense<[[[1, 3, 5]], [[2, 4, 6]]]> : tensor<2x1x3xi32>
  return
}

// -----

// error: transpose (C2)
func.func @main(%x: tensor<2x3xi32>) -> tensor<2x2xi32> {
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
