// Two calls in one program have a state each.
func.func @main() {
  %x = stablehlo.constant dense<8.0> : tensor<f64>
  %0:2 = stablehlo.custom_call @moving_average(%x) {
    api_version = 4 : i32, has_side_effect = true, backend_config = {weight = 0.5 : f64}
  } : (tensor<f64>) -> (tensor<f64>, tensor<i64>)
  %1:2 = stablehlo.custom_call @moving_average(%x) {
    api_version = 4 : i32, has_side_effect = true, backend_config = {weight = 0.25 : f64}
  } : (tensor<f64>) -> (tensor<f64>, tensor<i64>)
  %four = stablehlo.constant dense<4.0> : tensor<f64>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  stablehlo.custom_call @check.expect_eq(%0#0, %four) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  stablehlo.custom_call @check.expect_eq(%1#0, %two) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  return
}

// -----

// error: error: custom call @moving_average: INVALID_ARGUMENT: moving_average: weight is 1.5
func.func @main() -> (tensor<f64>, tensor<i64>) {
  %x = stablehlo.constant dense<8.0> : tensor<f64>
  %0:2 = stablehlo.custom_call @moving_average(%x) {
    api_version = 4 : i32, has_side_effect = true, backend_config = {weight = 1.5 : f64}
  } : (tensor<f64>) -> (tensor<f64>, tensor<i64>)
  return %0#0, %0#1 : tensor<f64>, tensor<i64>
}
