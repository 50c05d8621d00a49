// More numbers than a launch takes by value: the source has the rest.
// inputs: random:1 random:2 random:3 random:4 random:5 random:6
// outputs: 1
// kernels: gpu.tenon.fusion
func.func @main(%a: tensor<3x4x5x6x7xf32>, %b: tensor<7x6x5x4x3xf32>, %c: tensor<4x3x6x7x5xf32>, %d: tensor<6x7x3x4x5xf32>, %e: tensor<5x7x3x6x4xf32>, %f: tensor<3x5x7xf32>) -> tensor<3x4x5x6x7xf32> {
  %b1 = stablehlo.transpose %b, dims = [4, 3, 2, 1, 0] : (tensor<7x6x5x4x3xf32>) -> tensor<3x4x5x6x7xf32>
  %c1 = stablehlo.transpose %c, dims = [1, 0, 4, 2, 3] : (tensor<4x3x6x7x5xf32>) -> tensor<3x4x5x6x7xf32>
  %d1 = stablehlo.transpose %d, dims = [2, 3, 4, 0, 1] : (tensor<6x7x3x4x5xf32>) -> tensor<3x4x5x6x7xf32>
  %e1 = stablehlo.transpose %e, dims = [2, 4, 0, 3, 1] : (tensor<5x7x3x6x4xf32>) -> tensor<3x4x5x6x7xf32>
  %f1 = stablehlo.broadcast_in_dim %f, dims = [0, 2, 4] : (tensor<3x5x7xf32>) -> tensor<3x4x5x6x7xf32>
  %f2 = stablehlo.reverse %f1, dims = [0, 2, 4] : tensor<3x4x5x6x7xf32>
  %a1 = stablehlo.reverse %a, dims = [0, 1, 2, 3, 4] : tensor<3x4x5x6x7xf32>
  %a2 = stablehlo.reverse %a, dims = [0, 2, 4] : tensor<3x4x5x6x7xf32>
  %a3 = stablehlo.reverse %a, dims = [1, 3] : tensor<3x4x5x6x7xf32>
  %a4 = stablehlo.reverse %a, dims = [1, 4] : tensor<3x4x5x6x7xf32>
  %a5 = stablehlo.reverse %a, dims = [2, 4] : tensor<3x4x5x6x7xf32>
  %a6 = stablehlo.reverse %a, dims = [0, 3] : tensor<3x4x5x6x7xf32>
  %b2 = stablehlo.reverse %b1, dims = [0, 2, 4] : tensor<3x4x5x6x7xf32>
  %b3 = stablehlo.reverse %b1, dims = [1, 3] : tensor<3x4x5x6x7xf32>
  %c2 = stablehlo.reverse %c1, dims = [0, 2, 4] : tensor<3x4x5x6x7xf32>
  %c3 = stablehlo.reverse %c1, dims = [1, 3] : tensor<3x4x5x6x7xf32>
  %d2 = stablehlo.reverse %d1, dims = [1, 3] : tensor<3x4x5x6x7xf32>
  %0 = stablehlo.add %a1, %b1 : tensor<3x4x5x6x7xf32>
  %1 = stablehlo.multiply %0, %c1 : tensor<3x4x5x6x7xf32>
  %2 = stablehlo.subtract %1, %d1 : tensor<3x4x5x6x7xf32>
  %3 = stablehlo.add %2, %e1 : tensor<3x4x5x6x7xf32>
  %4 = stablehlo.multiply %3, %f1 : tensor<3x4x5x6x7xf32>
  %5 = stablehlo.add %4, %a2 : tensor<3x4x5x6x7xf32>
  %6 = stablehlo.add %5, %f2 : tensor<3x4x5x6x7xf32>
  %7 = stablehlo.add %6, %a3 : tensor<3x4x5x6x7xf32>
  %8 = stablehlo.multiply %7, %a4 : tensor<3x4x5x6x7xf32>
  %9 = stablehlo.add %8, %a5 : tensor<3x4x5x6x7xf32>
  %10 = stablehlo.subtract %9, %a6 : tensor<3x4x5x6x7xf32>
  %11 = stablehlo.add %10, %b2 : tensor<3x4x5x6x7xf32>
  %12 = stablehlo.add %11, %b3 : tensor<3x4x5x6x7xf32>
  %13 = stablehlo.subtract %12, %c2 : tensor<3x4x5x6x7xf32>
  %14 = stablehlo.add %13, %c3 : tensor<3x4x5x6x7xf32>
  %15 = stablehlo.add %14, %d2 : tensor<3x4x5x6x7xf32>
  return %15 : tensor<3x4x5x6x7xf32>
}
