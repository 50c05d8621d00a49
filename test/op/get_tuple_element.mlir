func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %t = stablehlo.tuple %a, %b : tuple<tensor<i32>, tensor<i32>>
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  return
}

// -----

// error: get_tuple_element (C1)
func.func @main(%t: tuple<tensor<i32>>) -> tensor<i32> {
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>>) -> tensor<i32>
  return %0 : tensor<i32>
}
