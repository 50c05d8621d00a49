// Complex numbers: made of parts, in a fusion, compared, moved, folded and cumulated.
// inputs: random:1 random:2
// outputs: 5
// kernels: gpu.tenon.fusion gpu.concatenate gpu.reduce_window gpu.iota
func.func @main(%x: tensor<40x50xf32>, %y: tensor<40x50xf32>) -> (tensor<40x50xf32>, tensor<40xcomplex<f32>>, tensor<80x50xcomplex<f32>>, tensor<40x50xcomplex<f32>>, tensor<5xcomplex<f32>>) {
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %two = stablehlo.constant dense<(2.0, -1.0)> : tensor<40x50xcomplex<f32>>
  %z = stablehlo.complex %x, %y : tensor<40x50xcomplex<f32>>
  %0 = stablehlo.multiply %z, %two : tensor<40x50xcomplex<f32>>
  %1 = chlo.conj %0 : tensor<40x50xcomplex<f32>> -> tensor<40x50xcomplex<f32>>
  %2 = stablehlo.subtract %1, %z : tensor<40x50xcomplex<f32>>
  %3 = stablehlo.negate %2 : tensor<40x50xcomplex<f32>>
  %4 = stablehlo.compare NE, %3, %z : (tensor<40x50xcomplex<f32>>, tensor<40x50xcomplex<f32>>) -> tensor<40x50xi1>
  %5 = stablehlo.select %4, %3, %z : tensor<40x50xi1>, tensor<40x50xcomplex<f32>>
  %6 = stablehlo.abs %5 : (tensor<40x50xcomplex<f32>>) -> tensor<40x50xf32>
  %7 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<40x50xcomplex<f32>>, tensor<complex<f32>>) -> tensor<40xcomplex<f32>>
  %8 = stablehlo.concatenate %5, %z, dim = 0 : (tensor<40x50xcomplex<f32>>, tensor<40x50xcomplex<f32>>) -> tensor<80x50xcomplex<f32>>
  %9 = "stablehlo.reduce_window"(%5, %zero) <{window_dimensions = array<i64: 40, 1>, padding = dense<[[39, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %s = stablehlo.add %a, %b : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<40x50xcomplex<f32>>, tensor<complex<f32>>) -> tensor<40x50xcomplex<f32>>
  %10 = stablehlo.iota dim = 0 : tensor<5xcomplex<f32>>
  return %6, %7, %8, %9, %10 : tensor<40x50xf32>, tensor<40xcomplex<f32>>, tensor<80x50xcomplex<f32>>, tensor<40x50xcomplex<f32>>, tensor<5xcomplex<f32>>
}
