// The opaque bytes are the type (f32[128], f32[2048]), as XLA and tn_type_serialize write it:
//   jaxlib.xla_client.Shape.tuple_shape([...]).to_serialized_proto()
func.func @main() {
  %b = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.iota dim = 0 : tensor<2048xf32>
  %a = stablehlo.custom_call @add_opaque(%b, %c) {
    api_version = 3 : i32,
    backend_config = "\10\0D\22\11\10\0B\1A\02\80\01*\06\0A\01\00\80\01\012\01\00\22\11\10\0B\1A\02\80\10*\06\0A\01\00\80\01\012\01\00"
  } : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>
  %rows = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<16x128xf32>
  %repeated = stablehlo.reshape %rows : (tensor<16x128xf32>) -> tensor<2048xf32>
  %wanted = stablehlo.add %repeated, %c : tensor<2048xf32>
  stablehlo.custom_call @check.expect_eq(%a, %wanted) {has_side_effect = true} : (tensor<2048xf32>, tensor<2048xf32>) -> ()
  return
}

// -----

// error: the opaque bytes are not a type
func.func @main() -> tensor<2048xf32> {
  %b = stablehlo.iota dim = 0 : tensor<128xf32>
  %c = stablehlo.iota dim = 0 : tensor<2048xf32>
  %a = stablehlo.custom_call @add_opaque(%b, %c) {api_version = 3 : i32, backend_config = "128, 2048"}
      : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>
  return %a : tensor<2048xf32>
}
