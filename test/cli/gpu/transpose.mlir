// Stored transposes, by tiles, of sizes that are no multiples of them, in one of several dimensions and reversed.
// inputs: random:1 random:2
// outputs: 3
// kernels: gpu.transpose gpu.transpose gpu.reverse gpu.transpose
func.func @main(%x: tensor<70x90xf32>, %y: tensor<3x20x5x40xf16>) -> (tensor<90x70xf32>, tensor<40x5x3x20xf16>, tensor<90x70xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<70x90xf32>) -> tensor<90x70xf32>
  %1 = stablehlo.transpose %y, dims = [3, 2, 0, 1] : (tensor<3x20x5x40xf16>) -> tensor<40x5x3x20xf16>
  %2 = stablehlo.reverse %x, dims = [0] : tensor<70x90xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<70x90xf32>) -> tensor<90x70xf32>
  return %0, %1, %3 : tensor<90x70xf32>, tensor<40x5x3x20xf16>, tensor<90x70xf32>
}
