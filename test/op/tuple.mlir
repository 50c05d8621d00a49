func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %inner = stablehlo.tuple %a, %b : tuple<tensor<f32>, tensor<2xi32>>
  %outer = stablehlo.tuple %inner, %a : tuple<tuple<tensor<f32>, tensor<2xi32>>, tensor<f32>>
  %0 = stablehlo.get_tuple_element %outer[0] : (tuple<tuple<tensor<f32>, tensor<2xi32>>, tensor<f32>>) -> tuple<tensor<f32>, tensor<2xi32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<2xi32>>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[2, 3]> : tensor<2xi32>
  return
}
