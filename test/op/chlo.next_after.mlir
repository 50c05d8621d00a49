func.func @main() {
  // Up, down, from zero to the least number, to infinity, nowhere.
  %a = stablehlo.constant dense<[1.0, 1.0, 0.0, 0x7F7FFFFF, 2.0]> : tensor<5xf32>
  %b = stablehlo.constant dense<[2.0, 0.0, -1.0, 0x7F800000, 2.0]> : tensor<5xf32>
  %0 = chlo.next_after %a, %b : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  check.expect_eq_const %0, dense<[0x3F800001, 0x3F7FFFFF, 0x80000001, 0x7F800000, 2.0]> : tensor<5xf32>
  return
}

// -----

func.func @main() {
  // Neighbours in the operands' own format.
  %a = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xbf16>
  %b = stablehlo.constant dense<[2.0, -2.0]> : tensor<2xbf16>
  %0 = chlo.next_after %a, %b : tensor<2xbf16>, tensor<2xbf16> -> tensor<2xbf16>
  check.expect_eq_const %0, dense<[1.0078125, -1.0078125]> : tensor<2xbf16>
  %c = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf8E5M2>
  %d = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf8E5M2>
  %1 = chlo.next_after %c, %d : tensor<2xf8E5M2>, tensor<2xf8E5M2> -> tensor<2xf8E5M2>
  check.expect_eq_const %1, dense<[0.875, 0x01]> : tensor<2xf8E5M2>
  return
}

// -----

// error: next_after (I1): lhs has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.next_after %x, %x : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
