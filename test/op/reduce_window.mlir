func.func @main() {
  // Sums of 2 by 2, two steps apart.
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2x4xi32>, tensor<i32>) -> tensor<1x2xi32>
  check.expect_eq_const %0, dense<[[14, 22]]> : tensor<1x2xi32>
  return
}

// -----

func.func @main() {
  // Padding and the holes between elements count as the initial value: 1 . 2 . 3 with one more on the left, every
  // other place of 3.
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %init = stablehlo.constant dense<-1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{
    window_dimensions = array<i64: 2>, window_dilations = array<i64: 2>, base_dilations = array<i64: 2>,
    padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[-1.0, 2.0, -1.0, 3.0]> : tensor<4xf32>
  return
}

// -----

func.func @main() {
  // Sums so far.
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f16>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %1 = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %1 : tensor<f16>
  }) : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  check.expect_eq_const %0, dense<[1.0, 3.0, 6.0, 10.0]> : tensor<4xf16>
  return
}

// -----

func.func @main() {
  // Two carried values that change places with every element.
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %p = stablehlo.constant dense<100> : tensor<i32>
  %q = stablehlo.constant dense<1000> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%x, %x, %p, %q) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    stablehlo.return %b, %a : tensor<i32>, tensor<i32>
  }) : (tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<1000> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<100> : tensor<2xi32>
  return
}

// -----

// error: reduce_window (C5)
func.func @main(%x: tensor<3xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
