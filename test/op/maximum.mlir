func.func @main() {
  %a = stablehlo.constant dense<[1.0, -0.0, -2.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[2.0, 0.0, -3.0]> : tensor<3xf32>
  %0 = stablehlo.maximum %a, %b : tensor<3xf32>
  check.expect_eq_const %0, dense<[2.0, 0.0, -2.0]> : tensor<3xf32>
  return
}

// -----

func.func @main() {  // NaN wins
  %a = stablehlo.constant dense<[0x7FC00000]> : tensor<1xf32>
  %b = stablehlo.constant dense<[1.0]> : tensor<1xf32>
  %0 = stablehlo.maximum %a, %b : tensor<1xf32>
  check.expect_almost_eq_const %0, dense<[0x7FC00000]> : tensor<1xf32>
  return
}
