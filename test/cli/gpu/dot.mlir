// Products of matrices large enough for tiles, of sizes that are no multiples of them: with batches, transposed sides, several
// contracted dimensions, narrow floats and integers.
// inputs: random:1 random:2 random:3 random:4 random:5
// outputs: 4
// kernels: gpu.dot_general gpu.dot_general gpu.dot_general gpu.dot_general
func.func @main(%x: tensor<3x70x90xf32>, %y: tensor<3x65x90xf32>, %a: tensor<9x100x10xf32>, %h: tensor<130x40xf16>, %i: tensor<77x50xi32>) -> (tensor<3x70x65xf32>, tensor<100x100xf32>, tensor<130x130xf16>, tensor<77x77xi32>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x70x90xf32>, tensor<3x65x90xf32>) -> tensor<3x70x65xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [0, 2] x [0, 2] : (tensor<9x100x10xf32>, tensor<9x100x10xf32>) -> tensor<100x100xf32>
  %t = stablehlo.transpose %h, dims = [1, 0] : (tensor<130x40xf16>) -> tensor<40x130xf16>
  %2 = stablehlo.dot_general %h, %t, contracting_dims = [1] x [0] : (tensor<130x40xf16>, tensor<40x130xf16>) -> tensor<130x130xf16>
  %3 = stablehlo.dot_general %i, %i, contracting_dims = [1] x [1] : (tensor<77x50xi32>, tensor<77x50xi32>) -> tensor<77x77xi32>
  return %0, %1, %2, %3 : tensor<3x70x65xf32>, tensor<100x100xf32>, tensor<130x130xf16>, tensor<77x77xi32>
}
