// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

#define SOLVE(a, b, left, transpose)                 \
  "triangular_solve(" a ", " b ") left_side = " left \
  ", lower = true, "                                 \
  "unit_diagonal = false, transpose_a = " transpose " -> "
#define NORM "epsilon = 0.001, feature_index = 1 -> "

static void linear_algebra_accepts_what_it_is_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "cholesky(2x3x3xf32) lower = true -> 2x3x3xf32",
      "cholesky(0x0xcomplex<f64>) -> 0x0xcomplex<f64>",
      SOLVE("2x3x3xf32", "2x3x4xf32", "true", "ADJOINT") "2x3x4xf32",
      SOLVE("3x3xf32", "4x3xf32", "false", "NO_TRANSPOSE") "4x3xf32",
      "fft(2x8xcomplex<f32>) fft_type = FFT, fft_length = [8] -> 2x8xcomplex<f32>",
      "fft(4x8xcomplex<f64>) fft_type = IFFT, fft_length = [4, 8] -> 4x8xcomplex<f64>",
      "fft(2x8xf32) fft_type = RFFT, fft_length = [8] -> 2x5xcomplex<f32>",
      "fft(2x9xf64) fft_type = RFFT, fft_length = [2, 9] -> 2x5xcomplex<f64>",
      "fft(2x5xcomplex<f32>) fft_type = IRFFT, fft_length = [8] -> 2x8xf32",
      "fft(2x5xcomplex<f32>) fft_type = IRFFT, fft_length = [9] -> 2x9xf32",
      "fft(2x0xf32) fft_type = RFFT, fft_length = [0] -> 2x0xcomplex<f32>",
      "batch_norm_inference(2x3xf32, 3xf32, 3xf32, 3xf32, 3xf32) " NORM "2x3xf32",
      "batch_norm_training(2x3xf32, 3xf32, 3xf32) " NORM "2x3xf32, 3xf32, 3xf32",
      "batch_norm_grad(2x3xf32, 3xf32, 3xf32, 3xf32, 2x3xf32) " NORM "2x3xf32, 3xf32, 3xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void linear_algebra_refuses_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"cholesky(3x3xi32) -> 3x3xi32", "cholesky (I1)"},
      {"cholesky(3x3xf32) -> 3x3xf64", "cholesky (C1)"},
      {"cholesky(3xf32) -> 3xf32", "cholesky (C2)"},
      {"cholesky(3x4xf32) -> 3x4xf32", "cholesky (C3)"},
      {SOLVE("3x3xf32", "3x4xf64", "true", "TRANSPOSE") "3x4xf32", "triangular_solve (C1)"},
      {SOLVE("3x3xf32", "3xf32", "true", "TRANSPOSE") "3xf32", "triangular_solve (C2)"},
      {SOLVE("f32", "f32", "true", "TRANSPOSE") "f32", "triangular_solve (C2)"},
      {SOLVE("3x3xf32", "3x4xf32", "false", "TRANSPOSE") "3x4xf32", "triangular_solve (C3)"},
      {SOLVE("3x2xf32", "3x4xf32", "true", "TRANSPOSE") "3x4xf32", "triangular_solve (C3)"},
      {SOLVE("2x3x3xf32", "5x3x4xf32", "true", "TRANSPOSE") "5x3x4xf32", "triangular_solve (C3)"},
      {SOLVE("3x3xf32", "3x4xf32", "true", "TRANSPOSE") "4x3xf32", "triangular_solve (C4)"},
      {SOLVE("3x3xf32", "3x4xf32", "true", "TRANSPOSE_INVALID") "3x4xf32", "triangular_solve (I6)"},
      {"fft(8xcomplex<f32>) fft_type = FFT, fft_length = [8, 8] -> 8xcomplex<f32>", "fft (C1)"},
      {"fft(8xf32) fft_type = FFT, fft_length = [8] -> 8xf32", "fft (C2)"},
      {"fft(8xcomplex<f32>) fft_type = RFFT, fft_length = [8] -> 5xcomplex<f32>", "fft (C2)"},
      {"fft(5xf32) fft_type = IRFFT, fft_length = [8] -> 8xf32", "fft (C2)"},
      {"fft(8xf16) fft_type = RFFT, fft_length = [8] -> 5xcomplex<f32>", "fft (C2)"},
      {"fft(8xcomplex<f32>) fft_type = FFT, fft_length = [] -> 8xcomplex<f32>", "fft (C3)"},
      {"fft(2x2x2x2xcomplex<f32>) fft_type = FFT, fft_length = [2, 2, 2, 2]"
       " -> 2x2x2x2xcomplex<f32>",
       "fft (C3)"},
      {"fft(8xf32) fft_type = RFFT, fft_length = [9] -> 5xcomplex<f32>", "fft (C4)"},
      {"fft(8xcomplex<f32>) fft_type = FFT, fft_length = [9] -> 8xcomplex<f32>", "fft (C4)"},
      {"fft(8xf32) fft_type = RFFT, fft_length = [-8] -> 5xcomplex<f32>", "fft (C4)"},
      {"fft(6xcomplex<f32>) fft_type = IRFFT, fft_length = [8] -> 8xf32",
       "fft (C5): operand has shape 6; expected the last dimensions 5 for fft_length [8]"},
      {"fft(8xf32) fft_type = RFFT, fft_length = [8] -> 8xcomplex<f32>", "fft (C5)"},
      {"batch_norm_inference(2xf32, 3xf32, 3xf32, 3xf32, 3xf32) " NORM "2xf32",
       "batch_norm_inference (C1)"},
      {"batch_norm_inference(2x3xf32, 3xf64, 3xf32, 3xf32, 3xf32) " NORM "2x3xf32",
       "batch_norm_inference (C2)"},
      {"batch_norm_inference(2x3xf32, 2xf32, 3xf32, 3xf32, 3xf32) " NORM "2x3xf32",
       "batch_norm_inference (C3): scale has 2 entries; expected 3, one for each feature"},
      {"batch_norm_inference(2x3xf32, 3xf32, 2xf32, 3xf32, 3xf32) " NORM "2x3xf32",
       "batch_norm_inference (C4)"},
      {"batch_norm_inference(2x3xf32, 3xf32, 3xf32, 2xf32, 3xf32) " NORM "2x3xf32",
       "batch_norm_inference (C5)"},
      {"batch_norm_inference(2x3xf32, 3xf32, 3xf32, 3xf32, 2xf32) " NORM "2x3xf32",
       "batch_norm_inference (C6)"},
      {"batch_norm_inference(2x3xf32, 3xf32, 3xf32, 3xf32, 3xf32) " NORM "3x2xf32",
       "batch_norm_inference (C7)"},
      {"batch_norm_inference(2x3xf32, 3x1xf32, 3xf32, 3xf32, 3xf32) " NORM "2x3xf32",
       "batch_norm_inference (I2)"},
      {"batch_norm_inference(2x3xf32, 3xf32, 3xf32, 3xf32, 3xf32) epsilon = !0.5,"
       " feature_index = 1 -> 2x3xf32",
       "attribute \"epsilon\" is 0.5 : f64; expected a float of type f32"},
      {"batch_norm_training(2xf32, 3xf32, 3xf32) " NORM "2xf32, 3xf32, 3xf32",
       "batch_norm_training (C1)"},
      {"batch_norm_training(2x3xf32, 3xf32, 3xf16) " NORM "2x3xf32, 3xf32, 3xf32",
       "batch_norm_training (C2)"},
      {"batch_norm_training(2x3xf32, 4xf32, 3xf32) " NORM "2x3xf32, 3xf32, 3xf32",
       "batch_norm_training (C3)"},
      {"batch_norm_training(2x3xf32, 3xf32, 4xf32) " NORM "2x3xf32, 3xf32, 3xf32",
       "batch_norm_training (C4)"},
      {"batch_norm_training(2x3xf32, 3xf32, 3xf32) " NORM "2x3xf32, 2xf32, 3xf32",
       "batch_norm_training (C5): result 1"},
      {"batch_norm_training(2x3xf32, 3xf32, 3xf32) " NORM "2x3xf32, 3xf32, 2xf32",
       "batch_norm_training (C6): result 2"},
      {"batch_norm_training(2x3xf32, 3xf32, 3xf32) " NORM "2x2xf32, 3xf32, 3xf32",
       "batch_norm_training (C7): result 0"},
      {"batch_norm_grad(2xf32, 3xf32, 3xf32, 3xf32, 2xf32) " NORM "2xf32, 3xf32, 3xf32",
       "batch_norm_grad (C1)"},
      {"batch_norm_grad(2x3xf32, 3xf32, 3xf32, 3xf32, 2x3xf64) " NORM "2x3xf32, 3xf32, 3xf32",
       "batch_norm_grad (C2)"},
      {"batch_norm_grad(2x3xf32, 3xf32, 3xf32, 3xf32, 3x3xf32) " NORM "2x3xf32, 3xf32, 3xf32",
       "batch_norm_grad (C3)"},
      {"batch_norm_grad(2x3xf32, 3xf32, 2xf32, 3xf32, 2x3xf32) " NORM "2x3xf32, 3xf32, 3xf32",
       "batch_norm_grad (C4)"},
      {"batch_norm_grad(2x3xf32, 3xf32, 3xf32, 3xf32, 2x3xf32) " NORM "2x3xf32, 3xf32, 4xf32",
       "batch_norm_grad (C4)"},
      {"batch_norm_grad(2x3xf32, 2xf32, 3xf32, 3xf32, 2x3xf32) " NORM "2x3xf32, 3xf32, 3xf32",
       "batch_norm_grad (C5)"},
  };
  TN_TEST_REFUSES(cases);
}

