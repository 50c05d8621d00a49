func.func @main() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.composite "my.square" %x {decomposition = @square} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<9> : tensor<i32>
  return
}
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
