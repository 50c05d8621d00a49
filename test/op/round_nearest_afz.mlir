func.func @main() {
  %x = stablehlo.constant dense<[0.5, 1.5, 2.5, -2.5, 0.4]> : tensor<5xf32>
  %0 = stablehlo.round_nearest_afz %x : tensor<5xf32>
  check.expect_eq_const %0, dense<[1.0, 2.0, 3.0, -3.0, 0.0]> : tensor<5xf32>
  return
}
