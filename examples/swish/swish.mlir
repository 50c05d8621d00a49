func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.custom_call @swish(%x) {api_version = 4 : i32, backend_config = {beta = 2.0 : f32}}
      : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
