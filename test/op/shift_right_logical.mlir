func.func @main() {
  %a = stablehlo.constant dense<[-8, -8, 64, -1]> : tensor<4xi8>
  %b = stablehlo.constant dense<[1, 9, 2, 7]> : tensor<4xi8>
  %0 = stablehlo.shift_right_logical %a, %b : tensor<4xi8>
  check.expect_eq_const %0, dense<[124, 0, 16, 1]> : tensor<4xi8>
  return
}
