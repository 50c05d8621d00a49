func.func @main() {
  %x = stablehlo.constant dense<[0, 1, 257, -1]> : tensor<4xi16>
  %0 = stablehlo.popcnt %x : tensor<4xi16>
  check.expect_eq_const %0, dense<[0, 1, 2, 16]> : tensor<4xi16>
  return
}
