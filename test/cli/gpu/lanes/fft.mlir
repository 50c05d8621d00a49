// Fourier transforms of one to three dimensions: of powers of two, of lengths with other factors;
// forwards and back, of complex numbers and of real ones.
// inputs: random:1 random:2 random:3
// outputs: 7
// kernels: gpu.complex gpu.fft gpu.fft gpu.fft gpu.fft gpu.fft gpu.fft gpu.imag gpu.tenon.fusion gpu.tenon.fusion gpu.tenon.fusion gpu.tenon.fusion
func.func @main(%x: tensor<3x8x60xf32>, %y: tensor<3x8x60xf32>, %z: tensor<2x1155xf32>) -> (tensor<3x8x60xf32>, tensor<3x8x60xf32>, tensor<3x8x31xf32>, tensor<3x8x60xf32>, tensor<2x578xf32>, tensor<2x1155xf32>, tensor<3x8x60xf32>) {
  %c = stablehlo.complex %x, %y : tensor<3x8x60xcomplex<f32>>
  %0 = stablehlo.fft %c, type = FFT, length = [3, 8, 60] : (tensor<3x8x60xcomplex<f32>>) -> tensor<3x8x60xcomplex<f32>>
  %1 = stablehlo.fft %c, type = IFFT, length = [8, 60] : (tensor<3x8x60xcomplex<f32>>) -> tensor<3x8x60xcomplex<f32>>
  %2 = stablehlo.fft %x, type = RFFT, length = [8, 60] : (tensor<3x8x60xf32>) -> tensor<3x8x31xcomplex<f32>>
  %3 = stablehlo.fft %2, type = IRFFT, length = [8, 60] : (tensor<3x8x31xcomplex<f32>>) -> tensor<3x8x60xf32>
  %4 = stablehlo.fft %z, type = RFFT, length = [1155] : (tensor<2x1155xf32>) -> tensor<2x578xcomplex<f32>>
  %5 = stablehlo.fft %4, type = IRFFT, length = [1155] : (tensor<2x578xcomplex<f32>>) -> tensor<2x1155xf32>
  %s0 = stablehlo.constant dense<0.02> : tensor<3x8x60xf32>
  %s2 = stablehlo.constant dense<0.02> : tensor<3x8x31xf32>
  %s4 = stablehlo.constant dense<0.02> : tensor<2x578xf32>
  %r0 = stablehlo.real %0 : (tensor<3x8x60xcomplex<f32>>) -> tensor<3x8x60xf32>
  %i1 = stablehlo.imag %1 : (tensor<3x8x60xcomplex<f32>>) -> tensor<3x8x60xf32>
  %i2 = stablehlo.imag %2 : (tensor<3x8x31xcomplex<f32>>) -> tensor<3x8x31xf32>
  %r4 = stablehlo.real %4 : (tensor<2x578xcomplex<f32>>) -> tensor<2x578xf32>
  %t0 = stablehlo.multiply %r0, %s0 : tensor<3x8x60xf32>
  %t2 = stablehlo.multiply %i2, %s2 : tensor<3x8x31xf32>
  %t4 = stablehlo.multiply %r4, %s4 : tensor<2x578xf32>
  %6 = stablehlo.imag %0 : (tensor<3x8x60xcomplex<f32>>) -> tensor<3x8x60xf32>
  %7 = stablehlo.multiply %6, %s0 : tensor<3x8x60xf32>
  return %t0, %i1, %t2, %3, %t4, %5, %7 : tensor<3x8x60xf32>, tensor<3x8x60xf32>, tensor<3x8x31xf32>, tensor<3x8x60xf32>, tensor<2x578xf32>, tensor<2x1155xf32>, tensor<3x8x60xf32>
}
