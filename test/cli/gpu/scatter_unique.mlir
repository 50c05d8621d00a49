// Each update has an element of its own, or is outside.
// inputs: random:1 random:2
// outputs: 1
// kernels: gpu.iota gpu.tenon.fusion gpu.scatter
func.func @main(%x: tensor<9000x20xf32>, %u: tensor<8000x20xf32>) -> tensor<9000x20xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8000x1xi32>
  %m = stablehlo.constant dense<7919> : tensor<8000x1xi32>
  %n = stablehlo.constant dense<9001> : tensor<8000x1xi32>
  %o = stablehlo.constant dense<-2> : tensor<8000x1xi32>
  %0 = stablehlo.multiply %i, %m : tensor<8000x1xi32>
  %1 = stablehlo.remainder %0, %n : tensor<8000x1xi32>
  %2 = stablehlo.add %1, %o : tensor<8000x1xi32>
  %3 = "stablehlo.scatter"(%x, %2, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<9000x20xf32>, tensor<8000x1xi32>, tensor<8000x20xf32>) -> tensor<9000x20xf32>
  return %3 : tensor<9000x20xf32>
}
