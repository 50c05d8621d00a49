func.func @main() {
  %x = stablehlo.constant dense<[-3.0, 0.0, 7.0, 0x7F800000]> : tensor<4xf32>
  %0 = stablehlo.sign %x : tensor<4xf32>
  check.expect_eq_const %0, dense<[-1.0, 0.0, 1.0, 1.0]> : tensor<4xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-3, 0, 7]> : tensor<3xi32>
  %0 = stablehlo.sign %x : tensor<3xi32>
  check.expect_eq_const %0, dense<[-1, 0, 1]> : tensor<3xi32>
  return
}
