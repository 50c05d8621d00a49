func.func @main() {
  %x = stablehlo.constant dense<[-128, 1, 0]> : tensor<3xi8>
  %0 = stablehlo.negate %x : tensor<3xi8>
  check.expect_eq_const %0, dense<[-128, -1, 0]> : tensor<3xi8>
  return
}
