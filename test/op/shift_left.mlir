func.func @main() {  // past the width there is nothing
  %a = stablehlo.constant dense<[1, 1, -1, 3]> : tensor<4xi8>
  %b = stablehlo.constant dense<[2, 8, 1, -1]> : tensor<4xi8>
  %0 = stablehlo.shift_left %a, %b : tensor<4xi8>
  check.expect_eq_const %0, dense<[4, 0, -2, 0]> : tensor<4xi8>
  return
}
