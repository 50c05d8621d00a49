func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0, -2.0]> : tensor<3xf32>
  %0 = stablehlo.sine %x : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[0.0, 0.841470985, -0.909297427]> : tensor<3xf32>
  return
}
