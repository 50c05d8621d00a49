// Every member's result is rounded to its dtype, as it is on the CPU.
// inputs: random:1 random:2
// outputs: 2
// kernels: gpu.tenon.fusion gpu.tenon.fusion
func.func @main(%x: tensor<1000xf16>, %y: tensor<1000xbf16>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = stablehlo.multiply %x, %x : tensor<1000xf16>
  %1 = stablehlo.subtract %0, %x : tensor<1000xf16>
  %2 = stablehlo.convert %1 : (tensor<1000xf16>) -> tensor<1000xf32>
  %3 = stablehlo.multiply %y, %y : tensor<1000xbf16>
  %4 = stablehlo.subtract %3, %y : tensor<1000xbf16>
  %5 = stablehlo.convert %4 : (tensor<1000xbf16>) -> tensor<1000xf32>
  return %2, %5 : tensor<1000xf32>, tensor<1000xf32>
}
