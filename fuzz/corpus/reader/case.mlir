module {
  func.func @main(%i: tensor<i32>, %x: tensor<2xf32>) {
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<2xf32>
    }, {
      %1 = stablehlo.abs %x : tensor<2xf32>
      stablehlo.return %1 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
