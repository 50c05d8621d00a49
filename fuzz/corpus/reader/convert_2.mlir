module {
  func.func @main(%x: tensor<3xi32>) {
    %0 = stablehlo.convert %x : tensor<3xi32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
