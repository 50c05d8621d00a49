func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  check.expect_eq_const %0, dense<"0x01000000020000000300000004000000"> : tensor<2x2xi32>
  return
}

// -----

// error: constant
func.func @main() -> tensor<2xi8> {
  %0 = stablehlo.constant dense<[1, 256]> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
