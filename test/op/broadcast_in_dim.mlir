func.func @main() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x1xi32>) -> tensor<3x1x2xi32>
  check.expect_eq_const %0, dense<[[[1, 2]], [[1, 2]], [[1, 2]]]> : tensor<3x1x2xi32>
  return
}

// -----

// error: broadcast_in_dim (C5)
func.func @main(%x: tensor<2xi32>) -> tensor<3xi32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
