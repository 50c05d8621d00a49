func.func @main() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.composite "my.square" %x {decomposition = @square} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<9> : tensor<i32>
  return
}
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @main() {
  // One that is named after an operation of chlo is that operation: its decomposition is not called.
  %x = stablehlo.constant dense<[0.0, 0.5, -1.0]> : tensor<3xf32>
  %0 = stablehlo.composite "chlo.erf" %x {decomposition = @not_erf, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.constant dense<[0.0, 0.520499878, -0.842700793]> : tensor<3xf32>
  check.expect_close %0, %1, max_ulp_difference = 1 : tensor<3xf32>, tensor<3xf32>
  return
}
func.func private @not_erf(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

func.func @main() {
  // With other types than the operation has, it is called.
  %x = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.composite "chlo.erf" %x {decomposition = @square} : (tensor<2xi32>) -> tensor<2xi32>
  %1 = stablehlo.composite "chlo.no_such" %x {decomposition = @square} : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[9, 16]> : tensor<2xi32>
  check.expect_eq_const %1, dense<[9, 16]> : tensor<2xi32>
  return
}
func.func private @square(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.multiply %x, %x : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----
// error: composite (C2)

func.func @no_such_function(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "a.b" %x {decomposition = @nowhere} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// error: composite (C3): operand 0 is tensor<2xf32>; @f expects tensor<3xf32>

func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----
// error: composite (C4): result 0 is tensor<2xf32>; @f gives tensor<3xf32>

func.func @main(%x: tensor<3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
