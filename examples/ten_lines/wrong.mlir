// Refused: the operands of an addition have one type.
func.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {
  %z = stablehlo.add %x, %y : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %z : tensor<3xf32>
}
