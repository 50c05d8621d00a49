// A softmax is one launch: each row is folded twice, and then written.
// inputs: random:1
// outputs: 2
// kernels: gpu.tenon.fusion
func.func @main(%x: tensor<5x206x90xf32>) -> (tensor<5x206x90xf32>, tensor<5x206xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<5x206x90xf32>, tensor<f32>) -> tensor<5x206xf32>
  %lows = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<5x206xf32>
  %k = stablehlo.maximum %lows, %m : tensor<5x206xf32>
  %n = stablehlo.broadcast_in_dim %k, dims = [0, 1] : (tensor<5x206xf32>) -> tensor<5x206x90xf32>
  %d = stablehlo.subtract %x, %n : tensor<5x206x90xf32>
  %e = stablehlo.exponential %d : tensor<5x206x90xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<5x206x90xf32>, tensor<f32>) -> tensor<5x206xf32>
  %t = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<5x206xf32>) -> tensor<5x206x90xf32>
  %y = stablehlo.divide %e, %t : tensor<5x206x90xf32>
  %l = stablehlo.log %s : tensor<5x206xf32>
  %z = stablehlo.add %l, %k : tensor<5x206xf32>
  return %y, %z : tensor<5x206x90xf32>, tensor<5x206xf32>
}
