func.func @main() {
  %x = stablehlo.constant dense<[-1.5, 2.0, -0.0, 0xFF800000]> : tensor<4xf32>
  %0 = stablehlo.abs %x : tensor<4xf32>
  check.expect_eq_const %0, dense<[1.5, 2.0, 0.0, 0x7F800000]> : tensor<4xf32>
  return
}

// -----

func.func @main() {  // the smallest integer has no positive twin
  %x = stablehlo.constant dense<[-128, -1, 7]> : tensor<3xi8>
  %0 = stablehlo.abs %x : tensor<3xi8>
  check.expect_eq_const %0, dense<[-128, 1, 7]> : tensor<3xi8>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[(3.0, -4.0)]> : tensor<1xcomplex<f32>>
  %0 = stablehlo.abs %x : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  check.expect_eq_const %0, dense<[5.0]> : tensor<1xf32>
  return
}

// -----

// error: abs (I1)
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = stablehlo.abs %x : tensor<2xi1>
  return %0 : tensor<2xi1>
}
