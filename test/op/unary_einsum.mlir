func.func @transposition() {
  %x = stablehlo.constant dense<[[4, 0, -1], [2, 1, -2]]> : tensor<2x3xi32>
  %0 = stablehlo.unary_einsum %x, config = "ab->ba" : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[4, 2], [0, 1], [-1, -2]]> : tensor<3x2xi32>
  return
}

// -----

func.func @row_sums() {
  %x = stablehlo.constant dense<[[-2, 2, 1], [0, -1, 2]]> : tensor<2x3xi32>
  %0 = stablehlo.unary_einsum %x, config = "ab->a" : (tensor<2x3xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 1]> : tensor<2xi32>
  return
}

// -----

func.func @trace() {
  %x = stablehlo.constant dense<[[-1, -2, 4], [-2, -2, 2], [1, -4, -4]]> : tensor<3x3xi32>
  %0 = stablehlo.unary_einsum %x, config = "ii->" : (tensor<3x3xi32>) -> tensor<i32>
  check.expect_eq_const %0, dense<-7> : tensor<i32>
  return
}

// -----

func.func @diagonals() {
  %x = stablehlo.constant dense<[[[-1, 3], [-1, 3]], [[-2, -2], [3, 3]]]> : tensor<2x2x2xi32>
  %0 = stablehlo.unary_einsum %x, config = "bii->ib" : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[-1, -2], [3, 3]]> : tensor<2x2xi32>
  return
}

// -----

func.func @empty_diagonal() {
  %x = stablehlo.constant dense<> : tensor<0x0xi32>
  %0 = stablehlo.unary_einsum %x, config = "ii->i" : (tensor<0x0xi32>) -> tensor<0xi32>
  check.expect_eq_const %0, dense<> : tensor<0xi32>
  return
}

// -----
// error: is not a letter

func.func @digit(%x: tensor<2x3xi32>) -> tensor<2xi32> {
  %0 = stablehlo.unary_einsum %x, config = "a1->a" : (tensor<2x3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
