func.func @main() {  // truncates, saturates, and NaN is 0
  %x = stablehlo.constant dense<[1.9, -1.9, 3.0e9, -3.0e9, 0x7FC00000]> : tensor<5xf32>
  %0 = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi32>
  check.expect_eq_const %0, dense<[1, -1, 2147483647, -2147483648, 0]> : tensor<5xi32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[255, 256, -1]> : tensor<3xi32>
  %0 = stablehlo.convert %x : (tensor<3xi32>) -> tensor<3xui8>
  check.expect_eq_const %0, dense<[255, 0, 255]> : tensor<3xui8>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.5, 0.0]> : tensor<2xf32>
  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %0, dense<[true, false]> : tensor<2xi1>
  return
}

// -----

func.func @main() {  // ties go to even
  %x = stablehlo.constant dense<[1.00390625, 1.01171875]> : tensor<2xf32>
  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
  check.expect_eq_const %0, dense<[1.0, 1.015625]> : tensor<2xbf16>
  return
}
