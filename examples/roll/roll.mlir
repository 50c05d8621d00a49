// The operation by its name, in a StableHLO program, where arrays are dense.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %right = stablehlo.custom_call @roll(%x) {api_version = 4 : i32} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %right, dense<[[3, 1, 2], [6, 4, 5]]> : tensor<2x3xi32>
  %up = stablehlo.custom_call @roll(%x) {api_version = 4 : i32, backend_config = {axis = 0 : i64, shift = -3 : i64}}
      : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %up, dense<[[4, 5, 6], [1, 2, 3]]> : tensor<2x3xi32>
  return
}
