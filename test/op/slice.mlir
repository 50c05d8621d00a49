func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>
  %0 = stablehlo.slice %x [1:3, 0:4:3] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[5, 8], [9, 12]]> : tensor<2x2xi32>
  return
}

// -----

// error: slice
func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.slice %x [1:4] : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
