func.func @main() {
  %x = stablehlo.constant dense<[1.2, -1.2, -0.5, 3.0]> : tensor<4xf32>
  %0 = stablehlo.ceil %x : tensor<4xf32>
  check.expect_eq_const %0, dense<[2.0, -1.0, -0.0, 3.0]> : tensor<4xf32>
  return
}
