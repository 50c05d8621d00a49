// Cholesky factors, both triangles, and one of a matrix that is not positive definite, which is NaN; triangular systems from both
// sides, of both triangles, transposed and not, with and without ones on the diagonal.
// inputs: random:1 random:2 random:3
// outputs: 7
// kernels: gpu.dot_general gpu.iota gpu.tenon.fusion gpu.cholesky gpu.cholesky gpu.cholesky gpu.triangular_solve gpu.triangular_solve gpu.triangular_solve gpu.triangular_solve
func.func @main(%x: tensor<3x40x40xf32>, %b: tensor<3x40x5xf32>, %c: tensor<3x7x40xf32>) -> (tensor<3x40x40xf32>, tensor<3x40x40xf32>, tensor<3x40x40xf32>, tensor<3x40x5xf32>, tensor<3x40x5xf32>, tensor<3x7x40xf32>, tensor<3x7x40xf32>) {
  %p = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x40x40xf32>, tensor<3x40x40xf32>) -> tensor<3x40x40xf32>
  %i = stablehlo.iota dim = 1 : tensor<3x40x40xi32>
  %j = stablehlo.iota dim = 2 : tensor<3x40x40xi32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<3x40x40xi32>, tensor<3x40x40xi32>) -> tensor<3x40x40xi1>
  %d = stablehlo.convert %e : (tensor<3x40x40xi1>) -> tensor<3x40x40xf32>
  %s = stablehlo.constant dense<40.0> : tensor<3x40x40xf32>
  %t = stablehlo.multiply %d, %s : tensor<3x40x40xf32>
  %a = stablehlo.add %p, %t : tensor<3x40x40xf32>
  %l = stablehlo.cholesky %a, lower = true : tensor<3x40x40xf32>
  %u = stablehlo.cholesky %a, lower = false : tensor<3x40x40xf32>
  %small = stablehlo.constant dense<0.01> : tensor<3x40x40xf32>
  %w = stablehlo.multiply %a, %small : tensor<3x40x40xf32>
  %m = stablehlo.negate %a : tensor<3x40x40xf32>
  %n = stablehlo.cholesky %m, lower = true : tensor<3x40x40xf32>
  %0 = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x40x40xf32>, tensor<3x40x5xf32>) -> tensor<3x40x5xf32>
  %1 = "stablehlo.triangular_solve"(%u, %b) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x40x40xf32>, tensor<3x40x5xf32>) -> tensor<3x40x5xf32>
  %2 = "stablehlo.triangular_solve"(%u, %c) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x40x40xf32>, tensor<3x7x40xf32>) -> tensor<3x7x40xf32>
  %3 = "stablehlo.triangular_solve"(%w, %c) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x40x40xf32>, tensor<3x7x40xf32>) -> tensor<3x7x40xf32>
  return %l, %u, %n, %0, %1, %2, %3 : tensor<3x40x40xf32>, tensor<3x40x40xf32>, tensor<3x40x40xf32>, tensor<3x40x5xf32>, tensor<3x40x5xf32>, tensor<3x7x40xf32>, tensor<3x7x40xf32>
}
