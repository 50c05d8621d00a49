// A name that is not registered.
// error: custom call @rots: nothing is registered for platform Host
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = stablehlo.custom_call @rots(%x) {api_version = 2 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// The same: a near name is suggested.
// error: did you mean @roots
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = stablehlo.custom_call @rots(%x) {api_version = 2 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Another api version than the function's.
// error: custom call @roots: it is called with api version 4 (typed FFI), but registered for api version 2 (legacy, with a status)
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = stablehlo.custom_call @roots(%x) {api_version = 4 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// error: custom call @broadcast_add: has 1 operand; expected 2
func.func @main(%b: tensor<128xf32>) -> tensor<128xf32> {
  %a = stablehlo.custom_call @broadcast_add(%b) {api_version = 4 : i32} : (tensor<128xf32>) -> tensor<128xf32>
  return %a : tensor<128xf32>
}

// -----

// error: custom call @broadcast_add: operand 1 (c) has type tensor<2048xf64>; expected elements of f32
func.func @main(%b: tensor<128xf32>, %c: tensor<2048xf64>) -> tensor<2048xf64> {
  %a = stablehlo.custom_call @broadcast_add(%b, %c) {api_version = 4 : i32}
      : (tensor<128xf32>, tensor<2048xf64>) -> tensor<2048xf64>
  return %a : tensor<2048xf64>
}

// -----

// error: custom call @broadcast_add: result 0 (a) has type tensor<128xf32>; expected the shape of c, which has type tensor<2048xf32>
func.func @main(%b: tensor<128xf32>, %c: tensor<2048xf32>) -> tensor<128xf32> {
  %a = stablehlo.custom_call @broadcast_add(%b, %c) {api_version = 4 : i32}
      : (tensor<128xf32>, tensor<2048xf32>) -> tensor<128xf32>
  return %a : tensor<128xf32>
}

// -----

// error: custom call @scalar_attributes: there is no attribute "i23"
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @scalar_attributes(%x) {api_version = 4 : i32, backend_config = {i23 = 42 : i32}}
      : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// error: custom call @scalar_attributes: attribute "i32" is missing; expected int32_t
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @scalar_attributes(%x) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// error: custom call @scalar_attributes: attribute "i32" is 4200000000 : i64; expected int32_t
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @scalar_attributes(%x) {api_version = 4 : i32, backend_config = {i32 = 4200000000 : i64}}
      : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// error: custom call @enum_attribute: attribute "command" is 0 : i64; expected enum_of(command_t, int32_t)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @enum_attribute(%x) {api_version = 4 : i32, backend_config = {command = 0 : i64}}
      : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// error: custom call @struct_attribute: attribute "range": attribute "hi" is missing; expected int64_t
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @struct_attribute(%x) {api_version = 4 : i32, backend_config = {range = {lo = 0 : i64}}}
      : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A string may be a dictionary, in braces; the place is the one in it.
// error: backend_config:1:5: error: custom call @scalar_attributes: expected the end of the attribute; found `=`
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.custom_call @scalar_attributes(%x) {api_version = 4 : i32, backend_config = "i32 = 42"}
      : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// What only the function can find ends the run.
// error: custom call @roots: INTERNAL: x[0] is -2, which has no root
func.func @main() -> tensor<8xf32> {
  %x = stablehlo.constant dense<-2.0> : tensor<8xf32>
  %y = stablehlo.custom_call @roots(%x) {api_version = 2 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// error: custom call @sum_leaves: INVALID_ARGUMENT: sum_leaves: the results are not of 512 and 1024 elements
func.func @main() -> tensor<512xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0:2 = stablehlo.custom_call @sum_leaves(%x) {api_version = 4 : i32}
      : (tensor<8xf32>) -> (tensor<512xf32>, tensor<512xf32>)
  return %0#0 : tensor<512xf32>
}
