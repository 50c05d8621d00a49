func.func @main() {
  %x = stablehlo.iota dim = 0 : tensor<4xf32>
  %y = stablehlo.custom_call @add_later(%x) {
    api_version = 4 : i32, backend_config = {delay_ms = 20 : i64}
  } : (tensor<4xf32>) -> tensor<4xf32>
  %wanted = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_eq(%y, %wanted) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

// error: x[0] is 100
func.func @main() -> tensor<4xf32> {
  %x = stablehlo.constant dense<100.0> : tensor<4xf32>
  %y = stablehlo.custom_call @add_later(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
