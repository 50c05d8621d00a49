func.func @main() {
  %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %t = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %f = stablehlo.constant dense<[-1, -2, -3]> : tensor<3xi32>
  %0 = stablehlo.select %p, %t, %f : tensor<3xi1>, tensor<3xi32>
  check.expect_eq_const %0, dense<[1, -2, 3]> : tensor<3xi32>
  return
}

// -----

func.func @main() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %t = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %f = stablehlo.constant dense<[-1, -2]> : tensor<2xi32>
  %0 = stablehlo.select %p, %t, %f : (tensor<i1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[-1, -2]> : tensor<2xi32>
  return
}
