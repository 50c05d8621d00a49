module {
  func.func @main() {
    %c = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<2xcomplex<f32>>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
