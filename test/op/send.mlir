// What is sent on a channel is what is received from it, the first in being the first out.
func.func @to_itself() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %t0 = stablehlo.create_token : !stablehlo.token
  %t1 = "stablehlo.send"(%a, %t0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %t2 = "stablehlo.send"(%b, %t1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %0:2 = "stablehlo.recv"(%t2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  %1:2 = "stablehlo.recv"(%0#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<0> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  check.expect_eq_const %0#0, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %1#0, dense<[3, 4]> : tensor<2xi32>
  return
}

// -----
// error: send: its channel has no receiver; the program runs as one process

func.func @to_nobody(%x: tensor<2xi32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----
// error: send: is a transfer to or from the host, which a run has no channel for

func.func @to_the_host(%x: tensor<2xi32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}
