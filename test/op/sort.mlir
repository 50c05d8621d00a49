func.func @main() {
  // Each row by its keys, from the greatest; the second operand goes along. Equal keys stay in order.
  %keys = stablehlo.constant dense<[[1, 3, 2], [5, 4, 5]]> : tensor<2x3xi32>
  %values = stablehlo.constant dense<[[10, 30, 20], [1, 2, 3]]> : tensor<2x3xi64>
  %0:2 = "stablehlo.sort"(%keys, %values) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i64>, %d: tensor<i64>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xi32>, tensor<2x3xi64>) -> (tensor<2x3xi32>, tensor<2x3xi64>)
  check.expect_eq_const %0#0, dense<[[3, 2, 1], [5, 5, 4]]> : tensor<2x3xi32>
  check.expect_eq_const %0#1, dense<[[30, 20, 10], [1, 3, 2]]> : tensor<2x3xi64>
  return
}

// -----

func.func @main() {
  // Columns, by an order that is no single comparison: the distance from 4.
  %x = stablehlo.constant dense<[[1, 9], [5, 4], [7, 2]]> : tensor<3x2xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %four = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.subtract %a, %four : tensor<i32>
    %2 = stablehlo.subtract %b, %four : tensor<i32>
    %3 = stablehlo.abs %1 : tensor<i32>
    %4 = stablehlo.abs %2 : tensor<i32>
    %5 = stablehlo.compare LT, %3, %4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<3x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[5, 4], [1, 2], [7, 9]]> : tensor<3x2xi32>
  return
}

// -----

func.func @main() {
  // In the total order both zeros and NaN have a place.
  %x = stablehlo.constant dense<[0x7FC00000, 1.0, 0.0, 0x80000000, 0xFF800000]> : tensor<5xf32>
  %i = stablehlo.iota dim = 0 : tensor<5xi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)
  check.expect_eq_const %0#1, dense<[4, 3, 2, 1, 0]> : tensor<5xi32>
  return
}

// -----

// error: sort (C4)
func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
