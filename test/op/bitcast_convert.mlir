func.func @main() {
  %x = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[1065353216, -2147483648]> : tensor<2xi32>
  return
}

// -----

func.func @main() {  // the first element has the lowest bits
  %x = stablehlo.constant dense<[67305985]> : tensor<1xi32>
  %0 = stablehlo.bitcast_convert %x : (tensor<1xi32>) -> tensor<1x4xi8>
  check.expect_eq_const %0, dense<[[1, 2, 3, 4]]> : tensor<1x4xi8>
  return
}
