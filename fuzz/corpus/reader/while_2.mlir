module {
  func.func @main(%p: tensor<i1>) {
    stablehlo.while()
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return
    }
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
