func.func @main() {
  // Threefry with 20 rounds: for a key and a counter of zeros the first numbers are 6B200159 and 99BA4EFE.
  %zeros = stablehlo.constant dense<0> : tensor<2xui64>
  %0, %1 = stablehlo.rng_bit_generator %zeros, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %1, dense<[1797259609, 2579123966]> : tensor<2xui32>
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %2, %3 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %2, dense<[1, 5]> : tensor<2xui64>
  check.expect_eq_const %3, dense<[43444564, 2150618427, 3979645651, 3745730563, 1672743891]> : tensor<5xui32>
  return
}

// -----

func.func @main() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %0, dense<[1, 4]> : tensor<2xui64>
  check.expect_eq_const %1, dense<[2100602697, 2847456232, 2074354647, 800269529, 1828267006]> : tensor<5xui32>
  return
}

// -----

// error: rng_bit_generator (C
func.func @main(%state: tensor<3xui64>) -> tensor<3xui64> {
  %0, %1 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui32>)
  return %0 : tensor<3xui64>
}
