func.func @main() {
  // 2^31 * 6 = 3 * 2^32; -2^31 * 6 = -3 * 2^32; (2^32 - 1)^2 = (2^32 - 2) * 2^32 + 1.
  %a = stablehlo.constant dense<[2147483648, 4294967295]> : tensor<2xui32>
  %b = stablehlo.constant dense<[6, 4294967295]> : tensor<2xui32>
  %0 = chlo.mulhi %a, %b : tensor<2xui32>, tensor<2xui32> -> tensor<2xui32>
  check.expect_eq_const %0, dense<[3, 4294967294]> : tensor<2xui32>
  %c = stablehlo.constant dense<[-2147483648, -1]> : tensor<2xi32>
  %d = stablehlo.constant dense<[6, 1]> : tensor<2xi32>
  %1 = chlo.mulhi %c, %d : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  check.expect_eq_const %1, dense<[-3, -1]> : tensor<2xi32>
  return
}

// -----

func.func @main() {
  // 2^62 * 8 = 2 * 2^64.
  %a = stablehlo.constant dense<[4611686018427387904, -4611686018427387904]> : tensor<2xi64>
  %b = stablehlo.constant dense<8> : tensor<2xi64>
  %0 = chlo.mulhi %a, %b : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>
  check.expect_eq_const %0, dense<[2, -2]> : tensor<2xi64>
  // In 4 bits: 7 * 7 = 3 * 16 + 1, -8 * 7 = -4 * 16 + 8, 15 * 15 = 14 * 16 + 1.
  %c = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
  %d = stablehlo.constant dense<7> : tensor<2xi4>
  %1 = chlo.mulhi %c, %d : tensor<2xi4>, tensor<2xi4> -> tensor<2xi4>
  check.expect_eq_const %1, dense<[3, -4]> : tensor<2xi4>
  %e = stablehlo.constant dense<15> : tensor<1xui4>
  %2 = chlo.mulhi %e, %e : tensor<1xui4>, tensor<1xui4> -> tensor<1xui4>
  check.expect_eq_const %2, dense<14> : tensor<1xui4>
  return
}

// -----

// error: mulhi (I1): lhs has type tensor<2xf32>; expected a tensor of integers
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.mulhi %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
