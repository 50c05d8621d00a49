func.func @main() {
  %0 = stablehlo.constant dense<[0x7F800000, -1.5e+3, 1.]> : tensor<3xf32>
  %1 = stablehlo.constant dense<"0x0102ff"> : tensor<3xi8>
  %2 = stablehlo.constant dense<[[255, -128], [0, 0x1F]]> : tensor<2x2xi8>
  %3 = stablehlo.constant dense<[0x7, 6.0, -0.5]> : tensor<3xf4E2M1FN>
  %4 = stablehlo.constant dense_resource<w> : tensor<1xf32>
  %5 = stablehlo.constant dense<> : tensor<0x10xbf16>
  %6 = stablehlo.constant dense<(1.0, -0.0)> : tensor<complex<f64>>
  %7 = stablehlo.constant sparse<[0], 3> : tensor<4xui2>
  return
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F" } } #-}
