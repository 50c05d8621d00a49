// Few windows.
// inputs: random:1 random:2
// outputs: 1
// kernels: gpu.iota gpu.multiply gpu.remainder gpu.add gpu.scatter
func.func @main(%x: tensor<300x30xf32>, %u: tensor<5x30xf32>) -> tensor<300x30xf32> {
  %i = stablehlo.iota dim = 0 : tensor<5x1xi32>
  %m = stablehlo.constant dense<77> : tensor<5x1xi32>
  %n = stablehlo.constant dense<200> : tensor<5x1xi32>
  %o = stablehlo.constant dense<-2> : tensor<5x1xi32>
  %0 = stablehlo.multiply %i, %m : tensor<5x1xi32>
  %1 = stablehlo.remainder %0, %n : tensor<5x1xi32>
  %2 = stablehlo.add %1, %o : tensor<5x1xi32>
  %3 = "stablehlo.scatter"(%x, %2, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<300x30xf32>, tensor<5x1xi32>, tensor<5x30xf32>) -> tensor<300x30xf32>
  return %3 : tensor<300x30xf32>
}
