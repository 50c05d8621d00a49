module {
  func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) {
    %0:2 = stablehlo.optimization_barrier %x, %y : tensor<2xf32>, tensor<i32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
