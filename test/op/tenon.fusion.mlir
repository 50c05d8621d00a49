func.func @main() {
  // Element-wise operations, one of which reads a broadcast.
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %0:2 = "tenon.fusion"(%x, %b) ({
  ^bb0(%a: tensor<2x3xf32>, %c: tensor<3xf32>):
    %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.add %a, %1 : tensor<2x3xf32>
    %3 = stablehlo.negate %2 : tensor<2x3xf32>
    stablehlo.return %3, %2 : tensor<2x3xf32>, tensor<2x3xf32>
  }) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  check.expect_eq_const %0#0, dense<[[-11.0, -22.0, -33.0], [-14.0, -25.0, -36.0]]> : tensor<2x3xf32>
  check.expect_eq_const %0#1, dense<[[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]> : tensor<2x3xf32>
  return
}

// -----

func.func @main() {
  // Two reductions of rows, an operation of one element a row, and members that read its result.
  %x = stablehlo.constant dense<[[1.0, 3.0], [2.0, 6.0], [0.0, 8.0]]> : tensor<3x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<2.0> : tensor<f32>
  %0:2 = "tenon.fusion"(%x, %z, %n) ({
  ^bb0(%a: tensor<3x2xf32>, %zero: tensor<f32>, %two: tensor<f32>):
    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.reshape %1 : (tensor<3xf32>) -> tensor<3x1xf32>
    %3 = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<3x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x2xf32>
    %6 = stablehlo.subtract %a, %5 : tensor<3x2xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<3x2xf32>
    %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
    stablehlo.return %6, %8 : tensor<3x2xf32>, tensor<3xf32>
  }) : (tensor<3x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x2xf32>, tensor<3xf32>)
  check.expect_eq_const %0#0, dense<[[-1.0, 1.0], [-2.0, 2.0], [-4.0, 4.0]]> : tensor<3x2xf32>
  check.expect_eq_const %0#1, dense<[2.0, 8.0, 32.0]> : tensor<3xf32>
  return
}

// -----

