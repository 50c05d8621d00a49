func.func @main() {  // towards zero; the smallest by -1 wraps
  %a = stablehlo.constant dense<[7, -7, -2147483648, 6]> : tensor<4xi32>
  %b = stablehlo.constant dense<[2, 2, -1, -4]> : tensor<4xi32>
  %0 = stablehlo.divide %a, %b : tensor<4xi32>
  check.expect_eq_const %0, dense<[3, -3, -2147483648, -1]> : tensor<4xi32>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[1.0, -1.0, 7.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[0.0, 0.0, 2.0]> : tensor<3xf32>
  %0 = stablehlo.divide %a, %b : tensor<3xf32>
  check.expect_eq_const %0, dense<[0x7F800000, 0xFF800000, 3.5]> : tensor<3xf32>
  return
}
