module {
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<f32>) {
    %0 = stablehlo.pad %x, %z, low = [0, 1], high = [2, -1], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
