module {
  func.func @main() {
    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
