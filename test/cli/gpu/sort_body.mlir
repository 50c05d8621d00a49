// By an order that no keys say: the distance from one half, of bf16.
// inputs: random:1
// outputs: 1
// kernels: gpu.sort gpu.convert
func.func @main(%x: tensor<4x777xbf16>) -> tensor<4x777xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %half = stablehlo.constant dense<0.5> : tensor<bf16>
    %1 = stablehlo.subtract %a, %half : tensor<bf16>
    %2 = stablehlo.subtract %b, %half : tensor<bf16>
    %3 = stablehlo.abs %1 : tensor<bf16>
    %4 = stablehlo.abs %2 : tensor<bf16>
    %5 = stablehlo.compare LT, %3, %4 : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<4x777xbf16>) -> tensor<4x777xbf16>
  %6 = stablehlo.convert %0 : (tensor<4x777xbf16>) -> tensor<4x777xf32>
  return %6 : tensor<4x777xf32>
}
