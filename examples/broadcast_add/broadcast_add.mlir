// a[i] = b[i % 128] + c[i] in four ways that agree.
func.func @main() {
  %b = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.iota dim = 0 : tensor<2048xf32>

  %fixed = stablehlo.custom_call @add_fixed(%b, %c) : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>

  %b_size = stablehlo.constant dense<128> : tensor<i64>
  %c_size = stablehlo.constant dense<2048> : tensor<i64>
  %sized = stablehlo.custom_call @add_sized(%b, %c, %b_size, %c_size)
      : (tensor<128xf32>, tensor<2048xf32>, tensor<i64>, tensor<i64>) -> tensor<2048xf32>

  %typed = stablehlo.custom_call @broadcast_add(%b, %c) {api_version = 4 : i32}
      : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>

  %rows = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<16x128xf32>
  %repeated = stablehlo.reshape %rows : (tensor<16x128xf32>) -> tensor<2048xf32>
  %plain = stablehlo.add %repeated, %c : tensor<2048xf32>

  stablehlo.custom_call @check.expect_eq(%fixed, %plain) {has_side_effect = true} : (tensor<2048xf32>, tensor<2048xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%sized, %plain) {has_side_effect = true} : (tensor<2048xf32>, tensor<2048xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%typed, %plain) {has_side_effect = true} : (tensor<2048xf32>, tensor<2048xf32>) -> ()
  return
}

// -----

// The result is not as long as c: found when the program is compiled.
// error: result 0 (a) has type tensor<128xf32>; expected the shape of c
func.func @main() -> tensor<128xf32> {
  %b = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.iota dim = 0 : tensor<2048xf32>
  %a = stablehlo.custom_call @broadcast_add(%b, %c) {api_version = 4 : i32}
      : (tensor<128xf32>, tensor<2048xf32>) -> tensor<128xf32>
  return %a : tensor<128xf32>
}

// -----

// Only the function itself knows that 100 does not divide 2048: found when the program runs.
// error: c has 2048 elements, which 100 of b do not divide
func.func @main() -> tensor<2048xf32> {
  %b = stablehlo.iota dim = 0 : tensor<100xf32>
  %c = stablehlo.iota dim = 0 : tensor<2048xf32>
  %a = stablehlo.custom_call @broadcast_add(%b, %c) {api_version = 4 : i32}
      : (tensor<100xf32>, tensor<2048xf32>) -> tensor<2048xf32>
  return %a : tensor<2048xf32>
}
