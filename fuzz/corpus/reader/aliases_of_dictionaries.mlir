#a0 = {x = 1 : i32}
#a1 = {l = #a0, r = #a0}
#a2 = {l = #a1, r = #a1}
#a3 = {l = #a2, r = #a2}
#a4 = {l = #a3, r = #a3}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @none(%x) {api_version = 4 : i32, backend_config = {tower = #a4}} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
