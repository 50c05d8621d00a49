func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 256, -1]> : tensor<4xi16>
  %0 = stablehlo.count_leading_zeros %x : tensor<4xi16>
  check.expect_eq_const %0, dense<[16, 15, 7, 0]> : tensor<4xi16>
  return
}
