// One operand that is a tuple; the second part of the result is scratch memory that is not read.
func.func @main() {
  %all = stablehlo.constant dense<1.0> : tensor<480xf32>
  %a = stablehlo.slice %all [0:32] : (tensor<480xf32>) -> tensor<32xf32>
  %b = stablehlo.slice %all [32:96] : (tensor<480xf32>) -> tensor<64xf32>
  %c = stablehlo.slice %all [96:224] : (tensor<480xf32>) -> tensor<128xf32>
  %d = stablehlo.slice %all [224:480] : (tensor<480xf32>) -> tensor<256xf32>
  %pair = stablehlo.tuple %b, %c : tuple<tensor<64xf32>, tensor<128xf32>>
  %p0 = stablehlo.tuple %a, %pair, %d : tuple<tensor<32xf32>, tuple<tensor<64xf32>, tensor<128xf32>>, tensor<256xf32>>

  %untyped = stablehlo.custom_call @sum_tuple(%p0)
      : (tuple<tensor<32xf32>, tuple<tensor<64xf32>, tensor<128xf32>>, tensor<256xf32>>) -> tuple<tensor<512xf32>, tensor<1024xf32>>
  %sums_1 = stablehlo.get_tuple_element %untyped[0] : (tuple<tensor<512xf32>, tensor<1024xf32>>) -> tensor<512xf32>

  %typed = stablehlo.custom_call @sum_leaves(%p0) {api_version = 4 : i32}
      : (tuple<tensor<32xf32>, tuple<tensor<64xf32>, tensor<128xf32>>, tensor<256xf32>>) -> tuple<tensor<512xf32>, tensor<1024xf32>>
  %sums_2 = stablehlo.get_tuple_element %typed[0] : (tuple<tensor<512xf32>, tensor<1024xf32>>) -> tensor<512xf32>

  // Ones add up to 1, 2, 3 ... 480, and then to no more.
  %index = stablehlo.iota dim = 0 : tensor<512xf32>
  %one = stablehlo.constant dense<1.0> : tensor<512xf32>
  %count = stablehlo.constant dense<480.0> : tensor<512xf32>
  %next = stablehlo.add %index, %one : tensor<512xf32>
  %wanted = stablehlo.minimum %next, %count : tensor<512xf32>
  stablehlo.custom_call @check.expect_eq(%sums_1, %wanted) {has_side_effect = true} : (tensor<512xf32>, tensor<512xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%sums_2, %wanted) {has_side_effect = true} : (tensor<512xf32>, tensor<512xf32>) -> ()
  return
}
