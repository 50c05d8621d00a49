func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %w = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]> : tensor<3x2xf32>
  %y = stablehlo.custom_call @product(%x, %w) {api_version = 4 : i32} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %y, dense<[[7.0, -1.0], [16.0, -1.0]]> : tensor<2x2xf32>
  return
}

// -----

// error: operand 1 (w): expected dims(k, m) where k is 3; found tensor<2x3xf32>
func.func @main() {
  %x = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %y = stablehlo.custom_call @product(%x, %x) {api_version = 4 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  check.expect_eq %y, %y : tensor<2x2xf32>
  return
}
