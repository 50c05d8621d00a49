func.func @main() {
  // The greatest of each window of 2 gets the window's number added to the initial value.
  %x = stablehlo.constant dense<[1.0, 5.0, 4.0, 2.0]> : tensor<4xf32>
  %source = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %init = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %init) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[0.5, 10.5, 20.5, 0.5]> : tensor<4xf32>
  return
}

// -----

func.func @main() {
  // Windows that overlap may choose the same element; padding is never chosen.
  %x = stablehlo.constant dense<[-3, -1, -2]> : tensor<3xi32>
  %source = stablehlo.constant dense<[1, 10, 100, 1000]> : tensor<4xi32>
  %init = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %init) <{window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<3xi32>, tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[1, 110, 1000]> : tensor<3xi32>
  return
}

// -----

// error: select_and_scatter (C2)
func.func @main(%x: tensor<4xf32>, %source: tensor<3xf32>, %init: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %source, %init) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
