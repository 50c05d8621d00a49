// The bits of the CPU: an odd number of them, and counters that carry.
// inputs: 2xui64=81985529216486895,18446744073709551610 3xui64=81985529216486895,18446744073709551610,7
// outputs: 8
// kernels: gpu.rng_bit_generator gpu.rng_bit_generator gpu.rng_bit_generator gpu.rng_bit_generator
func.func @main(%s: tensor<2xui64>, %t: tensor<3xui64>) -> (tensor<2xui64>, tensor<5x7xui32>, tensor<2xui64>, tensor<33xui64>, tensor<3xui64>, tensor<5x13xui16>, tensor<2xui64>, tensor<33xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7xui32>)
  %2, %3 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<33xui64>)
  %4, %5 = stablehlo.rng_bit_generator %t, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5x13xui16>)
  %6, %7 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<33xui64>)
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xui64>, tensor<5x7xui32>, tensor<2xui64>, tensor<33xui64>, tensor<3xui64>, tensor<5x13xui16>, tensor<2xui64>, tensor<33xui64>
}
