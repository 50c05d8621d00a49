// Windows with strides, dilations and padding, and the elements that windows select.
// inputs: random:1 random:2
// outputs: 3
// kernels: gpu.reduce_window gpu.reduce_window gpu.select_and_scatter
func.func @main(%x: tensor<2x17x19x3xf32>, %s: tensor<2x9x10x3xf32>) -> (tensor<2x9x10x3xf32>, tensor<2x17x31x3xf32>, tensor<2x17x19x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x17x19x3xf32>, tensor<f32>) -> tensor<2x9x10x3xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 3, 4, 1>, base_dilations = array<i64: 1, 1, 2, 1>, window_dilations = array<i64: 1, 2, 3, 1>, padding = dense<[[0, 0], [1, 3], [2, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x17x19x3xf32>, tensor<f32>) -> tensor<2x17x31x3xf32>
  %2 = "stablehlo.select_and_scatter"(%x, %s, %zero) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x17x19x3xf32>, tensor<2x9x10x3xf32>, tensor<f32>) -> tensor<2x17x19x3xf32>
  return %0, %1, %2 : tensor<2x9x10x3xf32>, tensor<2x17x31x3xf32>, tensor<2x17x19x3xf32>
}
