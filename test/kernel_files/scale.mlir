func.func @main() {
  %x = stablehlo.iota dim = 0 : tensor<5xf32>
  %y = stablehlo.custom_call @scale(%x) {api_version = 4 : i32, backend_config = {}} : (tensor<5xf32>) -> tensor<5xf32>
  check.expect_eq_const %y, dense<[1.0, 4.0, 7.0, 10.0, 13.0]> : tensor<5xf32>
  return
}
