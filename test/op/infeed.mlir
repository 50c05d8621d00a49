// Nothing but order: the token goes through.
func.func @nothing() {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
  %1 = stablehlo.after_all %0 : !stablehlo.token
  return
}

// -----
// error: infeed: not supported; pass the values as inputs

func.func @values(%t: !stablehlo.token) -> tensor<2xi32> {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return %0#0 : tensor<2xi32>
}
