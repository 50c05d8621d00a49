module {
  func.func @main(%x: tensor<3x8xf32>) {
    %0 = stablehlo.slice %x [0:2, 1:7:2] : (tensor<3x8xf32>) -> tensor<2x3xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
