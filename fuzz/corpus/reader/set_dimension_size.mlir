module {
  func.func @main(%x: tensor<5xf32>, %n: tensor<i32>) {
    %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<5xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<5>>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
