// The same as the built-in operations: on a CPU, bit for bit; the functions of a GPU are others.
func.func @main() {
  %i = stablehlo.iota dim = 0 : tensor<100003xf32>
  %step = stablehlo.constant dense<0.001> : tensor<100003xf32>
  %start = stablehlo.constant dense<50.0> : tensor<100003xf32>
  %scaled = stablehlo.multiply %i, %step : tensor<100003xf32>
  %x = stablehlo.subtract %scaled, %start : tensor<100003xf32>
  %y = stablehlo.custom_call @softplus(%x) {api_version = 4 : i32} : (tensor<100003xf32>) -> tensor<100003xf32>

  %zero = stablehlo.constant dense<0.0> : tensor<100003xf32>
  %size = stablehlo.abs %x : tensor<100003xf32>
  %less = stablehlo.negate %size : tensor<100003xf32>
  %power = stablehlo.exponential %less : tensor<100003xf32>
  %log = stablehlo.log_plus_one %power : tensor<100003xf32>
  %most = stablehlo.maximum %x, %zero : tensor<100003xf32>
  %expected = stablehlo.add %log, %most : tensor<100003xf32>
  check.expect_almost_eq %y, %expected : tensor<100003xf32>
  return
}
