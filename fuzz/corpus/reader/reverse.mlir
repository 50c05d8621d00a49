module {
  func.func @main(%x: tensor<2x3xf32>) {
    %0 = stablehlo.reverse %x, dims = [0] : tensor<2x3xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
