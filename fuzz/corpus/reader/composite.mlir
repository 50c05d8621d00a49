module {
  func.func @main(%x: tensor<3xf32>) {
    %0 = stablehlo.composite "ns.op" %x {composite_attributes = {k = 1 : i64}, decomposition = @f, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
