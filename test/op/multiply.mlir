func.func @main() {
  %a = stablehlo.constant dense<[100, -7, 16]> : tensor<3xi8>
  %b = stablehlo.constant dense<[2, 3, 16]> : tensor<3xi8>
  %0 = stablehlo.multiply %a, %b : tensor<3xi8>
  check.expect_eq_const %0, dense<[-56, -21, 0]> : tensor<3xi8>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %b = stablehlo.constant dense<[(3.0, 4.0)]> : tensor<1xcomplex<f32>>
  %0 = stablehlo.multiply %a, %b : tensor<1xcomplex<f32>>
  check.expect_eq_const %0, dense<[(-5.0, 10.0)]> : tensor<1xcomplex<f32>>
  return
}
