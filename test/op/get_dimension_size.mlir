func.func @main() {
  %x = stablehlo.constant dense<0.0> : tensor<3x5xf32>
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x5xf32>) -> tensor<i32>
  check.expect_eq_const %0, dense<5> : tensor<i32>
  return
}
