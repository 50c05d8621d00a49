func.func @main() {
  %x = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<4xf32>
  %0 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %0, dense<[false, true, false, false]> : tensor<4xi1>
  return
}

// -----

func.func @main() {
  // Of a format without infinities: never.
  %x = stablehlo.constant dense<[448.0, -448.0]> : tensor<2xf8E4M3FN>
  %0 = chlo.is_neg_inf %x : tensor<2xf8E4M3FN> -> tensor<2xi1>
  check.expect_eq_const %0, dense<false> : tensor<2xi1>
  return
}

// -----

// error: is_neg_inf: operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi1> {
  %0 = chlo.is_neg_inf %x : tensor<2xi32> -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
