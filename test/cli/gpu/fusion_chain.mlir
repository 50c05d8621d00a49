// A chain with a broadcast, a transposed operand, comparisons, conversions and two results.
// inputs: random:1 random:2 random:3
// outputs: 2
// kernels: gpu.tenon.fusion
func.func @main(%x: tensor<24x40xf32>, %b: tensor<40xf32>, %t: tensor<40x24xf32>) -> (tensor<24x40xf32>, tensor<24x40xi32>) {
  %half = stablehlo.constant dense<0.5> : tensor<24x40xf32>
  %c = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<40xf32>) -> tensor<24x40xf32>
  %u = stablehlo.transpose %t, dims = [1, 0] : (tensor<40x24xf32>) -> tensor<24x40xf32>
  %0 = stablehlo.add %x, %c : tensor<24x40xf32>
  %1 = stablehlo.multiply %0, %u : tensor<24x40xf32>
  %2 = stablehlo.tanh %1 : tensor<24x40xf32>
  %3 = stablehlo.compare GT, %2, %half : (tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xi1>
  %4 = stablehlo.select %3, %2, %0 : tensor<24x40xi1>, tensor<24x40xf32>
  %5 = stablehlo.convert %3 : (tensor<24x40xi1>) -> tensor<24x40xi32>
  return %4, %5 : tensor<24x40xf32>, tensor<24x40xi32>
}
