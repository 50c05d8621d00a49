module {
  func.func @main(%x: tensor<2x3xf32>) {
    %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
