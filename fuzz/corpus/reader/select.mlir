module {
  func.func @main(%p: tensor<2xi1>, %x: tensor<2xf32>) {
    %0 = stablehlo.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