func.func @main() {
  // A reduction at the end, of columns.
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<100> : tensor<i32>
  %0 = "tenon.fusion"(%x, %z) ({
  ^bb0(%a: tensor<2x3xi32>, %zero: tensor<i32>):
    %1 = stablehlo.multiply %a, %a : tensor<2x3xi32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
    stablehlo.return %2 : tensor<3xi32>
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[117, 129, 145]> : tensor<3xi32>
  return
}

// -----

func.func @main() {
  // Indices, the elements of a list that they say, and what is made of these.
  %x = stablehlo.constant dense<[1.0, 3.0, 5.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<[[2, 0], [9, -4]]> : tensor<2x2xi32>
  %0 = "tenon.fusion"(%x, %i) ({
  ^bb0(%list: tensor<3xf32>, %a: tensor<2x2xi32>):
    %1 = stablehlo.add %a, %a : tensor<2x2xi32>
    %2 = "stablehlo.gather"(%list, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
    %3 = stablehlo.negate %2 : tensor<2x2xf32>
    stablehlo.return %3 : tensor<2x2xf32>
  }) : (tensor<3xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[-5.0, -1.0], [-5.0, -1.0]]> : tensor<2x2xf32>
  return
}

// -----

func.func @main() {
  // What no tile can do: a reduction with a body of its own, and columns that are read back.
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "tenon.fusion"(%x, %z) ({
  ^bb0(%a: tensor<2x2xi32>, %zero: tensor<i32>):
    %1 = stablehlo.reduce(%a init: %zero) across dimensions = [0] : (tensor<2x2xi32>, tensor<i32>) -> tensor<2xi32>
    reducer(%p: tensor<i32>, %q: tensor<i32>) {
      %r = stablehlo.subtract %q, %p : tensor<i32>
      stablehlo.return %r : tensor<i32>
    }
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<2xi32>) -> tensor<2x2xi32>
    %3 = stablehlo.add %a, %2 : tensor<2x2xi32>
    stablehlo.return %3, %a : tensor<2x2xi32>, tensor<2x2xi32>
  }) : (tensor<2x2xi32>, tensor<i32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[3, 4], [5, 6]]> : tensor<2x2xi32>
  check.expect_eq_const %0#1, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return
}

// -----

func.func @main() {
  // Arrays without elements, rows without elements.
  %x = stablehlo.constant dense<> : tensor<3x0xf32>
  %z = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "tenon.fusion"(%x, %z) ({
  ^bb0(%a: tensor<3x0xf32>, %zero: tensor<f32>):
    %1 = stablehlo.negate %a : tensor<3x0xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
    stablehlo.return %2 : tensor<3xf32>
  }) : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<2.0> : tensor<3xf32>
  return
}

// -----

func.func @main() {
  // Transposes and reverses of what members give, a result that is given twice.
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0:2 = "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<2x2xi32>):
    %1 = stablehlo.negate %a : tensor<2x2xi32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %3 = stablehlo.add %1, %2 : tensor<2x2xi32>
    stablehlo.return %3, %3 : tensor<2x2xi32>, tensor<2x2xi32>
  }) : (tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[-2, -5], [-5, -8]]> : tensor<2x2xi32>
  check.expect_eq_const %0#1, dense<[[-2, -5], [-5, -8]]> : tensor<2x2xi32>
  return
}

// -----

func.func @main() {
  // One row: the whole array. Its sum is read as a scalar, and begins another reduction.
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<9xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "tenon.fusion"(%x, %z) ({
  ^bb0(%a: tensor<9xi32>, %zero: tensor<i32>):
    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9xi32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.clamp %zero, %a, %1 : (tensor<i32>, tensor<9xi32>, tensor<i32>) -> tensor<9xi32>
    %3 = stablehlo.reduce(%2 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<9xi32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %2, %3 : tensor<9xi32>, tensor<i32>
  }) : (tensor<9xi32>, tensor<i32>) -> (tensor<9xi32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<9xi32>
  check.expect_eq_const %0#1, dense<90> : tensor<i32>
  return
}

// -----

func.func @main() {
  // An argument of rows, a strided one, and a slice in the region.
  %x = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9], [9, 8, 7, 6, 5, 4, 3, 2, 1]]> : tensor<2x9xi32>
  %r = stablehlo.constant dense<[[10, 11], [20, 21]]> : tensor<2x2xi32>
  %t = stablehlo.transpose %r, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "tenon.fusion"(%x, %t, %z) ({
  ^bb0(%a: tensor<2x9xi32>, %b: tensor<2x2xi32>, %zero: tensor<i32>):
    %1 = stablehlo.slice %b [0:2, 1:2] : (tensor<2x2xi32>) -> tensor<2x1xi32>
    %2 = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<2x9xi32>, tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.reshape %2 : (tensor<2xi32>) -> tensor<2x1xi32>
    %4 = stablehlo.add %3, %1 : tensor<2x1xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x9xi32>
    %6 = stablehlo.subtract %a, %5 : tensor<2x9xi32>
    stablehlo.return %6, %4 : tensor<2x9xi32>, tensor<2x1xi32>
  }) : (tensor<2x9xi32>, tensor<2x2xi32>, tensor<i32>) -> (tensor<2x9xi32>, tensor<2x1xi32>)
  check.expect_eq_const %0#1, dense<[[29], [30]]> : tensor<2x1xi32>
  check.expect_eq_const %0#0, dense<[[-28, -27, -26, -25, -24, -23, -22, -21, -20], [-21, -22, -23, -24, -25, -26, -27, -28, -29]]> : tensor<2x9xi32>
  return
}

// -----

// error: fusion: region has type (tensor<2xf32>) -> (tensor<2xf32>); expected (tensor<3xf32>) -> (tensor<2xf32>)
func.func @main(%x: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// error: fusion: result has type tensor<2xi32>; expected tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
  %0 = "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<2xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// error: fusion: region gives no results; expected one or more
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return
  }) : (tensor<2xf32>) -> ()
  return %x : tensor<2xf32>
}

// -----

// error: fusion: its region holds sort; expected elementwise operations without effects, gathers of elements of lists, reductions, and views of values
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = "stablehlo.sort"(%a) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %2 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    %3 = stablehlo.negate %1 : tensor<2xf32>
    stablehlo.return %3 : tensor<2xf32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// error: fusion: negate has shape 3; expected 2x2, or one element for each of its rows
func.func @main(%x: tensor<2x2xf32>, %y: tensor<3xf32>) -> (tensor<2x2xf32>, tensor<3xf32>) {
  %0:2 = "tenon.fusion"(%x, %y) ({
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<3xf32>):
    %1 = stablehlo.negate %a : tensor<2x2xf32>
    %2 = stablehlo.negate %b : tensor<3xf32>
    stablehlo.return %1, %2 : tensor<2x2xf32>, tensor<3xf32>
  }) : (tensor<2x2xf32>, tensor<3xf32>) -> (tensor<2x2xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<3xf32>
}

// -----

// error: fusion: its region computes nothing; expected an operation
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    stablehlo.return %a : tensor<2xf32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// error: fusion: negate computes a value of type tensor<?xf32>; expected a static tensor
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<?xf32>):
    %1 = stablehlo.negate %a : tensor<?xf32>
    stablehlo.return %1 : tensor<?xf32>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// error: negate: operand 0 (%x) is not defined before this operation, or belongs to another region or function
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "tenon.fusion"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %1 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
