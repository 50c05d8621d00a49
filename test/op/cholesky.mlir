func.func @main() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf64>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf64>
  // The other triangle of the result is open.
  %1 = stablehlo.slice %0 [0:2, 0:1] : (tensor<2x2xf64>) -> tensor<2x1xf64>
  check.expect_almost_eq_const %1, dense<[[2.0], [1.0]]> : tensor<2x1xf64>
  %2 = stablehlo.slice %0 [1:2, 1:2] : (tensor<2x2xf64>) -> tensor<1x1xf64>
  check.expect_almost_eq_const %2, dense<2.0> : tensor<1x1xf64>
  %3 = stablehlo.cholesky %a : tensor<2x2xf64>
  %4 = stablehlo.slice %3 [0:1, 0:2] : (tensor<2x2xf64>) -> tensor<1x2xf64>
  check.expect_almost_eq_const %4, dense<[[2.0, 1.0]]> : tensor<1x2xf64>
  return
}

// -----

// error: cholesky (C3)
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
