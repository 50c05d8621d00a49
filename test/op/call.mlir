func.func @main() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %0 = call @square(%x) : (tensor<i32>) -> tensor<i32>
  %1 = call @square(%0) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %1, dense<81> : tensor<i32>
  return
}
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// error: calls itself
func.func @main() -> tensor<i32> {
  %0 = call @main() : () -> tensor<i32>
  return %0 : tensor<i32>
}
