module {
  func.func @main() {
    %c = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
