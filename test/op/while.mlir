func.func @main() {
  // 1 + 2 + ... + 10
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %one, %sum = %zero) : tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LE, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %more = stablehlo.add %sum, %i : tensor<i32>
    stablehlo.return %next, %more : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#1, dense<55> : tensor<i32>
  return
}

// -----

func.func @main() {
  // The carries change places, all at once.
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %y, %x : tensor<i32>, tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#1, dense<2> : tensor<i32>
  check.expect_eq_const %0#2, dense<1> : tensor<i32>
  return
}
