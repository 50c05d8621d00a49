func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -3.0]> : tensor<3xf32>
  %0 = chlo.soft_sign %x : tensor<3xf32> -> tensor<3xf32>
  check.expect_eq_const %0, dense<[0.0, 0.5, -0.75]> : tensor<3xf32>
  return
}

// -----
// error: soft_sign

func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = chlo.soft_sign %x : tensor<3xi32> -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
