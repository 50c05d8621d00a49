module {
  func.func @main(%x: tensor<3xf32>) {
    %0:2 = stablehlo.custom_call @"has space"(%x) {backend_config = "a\22b\\\00\C3\A9", has_side_effect = true, mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
    return
  }
  func.func private @f(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
