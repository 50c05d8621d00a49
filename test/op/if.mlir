func.func @main() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %y = stablehlo.negate %x : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  return
}

// -----

func.func @main() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<i32>
  }, {
    %y = stablehlo.negate %x : tensor<i32>
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  check.expect_eq_const %0, dense<-1> : tensor<i32>
  return
}
