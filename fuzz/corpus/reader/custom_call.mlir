module {
  func.func @main(%x: tensor<3xf32>) {
    %0 = stablehlo.custom_call @my_target(%x) {api_version = 4 : i32, backend_config = {alpha = 2.500000e+00 : f32, flag = true, name = "hi"}} : (tensor<3xf32>) -> tensor<3xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
