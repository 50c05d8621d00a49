// What a reduction folds is not stored, unless it is a result, too. A softmax: its two sums each end a fusion.
// inputs: random:1
// outputs: 2
// kernels: gpu.reduce gpu.tenon.fusion gpu.tenon.fusion
func.func @main(%x: tensor<6x3000xf32>) -> (tensor<6x3000xf32>, tensor<6x3000xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3000xf32>, tensor<f32>) -> tensor<6xf32>
  %n = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<6xf32>) -> tensor<6x3000xf32>
  %d = stablehlo.subtract %x, %n : tensor<6x3000xf32>
  %e = stablehlo.exponential %d : tensor<6x3000xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x3000xf32>, tensor<f32>) -> tensor<6xf32>
  %t = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<6xf32>) -> tensor<6x3000xf32>
  %y = stablehlo.divide %e, %t : tensor<6x3000xf32>
  return %y, %e : tensor<6x3000xf32>, tensor<6x3000xf32>
}
