func.func @main() {
  %a = stablehlo.constant dense<[3, 0, 255]> : tensor<3xui8>
  %b = stablehlo.constant dense<[1, 1, 255]> : tensor<3xui8>
  %0 = stablehlo.subtract %a, %b : tensor<3xui8>
  check.expect_eq_const %0, dense<[2, 255, 0]> : tensor<3xui8>
  return
}
