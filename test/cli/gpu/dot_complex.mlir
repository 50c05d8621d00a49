// Products of complex matrices.
// inputs: random:1 random:2
// outputs: 1
// kernels: gpu.complex gpu.dot_general
func.func @main(%x: tensor<40x50xf32>, %y: tensor<40x50xf32>) -> tensor<40x40xcomplex<f32>> {
  %z = stablehlo.complex %x, %y : tensor<40x50xcomplex<f32>>
  %0 = stablehlo.dot_general %z, %z, contracting_dims = [1] x [1] : (tensor<40x50xcomplex<f32>>, tensor<40x50xcomplex<f32>>) -> tensor<40x40xcomplex<f32>>
  return %0 : tensor<40x40xcomplex<f32>>
}