static void random_numbers_follow_their_rules(void** state) {
  (void)state;
  static const char* const uses[] = {
      "rng(f32, f32, 2xi64) rng_distribution = NORMAL -> 2x3xf32",
      "rng(i1, i1, 0xi64) rng_distribution = UNIFORM -> i1",
      "rng_bit_generator(2xui64) rng_algorithm = THREE_FRY -> 2xui64, 2x2xui32",
      "rng_bit_generator(3xui64) rng_algorithm = PHILOX -> 3xui64, 2xf32",
      "rng_bit_generator(5xui64) rng_algorithm = DEFAULT -> 5xui64, 2xi8",
  };
  TN_TEST_ACCEPTS(uses);
  static const tn_rule_case_t cases[] = {
      {"rng(f32, f64, 2xi64) rng_distribution = NORMAL -> 2x3xf32", "rng (C1): b has type"},
      {"rng(f32, f32, 2xi64) rng_distribution = NORMAL -> 2x3xf64", "rng (C1)"},
      {"rng(i32, i32, 2xi64) rng_distribution = NORMAL -> 2x3xi32", "rng (C2)"},
      {"rng(f32, f32, 3xi64) rng_distribution = NORMAL -> 2x3xf32", "rng (C3)"},
      {"rng(1xf32, f32, 2xi64) rng_distribution = NORMAL -> 2x3xf32", "rng (I1)"},
      {"rng(f32, complex<f32>, 2xi64) rng_distribution = NORMAL -> 2x3xf32", "rng (I2)"},
      {"rng(f32, f32, 2xf32) rng_distribution = NORMAL -> 2x3xf32", "rng (I3)"},
      {"rng(f32, f32, 2xi64) rng_distribution = GAUSS -> 2x3xf32",
       "rng: attribute \"rng_distribution\": there is no rng_distribution \"GAUSS\""},
      {"rng_bit_generator(2xui64) rng_algorithm = DEFAULT -> 3xui64, 2xui32",
       "rng_bit_generator (C1)"},
      {"rng_bit_generator(3xui64) rng_algorithm = THREE_FRY -> 3xui64, 2xui32",
       "rng_bit_generator (C2): initial_state has 3 entries; expected 2 for THREE_FRY"},
      {"rng_bit_generator(4xui64) rng_algorithm = PHILOX -> 4xui64, 2xui32",
       "rng_bit_generator (C2)"},
      {"rng_bit_generator(2xui32) rng_algorithm = DEFAULT -> 2xui32, 2xui32",
       "rng_bit_generator (I2)"},
      {"rng_bit_generator(2xui64) rng_algorithm = DEFAULT -> 2xui64, 2xi1",
       "rng_bit_generator: output has type tensor<2xi1>"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_algebra_accepts_what_it_is_for),
      cmocka_unit_test(linear_algebra_refuses_what_breaks_a_constraint),
      cmocka_unit_test(random_numbers_follow_their_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
