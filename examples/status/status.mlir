func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0]> : tensor<8xf32>
  %y = stablehlo.custom_call @roots(%x) {api_version = 2 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  %wanted = stablehlo.iota dim = 0 : tensor<8xf32>
  stablehlo.custom_call @check.expect_eq(%y, %wanted) {has_side_effect = true} : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}

// -----

// error: x[0] is -2, which has no root
func.func @main() -> tensor<8xf32> {
  %x = stablehlo.constant dense<-2.0> : tensor<8xf32>
  %y = stablehlo.custom_call @roots(%x) {api_version = 2 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// A function with a status is not called as one without.
// error: api version
func.func @main() -> tensor<8xf32> {
  %x = stablehlo.constant dense<4.0> : tensor<8xf32>
  %y = stablehlo.custom_call @roots(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
