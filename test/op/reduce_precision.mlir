func.func @main() {
  %x = stablehlo.constant dense<[1.00048828125, 65536.0, -0.0]> : tensor<3xf32>
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<3xf32>
  check.expect_eq_const %0, dense<[1.0, 0x7F800000, -0.0]> : tensor<3xf32>
  return
}
