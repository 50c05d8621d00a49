module {
  func.func @main(%x: tensor<3x8xf32>, %i: tensor<i32>) {
    %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
