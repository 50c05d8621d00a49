func.func @main() {
  %x = stablehlo.constant dense<2.0> : tensor<10000xf32>
  %length = stablehlo.custom_call @length(%x) {api_version = 4 : i32} : (tensor<10000xf32>) -> tensor<f32>
  check.expect_almost_eq_const %length, dense<200.0> : tensor<f32>
  return
}

// -----

// The caller passes no number to add to.
// error: custom call @tally: NOT_FOUND: User data with type id 77 not found in execution context
func.func @main() -> tensor<f64> {
  %x = stablehlo.constant dense<2.0> : tensor<f64>
  %sum, %run, %device = stablehlo.custom_call @tally(%x) {api_version = 4 : i32, backend_config = {type = 77 : i64}}
      : (tensor<f64>) -> (tensor<f64>, tensor<i64>, tensor<i32>)
  return %sum : tensor<f64>
}
