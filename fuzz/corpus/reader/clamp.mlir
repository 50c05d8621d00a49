module {
  func.func @main(%m: tensor<f32>, %x: tensor<2xf32>) {
    %0 = stablehlo.clamp %m, %x, %m : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
