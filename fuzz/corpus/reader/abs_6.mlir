module {
  func.func @main(%x: tensor<3xf32>) {
    %0 = stablehlo.abs %x {a = array<i64: 1, -2>, b = array<i1: true>, c = array<i64>, d = [1 : i32, "s", @f, tensor<2xf32>, f32, unit], e = dense<[1, 2]> : tensor<2xi8>, f = 0x7FC00000 : f32, g = #sdy.sharding<@mesh, [{"x"}, {}]>, h = 18446744073709551615 : ui64, i = #stablehlo<precision HIGH>, j = @a::@b, k = (tensor<2xf32>) -> tensor<f32>, l = #stablehlo.channel_handle<handle = 1, type = 0>} : tensor<3xf32>
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
