// Sums of all elements up to each one, of which lines have more than two levels of chunks, in both directions; and where what
// padding adds counts.
// inputs: random:1 random:2
// outputs: 3
// kernels: gpu.reduce_window gpu.reduce_window gpu.reduce_window
func.func @main(%x: tensor<3x3000x2xf32>, %y: tensor<2x1100xf64>) -> (tensor<3x3000x2xf32>, tensor<2x1100xf64>, tensor<2x1100xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zero64 = stablehlo.constant dense<0.0> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 3000, 1>, padding = dense<[[0, 0], [2999, 0], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x3000x2xf32>, tensor<f32>) -> tensor<3x3000x2xf32>
  %1 = "stablehlo.reduce_window"(%y, %zero64) <{window_dimensions = array<i64: 1, 1100>, padding = dense<[[0, 0], [0, 1099]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2x1100xf64>, tensor<f64>) -> tensor<2x1100xf64>
  %2 = "stablehlo.reduce_window"(%y, %one) <{window_dimensions = array<i64: 1, 1100>, padding = dense<[[0, 0], [1099, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<2x1100xf64>, tensor<f64>) -> tensor<2x1100xf64>
  return %0, %1, %2 : tensor<3x3000x2xf32>, tensor<2x1100xf64>, tensor<2x1100xf64>
}
