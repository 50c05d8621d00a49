func.func @main() {
  %x = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[4, 5], [6, 7]]> : tensor<2x2xi32>
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[0, 5], [12, 21]]> : tensor<2x2xi32>
  return
}

// -----

func.func @main() {
  // Any computation, to another element type.
  %x = stablehlo.constant dense<[-1.5, 0.0, 2.5]> : tensor<3xf32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.multiply %a, %a : tensor<f32>
    %2 = stablehlo.add %1, %a : tensor<f32>
    %3 = stablehlo.convert %2 : (tensor<f32>) -> tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }) : (tensor<3xf32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[0, 0, 8]> : tensor<3xi32>
  return
}

// -----

// error: map (C3)
func.func @main(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
