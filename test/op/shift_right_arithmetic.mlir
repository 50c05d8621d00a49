func.func @main() {
  %a = stablehlo.constant dense<[-8, -8, 64, 64]> : tensor<4xi8>
  %b = stablehlo.constant dense<[1, 9, 2, 9]> : tensor<4xi8>
  %0 = stablehlo.shift_right_arithmetic %a, %b : tensor<4xi8>
  check.expect_eq_const %0, dense<[-4, -1, 16, 0]> : tensor<4xi8>
  return
}
