func.func @main() {
  // Sums so far, and the sum of all.
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %0:2 = chlo.scan(%x) inits(%zero) dimension=1 {
  ^bb0(%a: tensor<2xi32>, %sum: tensor<2xi32>):
    %1 = stablehlo.add %a, %sum : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[[1, 3, 6], [4, 9, 15]]> : tensor<2x3xi32>
  check.expect_eq_const %0#1, dense<[6, 15]> : tensor<2xi32>
  return
}

// -----

func.func @main() {
  // From the end, with two carried values that change places.
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %p = stablehlo.constant dense<10> : tensor<i32>
  %q = stablehlo.constant dense<20> : tensor<i32>
  %0:3 = chlo.scan(%x) inits(%p, %q) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.add %a, %c : tensor<i32>
    stablehlo.return %1, %d, %c : tensor<i32>, tensor<i32>, tensor<i32>
  } : (tensor<3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[11, 22, 13]> : tensor<3xi32>
  check.expect_eq_const %0#1, dense<20> : tensor<i32>
  check.expect_eq_const %0#2, dense<10> : tensor<i32>
  return
}

// -----

// error: scan: dimension is 1; expected a dimension of a tensor of rank 1
func.func @main(%x: tensor<3xi32>, %zero: tensor<i32>) -> tensor<3xi32> {
  %0:2 = chlo.scan(%x) inits(%zero) dimension=1 {
  ^bb0(%a: tensor<i32>, %sum: tensor<i32>):
    %1 = stablehlo.add %a, %sum : tensor<i32>
    stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
  } : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  return %0#0 : tensor<3xi32>
}
