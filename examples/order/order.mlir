// Two calls with side effects are two calls, in the order of the program.
func.func @main() {
  %a = stablehlo.custom_call @ticket() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<i32>
  %b = stablehlo.custom_call @ticket() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<i32>
  %difference = stablehlo.subtract %b, %a : tensor<i32>
  check.expect_eq_const %difference, dense<1> : tensor<i32>
  return
}

// -----

// Without side effects equal calls are one: both have drawn the same ticket.
func.func @main() {
  %a = stablehlo.custom_call @ticket() {api_version = 4 : i32} : () -> tensor<i32>
  %b = stablehlo.custom_call @ticket() {api_version = 4 : i32} : () -> tensor<i32>
  %difference = stablehlo.subtract %b, %a : tensor<i32>
  check.expect_eq_const %difference, dense<0> : tensor<i32>
  return
}

// -----

// A call with side effects is made though its result is unused; one without is not.
func.func @main() {
  %a = stablehlo.custom_call @ticket() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<i32>
  %unread = stablehlo.custom_call @ticket() {api_version = 4 : i32} : () -> tensor<i32>
  %made = stablehlo.custom_call @ticket() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<i32>
  %b = stablehlo.custom_call @ticket() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<i32>
  %difference = stablehlo.subtract %b, %a : tensor<i32>
  check.expect_eq_const %difference, dense<2> : tensor<i32>
  return
}

// -----

// Tokens order calls by what they need: the second waits for the first, wherever it stands.
func.func @main() {
  %start = stablehlo.create_token : !stablehlo.token
  %t1, %a = stablehlo.custom_call @ticket_behind(%start) {api_version = 4 : i32}
      : (!stablehlo.token) -> (!stablehlo.token, tensor<i32>)
  %t2, %b = stablehlo.custom_call @ticket_behind(%t1) {api_version = 4 : i32}
      : (!stablehlo.token) -> (!stablehlo.token, tensor<i32>)
  %difference = stablehlo.subtract %b, %a : tensor<i32>
  check.expect_eq_const %difference, dense<1> : tensor<i32>
  return
}

// -----

// Of calls that are ready, `earliest` runs before the others and `latest` behind them.
func.func @main() {
  %last = stablehlo.custom_call @ticket() {api_version = 4 : i32, tenon.schedule = "latest"} : () -> tensor<i32>
  %a = stablehlo.custom_call @ticket() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<i32>
  %b = stablehlo.custom_call @ticket() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<i32>
  %first = stablehlo.custom_call @ticket() {api_version = 4 : i32, tenon.schedule = "earliest"} : () -> tensor<i32>
  %from_first = stablehlo.subtract %a, %first : tensor<i32>
  %to_last = stablehlo.subtract %last, %b : tensor<i32>
  check.expect_eq_const %from_first, dense<1> : tensor<i32>
  check.expect_eq_const %to_last, dense<1> : tensor<i32>
  return
}

// -----

// Calls with other literals, which only the compiler sees, are other calls.
func.func @main() {
  %a = stablehlo.custom_call @ticket() {api_version = 4 : i32, tenon.literal = dense<1.0> : tensor<f32>} : () -> tensor<i32>
  %b = stablehlo.custom_call @ticket() {api_version = 4 : i32, tenon.literal = dense<2.0> : tensor<f32>} : () -> tensor<i32>
  %c = stablehlo.custom_call @ticket() {api_version = 4 : i32, tenon.literal = dense<1.0> : tensor<f32>} : () -> tensor<i32>
  %same = stablehlo.subtract %c, %a : tensor<i32>
  %other = stablehlo.subtract %b, %a : tensor<i32>
  %distance = stablehlo.abs %other : tensor<i32>
  check.expect_eq_const %same, dense<0> : tensor<i32>
  check.expect_eq_const %distance, dense<1> : tensor<i32>
  return
}

// -----

// error: custom_call: tenon.schedule is not a schedule; expected "none", "earliest" or "latest"
func.func @main() -> tensor<i32> {
  %a = stablehlo.custom_call @ticket() {api_version = 4 : i32, tenon.schedule = "soon"} : () -> tensor<i32>
  return %a : tensor<i32>
}
