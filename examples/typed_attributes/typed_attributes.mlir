func.func @main() {
  %x = stablehlo.constant dense<5.0> : tensor<f32>

  %copied = stablehlo.custom_call @copy(%x) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>
  stablehlo.custom_call @check.expect_eq(%copied, %x) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()

  %a = stablehlo.custom_call @scalar_attributes(%x) {
    api_version = 4 : i32, backend_config = {i32 = 42 : i32, str = "string"}
  } : (tensor<f32>) -> tensor<f32>
  %a_wanted = stablehlo.constant dense<53.0> : tensor<f32>
  stablehlo.custom_call @check.expect_eq(%a, %a_wanted) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()

  %b = stablehlo.custom_call @enum_attribute(%x) {
    api_version = 4 : i32, backend_config = {command = 0 : i32}
  } : (tensor<f32>) -> tensor<f32>
  %b_wanted = stablehlo.constant dense<10.0> : tensor<f32>
  stablehlo.custom_call @check.expect_eq(%b, %b_wanted) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()

  %c = stablehlo.custom_call @struct_attribute(%x) {
    api_version = 4 : i32, backend_config = {range = {lo = 0 : i64, hi = 3 : i64}}
  } : (tensor<f32>) -> tensor<f32>
  %c_wanted = stablehlo.constant dense<3.0> : tensor<f32>
  stablehlo.custom_call @check.expect_eq(%c, %c_wanted) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()

  %pair = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0:2 = stablehlo.custom_call @reverse_all(%x, %pair) {api_version = 4 : i32}
      : (tensor<f32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<f32>)
  stablehlo.custom_call @check.expect_eq(%0#0, %pair) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  stablehlo.custom_call @check.expect_eq(%0#1, %x) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  return
}

// -----

// Nothing but the function's declaration is needed to find these: no program runs.
// error: did you mean i32
func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<5.0> : tensor<f32>
  %y = stablehlo.custom_call @scalar_attributes(%x) {
    api_version = 4 : i32, backend_config = {i23 = 42 : i32}
  } : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// error: attribute "range": attribute "hi" is missing
func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<5.0> : tensor<f32>
  %y = stablehlo.custom_call @struct_attribute(%x) {
    api_version = 4 : i32, backend_config = {range = {lo = 0 : i64}}
  } : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// An enumeration is exactly the integer that it was declared as.
// error: attribute "command" is 0 : i64; expected enum_of(command_t, int32_t)
func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<5.0> : tensor<f32>
  %y = stablehlo.custom_call @enum_attribute(%x) {
    api_version = 4 : i32, backend_config = {command = 0 : i64}
  } : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// error: INTERNAL: always_error: Oops!
func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<5.0> : tensor<f32>
  %y = stablehlo.custom_call @always_error(%x) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
