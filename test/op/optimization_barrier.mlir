func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<i32>, tensor<f32>
  check.expect_eq_const %0#1, dense<2.0> : tensor<f32>
  return
}
