// The result lies in the operand's storage.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %a = stablehlo.add %x, %x : tensor<3xf32>
  %y, %in_place = stablehlo.custom_call @add_one(%a) {
    api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<
        output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]
  } : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i1>)
  %yes = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @check.expect_eq(%in_place, %yes) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
  check.expect_eq_const %y, dense<[3.0, 5.0, 7.0]> : tensor<3xf32>
  return
}

// -----

// The operand is read again afterwards: the call works on a copy of it.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %a = stablehlo.add %x, %x : tensor<3xf32>
  %y, %in_place = stablehlo.custom_call @add_one(%a) {
    api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<
        output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]
  } : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i1>)
  %difference = stablehlo.subtract %y, %a : tensor<3xf32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @check.expect_eq(%in_place, %yes) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
  check.expect_eq_const %a, dense<[2.0, 4.0, 6.0]> : tensor<3xf32>
  check.expect_eq_const %difference, dense<1.0> : tensor<3xf32>
  return
}

// -----

// Without permission to alias: the result has storage of its own.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %a = stablehlo.add %x, %x : tensor<3xf32>
  %y, %in_place = stablehlo.custom_call @add_one(%a) {api_version = 4 : i32} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i1>)
  %no = stablehlo.constant dense<false> : tensor<i1>
  stablehlo.custom_call @check.expect_eq(%in_place, %no) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
  check.expect_eq_const %y, dense<[3.0, 5.0, 7.0]> : tensor<3xf32>
  return
}

// -----

// A matrix in the layout that the function reads: minor to major, so [0, 1] is column behind column.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %sums = stablehlo.custom_call @column_sums(%x) {
    api_version = 4 : i32,
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]
  } : (tensor<2x3xf32>) -> tensor<3xf32>
  check.expect_eq_const %sums, dense<[5.0, 7.0, 9.0]> : tensor<3xf32>
  return
}

// -----

// Without it the function gets rows, and takes them for columns.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %sums = stablehlo.custom_call @column_sums(%x) {api_version = 4 : i32} : (tensor<2x3xf32>) -> tensor<3xf32>
  check.expect_eq_const %sums, dense<[3.0, 7.0, 11.0]> : tensor<3xf32>
  return
}

// -----

// error: custom_call: alias 0: operand 0 has type tensor<3xf32>, its result tensor<i1>; expected equal types
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y, %in_place = stablehlo.custom_call @add_one(%x) {
    api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<
        output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]
  } : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i1>)
  return %y : tensor<3xf32>
}

// -----

// error: custom_call: operand 0 has layout [0, 0]; expected an order of the dimensions of tensor<2x3xf32>
func.func @main(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  %sums = stablehlo.custom_call @column_sums(%x) {
    api_version = 4 : i32,
    operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]
  } : (tensor<2x3xf32>) -> tensor<3xf32>
  return %sums : tensor<3xf32>
}
