// 5000 elements in columns, with equal keys, in the order of the first operand; the second one goes along.
// inputs: random:1
// outputs: 2
// kernels: gpu.tenon.fusion gpu.iota gpu.sort
func.func @main(%x: tensor<5000x3xf32>) -> (tensor<5000x3xf32>, tensor<5000x3xi32>) {
  %ten = stablehlo.constant dense<10.0> : tensor<5000x3xf32>
  %0 = stablehlo.multiply %x, %ten : tensor<5000x3xf32>
  %1 = stablehlo.floor %0 : tensor<5000x3xf32>
  %2 = stablehlo.iota dim = 0 : tensor<5000x3xi32>
  %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %4 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<5000x3xf32>, tensor<5000x3xi32>) -> (tensor<5000x3xf32>, tensor<5000x3xi32>)
  return %3#0, %3#1 : tensor<5000x3xf32>, tensor<5000x3xi32>
}
