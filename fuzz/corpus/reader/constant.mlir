module {
  func.func @main() {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
