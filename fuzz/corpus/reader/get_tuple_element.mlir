module {
  func.func @main(%t: tuple<tensor<2xf32>, tuple<>>) {
    %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<>>) -> tuple<>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
