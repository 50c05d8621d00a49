#a0 = [1 : i32, 2 : i32]
#a1 = [#a0, #a0]
#a2 = [#a1, #a1]
#a3 = [#a2, #a2]
#a4 = [#a3, #a3]
#a5 = [#a4, #a4]
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x {test.tower = #a5} : tensor<f32>
  %1 = stablehlo.negate %0 {test.tower = #a5} : tensor<f32>
  return %1 : tensor<f32>
}
