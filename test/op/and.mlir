func.func @main() {
  %a = stablehlo.constant dense<[12, -1, 0]> : tensor<3xi8>
  %b = stablehlo.constant dense<[10, 85, 7]> : tensor<3xi8>
  %0 = stablehlo.and %a, %b : tensor<3xi8>
  check.expect_eq_const %0, dense<[8, 85, 0]> : tensor<3xi8>
  return
}
