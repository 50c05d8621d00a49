// Reductions of rows of integers, booleans and doubles: with an operand to begin with, of which others need what the first gives,
// and of which nothing but numbers for rows is stored.
// inputs: random:1 i32=7 random:2
// outputs: 3
// kernels: gpu.tenon.fusion gpu.tenon.fusion
func.func @main(%x: tensor<1024x5x9xi32>, %first: tensor<i32>, %y: tensor<1100x33xf64>) -> (tensor<1024xi1>, tensor<1024x5x9xi32>, tensor<1100xf64>) {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %s = stablehlo.reduce(%x init: %first) applies stablehlo.add across dimensions = [1, 2] : (tensor<1024x5x9xi32>, tensor<i32>) -> tensor<1024xi32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<1024xi32>) -> tensor<1024x5x9xi32>
  %c = stablehlo.compare GT, %x, %b : (tensor<1024x5x9xi32>, tensor<1024x5x9xi32>) -> tensor<1024x5x9xi1>
  %any = stablehlo.reduce(%c init: %no) applies stablehlo.or across dimensions = [1, 2] : (tensor<1024x5x9xi1>, tensor<i1>) -> tensor<1024xi1>
  %d = stablehlo.subtract %x, %b : tensor<1024x5x9xi32>
  %m = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<1100x33xf64>, tensor<f64>) -> tensor<1100xf64>
  %n = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<1100xf64>) -> tensor<1100x33xf64>
  %e = stablehlo.subtract %y, %n : tensor<1100x33xf64>
  %q = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1100x33xf64>, tensor<f64>) -> tensor<1100xf64>
  return %any, %d, %q : tensor<1024xi1>, tensor<1024x5x9xi32>, tensor<1100xf64>
}
