module {
  func.func @main() {
    %c = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
