// Lists, dictionaries and types that are large because their parts are mentioned again and again.
#a0 = [1 : i32, "x"]
#a1 = [#a0, #a0]
#a2 = [#a1, #a1]
#a3 = [#a2, #a2]
#a4 = [#a3, #a3]
#a5 = [#a4, #a4]
#a6 = [#a5, #a5]
#a7 = [#a6, #a6]
#d = {big = #a7, small = #a1}
!t0 = tuple<tensor<2xf32>, tensor<i32>>
!t1 = tuple<!t0, !t0>
!t2 = tuple<!t1, !t1>
!t3 = tuple<!t2, !t2>
!t4 = tuple<!t3, !t3>
!t5 = tuple<!t4, !t4>
!t6 = tuple<!t5, !t5>
!t7 = tuple<!t6, !t6>
func.func @main(%x: tensor<f32>, %t: !t7, %u: tuple<!t6, !stablehlo.token>) -> (tensor<f32>, !t7) attributes {test.f = #a6} {
  %0 = stablehlo.negate %x {test.a = #a7, test.b = [#a6, !t7]} : tensor<f32>
  %1 = stablehlo.negate %0 {test.a = #a7, test.c = #d} : tensor<f32>
  %2 = stablehlo.get_tuple_element %t[1] : (!t7) -> !t6
  %3 = stablehlo.tuple %2, %2 : !t7
  %4 = stablehlo.negate %1 {test.c = #d} : tensor<f32>
  return %4, %3 : tensor<f32>, !t7
}
