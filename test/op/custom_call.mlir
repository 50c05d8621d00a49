// error: nowhere
func.func @main() -> tensor<i32> {
  %0 = stablehlo.custom_call @nowhere() : () -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%a, %a) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  return
}

// -----

// error: called_computations names @comparatr; expected a function of the module
func.func @main() -> tensor<i32> {
  %0 = stablehlo.custom_call @f() {called_computations = [@comparatr]} : () -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @comparator(%a: tensor<i32>) -> tensor<i32> {
  return %a : tensor<i32>
}

// -----

// error: did you mean @comparator?
func.func @main() -> tensor<i32> {
  %0 = stablehlo.custom_call @f() {called_computations = [@comparatr]} : () -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @comparator(%a: tensor<i32>) -> tensor<i32> {
  return %a : tensor<i32>
}
