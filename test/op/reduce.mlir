func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[6, 15]> : tensor<2xi32>
  return
}

// -----

func.func @main() {
  // The largest element and where it is.
  %x = stablehlo.constant dense<[3.0, 9.0, 4.0]> : tensor<3xf32>
  %i = stablehlo.iota dim = 0 : tensor<3xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %least), (%i init: %zero) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>)  {
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %k = stablehlo.select %p, %m, %n : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  }
  check.expect_eq_const %0#0, dense<9.0> : tensor<f32>
  check.expect_eq_const %0#1, dense<1> : tensor<i32>
  return
}

// -----

func.func @main() {  // the accumulators change places at every step
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6],[1, 2, 3], [4, 5, 6], [7,8,9]]> : tensor<5x3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %o = stablehlo.constant dense<100> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %z), (%x init: %o) across dimensions = [1] : (tensor<5x3xi32>, tensor<5x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<5xi32>, tensor<5xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%m: tensor<i32>, %n: tensor<i32>)  {
    %s = stablehlo.add %a, %b : tensor<i32>
    %t = stablehlo.add %s, %z : tensor<i32>
    stablehlo.return %m, %t : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %0#0, dense<[102, 105, 102, 105, 108]> : tensor<5xi32>
  check.expect_eq_const %0#1, dense<[4, 10, 4, 10, 16]> : tensor<5xi32>
  return
}
