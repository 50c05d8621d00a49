// Rows that are transposed, of half precision whose operations are rounded one by one, scaled by their largest element and their
// norm, and by numbers for columns and for rows: one launch.
// inputs: random:1 random:2 random:3
// outputs: 1
// kernels: gpu.tenon.fusion
func.func @main(%a: tensor<300x1030xf32>, %g: tensor<300xf32>, %r: tensor<1030xf32>) -> tensor<1030x300xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFC00> : tensor<f16>
  %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<300x1030xf32>) -> tensor<1030x300xf32>
  %x = stablehlo.convert %b : (tensor<1030x300xf32>) -> tensor<1030x300xf16>
  %largest = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<1030x300xf16>, tensor<f16>) -> tensor<1030xf16>
  %twice = stablehlo.add %largest, %largest : tensor<1030xf16>
  %m = stablehlo.broadcast_in_dim %twice, dims = [0] : (tensor<1030xf16>) -> tensor<1030x300xf16>
  %d = stablehlo.subtract %x, %m : tensor<1030x300xf16>
  %f = stablehlo.convert %d : (tensor<1030x300xf16>) -> tensor<1030x300xf32>
  %q = stablehlo.multiply %f, %f : tensor<1030x300xf32>
  %squares = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1030x300xf32>, tensor<f32>) -> tensor<1030xf32>
  %i = stablehlo.rsqrt %squares : tensor<1030xf32>
  %w = stablehlo.multiply %i, %r : tensor<1030xf32>
  %o = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<1030xf32>) -> tensor<1030x300xf32>
  %h = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<300xf32>) -> tensor<1030x300xf32>
  %1 = stablehlo.multiply %f, %o : tensor<1030x300xf32>
  %y = stablehlo.multiply %1, %h : tensor<1030x300xf32>
  return %y : tensor<1030x300xf32>
}
