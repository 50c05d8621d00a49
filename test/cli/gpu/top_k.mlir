// The largest of 3000 and where they are; a map by a body; bits as another dtype; and the inverse of erf.
// inputs: random:1 random:2
// outputs: 5
// kernels: gpu.chlo.top_k gpu.map gpu.bitcast_convert gpu.slice gpu.chlo.erf_inv
func.func @main(%x: tensor<4x3000xf32>, %y: tensor<300xf32>) -> (tensor<4x50xf32>, tensor<4x50xi32>, tensor<300xf32>, tensor<300xui16>, tensor<300xf32>) {
  %0, %1 = chlo.top_k(%x, k = 50) : tensor<4x3000xf32> -> (tensor<4x50xf32>, tensor<4x50xi32>)
  %2 = "stablehlo.map"(%y, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    %t = stablehlo.multiply %s, %a : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  %3 = stablehlo.bitcast_convert %y : (tensor<300xf32>) -> tensor<300x2xui16>
  %4 = stablehlo.slice %3 [0:300, 1:2] : (tensor<300x2xui16>) -> tensor<300x1xui16>
  %5 = stablehlo.reshape %4 : (tensor<300x1xui16>) -> tensor<300xui16>
  %7 = chlo.erf_inv %y : tensor<300xf32> -> tensor<300xf32>
  return %0, %1, %2, %5, %7 : tensor<4x50xf32>, tensor<4x50xi32>, tensor<300xf32>, tensor<300xui16>, tensor<300xf32>
}
