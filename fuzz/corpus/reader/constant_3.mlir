module {
  func.func @main() {
    %c = stablehlo.constant {k = "v"} dense<true> : tensor<i1>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
