func.func @main() {
  // A product, a fusion that reads it, and a product that reads this one: row i of the first is i + 1 all
  // over, from which the fusion takes the largest element and adds the column's number.
  %i = stablehlo.iota dim = 0 : tensor<32x1xf32>
  %one = stablehlo.constant dense<1.0> : tensor<32x1xf32>
  %q = stablehlo.add %i, %one : tensor<32x1xf32>
  %k = stablehlo.constant dense<1.0> : tensor<1x16xf32>
  %v = stablehlo.constant dense<1.0> : tensor<16x16xf32>
  %c = stablehlo.iota dim = 1 : tensor<32x16xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = "tenon.row_blocks"(%q, %k, %v, %c, %z) ({
  ^bb0(%a: tensor<32x1xf32>, %b: tensor<1x16xf32>, %d: tensor<16x16xf32>, %n: tensor<32x16xf32>, %zero: tensor<f32>):
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x1xf32>, tensor<1x16xf32>) -> tensor<32x16xf32>
    %2:2 = "tenon.fusion"(%1, %n, %zero) ({
    ^bb0(%s: tensor<32x16xf32>, %t: tensor<32x16xf32>, %u: tensor<f32>):
      %4 = stablehlo.reduce(%s init: %u) applies stablehlo.maximum across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x16xf32>
      %6 = stablehlo.subtract %s, %5 : tensor<32x16xf32>
      %7 = stablehlo.add %6, %t : tensor<32x16xf32>
      stablehlo.return %7, %4 : tensor<32x16xf32>, tensor<32xf32>
    }) : (tensor<32x16xf32>, tensor<32x16xf32>, tensor<f32>) -> (tensor<32x16xf32>, tensor<32xf32>)
    %3 = stablehlo.dot_general %2#0, %d, contracting_dims = [1] x [0] : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
    stablehlo.return %3, %2#1 : tensor<32x16xf32>, tensor<32xf32>
  }) : (tensor<32x1xf32>, tensor<1x16xf32>, tensor<16x16xf32>, tensor<32x16xf32>, tensor<f32>) -> (tensor<32x16xf32>, tensor<32xf32>)
  %w = stablehlo.reshape %q : (tensor<32x1xf32>) -> tensor<32xf32>
  check.expect_eq_const %0#0, dense<120.0> : tensor<32x16xf32>
  check.expect_eq %0#1, %w : tensor<32xf32>
  return
}

// -----

func.func @main() {
  // What is no chain is computed operation by operation.
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0:2 = "tenon.row_blocks"(%x) ({
  ^bb0(%a: tensor<3xf32>):
    %1 = stablehlo.add %a, %a : tensor<3xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<3xf32>
    stablehlo.return %2, %a : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  check.expect_eq_const %0#0, dense<[6.0, 4.0, 2.0]> : tensor<3xf32>
  check.expect_eq_const %0#1, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return
}

// -----

func.func @main() {
  // A product of integers, a fusion and a product: blocks are of floats.
  %x = stablehlo.constant dense<2> : tensor<32x16xi32>
  %y = stablehlo.constant dense<1> : tensor<16x16xi32>
  %0 = "tenon.row_blocks"(%x, %y) ({
  ^bb0(%a: tensor<32x16xi32>, %b: tensor<16x16xi32>):
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x16xi32>, tensor<16x16xi32>) -> tensor<32x16xi32>
    %2 = "tenon.fusion"(%1) ({
    ^bb0(%c: tensor<32x16xi32>):
      %4 = stablehlo.negate %c : tensor<32x16xi32>
      stablehlo.return %4 : tensor<32x16xi32>
    }) : (tensor<32x16xi32>) -> tensor<32x16xi32>
    %3 = stablehlo.dot_general %2, %b, contracting_dims = [1] x [0] : (tensor<32x16xi32>, tensor<16x16xi32>) -> tensor<32x16xi32>
    stablehlo.return %3 : tensor<32x16xi32>
  }) : (tensor<32x16xi32>, tensor<16x16xi32>) -> tensor<32x16xi32>
  check.expect_eq_const %0, dense<-512> : tensor<32x16xi32>
  return
}

// -----

// error: row_blocks: region gives no results; expected one or more
func.func @main(%x: tensor<3xf32>) {
  "tenon.row_blocks"(%x) ({
  ^bb0(%a: tensor<3xf32>):
    stablehlo.return
  }) : (tensor<3xf32>) -> ()
  return
}
