func.func @main() {  // a negative power is 0, unless the base is 1 or -1
  %a = stablehlo.constant dense<[2, -3, 7, -1]> : tensor<4xi32>
  %b = stablehlo.constant dense<[10, 3, -1, -3]> : tensor<4xi32>
  %0 = stablehlo.power %a, %b : tensor<4xi32>
  check.expect_eq_const %0, dense<[1024, -27, 0, -1]> : tensor<4xi32>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[2.0, 9.0, 0.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[0.5, 0.5, 0.0]> : tensor<3xf32>
  %0 = stablehlo.power %a, %b : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[1.41421356, 3.0, 1.0]> : tensor<3xf32>
  return
}
