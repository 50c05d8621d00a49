func.func @main() {
  %x = stablehlo.constant dense<[-2.0, 0.001953125, 1.0, 40.0]> : tensor<4xf32>
  %0 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.constant dense<[-0.215269289, 0.000974657478, 0.207910415, 0.0624822291]> : tensor<4xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @main() {
  // Zero far out.
  %x = stablehlo.constant dense<[0x7F800000]> : tensor<1xf32>
  %0 = chlo.bessel_i1e %x : tensor<1xf32> -> tensor<1xf32>
  %1 = stablehlo.constant dense<[0.0]> : tensor<1xf32>
  check.expect_close %0, %1, max_ulp_difference = 0 : tensor<1xf32>, tensor<1xf32>
  return
}

// -----

// error: bessel_i1e (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.bessel_i1e %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
