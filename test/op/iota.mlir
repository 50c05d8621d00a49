func.func @main() {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  return
}

// -----

// error: iota (C1)
func.func @main() -> tensor<2xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<2xi32>
  return %0 : tensor<2xi32>
}
