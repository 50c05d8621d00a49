func.func @main() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]> : tensor<4xcomplex<f32>>
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_almost_eq_const %0, dense<[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)]> : tensor<4xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  check.expect_almost_eq_const %1, dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]> : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @main() {
  // Real ones, of an odd length: the root of unity is (-1 - i sqrt(3)) / 2.
  %x = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
  %0 = stablehlo.fft %x, type = RFFT, length = [3] : (tensor<3xf64>) -> tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %0, dense<[(7.0, 0.0), (-2.0, 1.7320508075688772)]> : tensor<2xcomplex<f64>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [3] : (tensor<2xcomplex<f64>>) -> tensor<3xf64>
  check.expect_almost_eq_const %1, dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
  return
}

// -----

// error: fft (C
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [3] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
