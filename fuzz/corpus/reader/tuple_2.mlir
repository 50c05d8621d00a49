module {
  func.func @main() {
    %0 = stablehlo.tuple : tuple<>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
