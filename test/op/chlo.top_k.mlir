func.func @main() {
  // Of equal elements the first one comes first.
  %x = stablehlo.constant dense<[[3, 1, 3, 2], [-5, -7, -6, -8]]> : tensor<2x4xi32>
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<2x4xi32> -> (tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_eq_const %values, dense<[[3, 3, 2], [-5, -6, -7]]> : tensor<2x3xi32>
  check.expect_eq_const %indices, dense<[[0, 2, 3], [0, 2, 1]]> : tensor<2x3xi32>
  return
}

// -----

func.func @main() {
  // NaN is above all, and 0 above -0.
  %x = stablehlo.constant dense<[1.0, 0x80000000, 0.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %values, %indices = chlo.top_k(%x, k = 5) : tensor<5xf32> -> (tensor<5xf32>, tensor<5xi32>)
  check.expect_eq_const %indices, dense<[3, 4, 0, 2, 1]> : tensor<5xi32>
  %none, %nowhere = chlo.top_k(%x, k = 0) : tensor<5xf32> -> (tensor<0xf32>, tensor<0xi32>)
  check.expect_eq_const %nowhere, dense<> : tensor<0xi32>
  return
}

// -----

// error: top_k: k is 4; expected 0 to 3
func.func @main(%x: tensor<3xf32>) -> tensor<4xf32> {
  %values, %indices = chlo.top_k(%x, k = 4) : tensor<3xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return %values : tensor<4xf32>
}
