module {
  func.func @main() {
    %c = stablehlo.constant dense<1> : tensor<2xi8>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
