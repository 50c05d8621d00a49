func.func @main() {  // integers wrap
  %a = stablehlo.constant dense<[127, -128, 1]> : tensor<3xi8>
  %b = stablehlo.constant dense<[1, -1, 2]> : tensor<3xi8>
  %0 = stablehlo.add %a, %b : tensor<3xi8>
  check.expect_eq_const %0, dense<[-128, 127, 3]> : tensor<3xi8>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[1.5, 0x7F800000]> : tensor<2xf32>
  %b = stablehlo.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  check.expect_eq_const %0, dense<[3.5, 0x7F800000]> : tensor<2xf32>
  return
}

// -----

func.func @main() {  // i1: or
  %a = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %b = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %0 = stablehlo.add %a, %b : tensor<4xi1>
  check.expect_eq_const %0, dense<[true, true, true, false]> : tensor<4xi1>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %b = stablehlo.constant dense<[(3.0, -5.0)]> : tensor<1xcomplex<f32>>
  %0 = stablehlo.add %a, %b : tensor<1xcomplex<f32>>
  check.expect_eq_const %0, dense<[(4.0, -3.0)]> : tensor<1xcomplex<f32>>
  return
}

// -----

// error: add
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
