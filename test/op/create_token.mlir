func.func @main() {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  %x = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %x, dense<1> : tensor<i32>
  return
}

// -----

// error: create_token: result has type tensor<i32>; expected !stablehlo.token
func.func @main() -> tensor<i32> {
  %0 = "stablehlo.create_token"() : () -> tensor<i32>
  return %0 : tensor<i32>
}
