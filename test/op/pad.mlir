func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %v = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.pad %x, %v, low = [2], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<6xi32>
  check.expect_eq_const %0, dense<[0, 0, 1, 0, 2, 0]> : tensor<6xi32>
  return
}
