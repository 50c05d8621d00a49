module {
  func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) {
    %0:2 = stablehlo.while(%iterArg = %n, %v = %x) : tensor<i32>, tensor<2xf32> attributes {k = "v"}
    cond {
      %1 = stablehlo.compare LT, %iterArg, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %v : tensor<i32>, tensor<2xf32>
    }
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
