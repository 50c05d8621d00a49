// Rows of a transposed table at indices of which some are outside: they are moved inside.
// inputs: random:1
// outputs: 1
// kernels: gpu.iota gpu.tenon.fusion gpu.gather
func.func @main(%x: tensor<16x100xf32>) -> tensor<300x16xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<16x100xf32>) -> tensor<100x16xf32>
  %i = stablehlo.iota dim = 0 : tensor<300x1xi64>
  %m = stablehlo.constant dense<37> : tensor<300x1xi64>
  %n = stablehlo.constant dense<130> : tensor<300x1xi64>
  %o = stablehlo.constant dense<10> : tensor<300x1xi64>
  %0 = stablehlo.multiply %i, %m : tensor<300x1xi64>
  %1 = stablehlo.remainder %0, %n : tensor<300x1xi64>
  %2 = stablehlo.subtract %1, %o : tensor<300x1xi64>
  %3 = "stablehlo.gather"(%t, %2) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 16>, indices_are_sorted = false}> : (tensor<100x16xf32>, tensor<300x1xi64>) -> tensor<300x16xf32>
  return %3 : tensor<300x16xf32>
}
