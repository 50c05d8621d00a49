!t0 = tuple<tensor<f32>, tensor<2xi32>>
!t1 = tuple<!t0, !t0>
!t2 = tuple<!t1, !t1>
func.func @main(%x: tensor<f32>, %y: tensor<2xi32>) -> (tensor<f32>, tensor<2xi32>) {
  %0 = stablehlo.tuple %x, %y : !t0
  %1 = stablehlo.tuple %0, %0 : !t1
  %2 = stablehlo.tuple %1, %1 : !t2
  %3 = stablehlo.get_tuple_element %2[1] : (!t2) -> !t1
  %4 = stablehlo.get_tuple_element %3[0] : (!t1) -> !t0
  %5 = stablehlo.get_tuple_element %4[0] : (!t0) -> tensor<f32>
  %6 = stablehlo.get_tuple_element %4[1] : (!t0) -> tensor<2xi32>
  return %5, %6 : tensor<f32>, tensor<2xi32>
}
