func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-3.0, -4.0)]> : tensor<2xcomplex<f32>>
  %0 = chlo.conj %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(1.0, -2.0), (-3.0, 4.0)]> : tensor<2xcomplex<f32>>
  return
}

// -----

// error: conj (I1): operand has type tensor<2xi32>; expected a tensor of floats
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = chlo.conj %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
