module {
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<f32>, %y: tensor<2x3xi32>, %w: tensor<i32>) {
    %0:2 = stablehlo.reduce(%x init: %z), (%y init: %w) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
      stablehlo.return %b, %c : tensor<f32>, tensor<i32>
    }
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
