func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.tanh %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
