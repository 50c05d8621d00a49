// Constants whose elements are the same, of several dtypes, are in the source of a fusion.
// inputs: random:1
// outputs: 2
// kernels: gpu.tenon.fusion
func.func @main(%x: tensor<300xf64>) -> (tensor<300xf64>, tensor<300xi64>) {
  %half = stablehlo.constant dense<-0.1> : tensor<300xf64>
  %least = stablehlo.constant dense<-9223372036854775808> : tensor<300xi64>
  %inf = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %i = stablehlo.broadcast_in_dim %inf, dims = [] : (tensor<f64>) -> tensor<300xf64>
  %0 = stablehlo.multiply %x, %half : tensor<300xf64>
  %1 = stablehlo.minimum %0, %i : tensor<300xf64>
  %2 = stablehlo.convert %1 : (tensor<300xf64>) -> tensor<300xi64>
  %3 = stablehlo.xor %2, %least : tensor<300xi64>
  return %1, %3 : tensor<300xf64>, tensor<300xi64>
}
