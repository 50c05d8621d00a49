func.func @main() {
  %x = stablehlo.constant dense<[0, -1, 5]> : tensor<3xi8>
  %0 = stablehlo.not %x : tensor<3xi8>
  check.expect_eq_const %0, dense<[-1, 0, -6]> : tensor<3xi8>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = stablehlo.not %x : tensor<2xi1>
  check.expect_eq_const %0, dense<[false, true]> : tensor<2xi1>
  return
}
