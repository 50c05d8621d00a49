module {
  func.func @main(%x: tensor<3xf32>) {
    stablehlo.custom_call @sink(%x) : (tensor<3xf32>) -> ()
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
