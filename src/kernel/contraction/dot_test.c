// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/testing_kernel.h"

typedef struct numbers {
  size_t batch_count, contracted_count;
  const int64_t *lhs_batch, *rhs_batch, *lhs_contracted, *rhs_contracted;
} numbers_t;

static void add_numbers(tn_case_t* c, const numbers_t* n) {
  const size_t first = c->attr_count;
  tn__case_list(c, "lhs_batching_dimensions", n->batch_count, n->lhs_batch);
  tn__case_list(c, "rhs_batching_dimensions", n->batch_count, n->rhs_batch);
  tn__case_list(c, "lhs_contracting_dimensions", n->contracted_count, n->lhs_contracted);
  tn__case_list(c, "rhs_contracting_dimensions", n->contracted_count, n->rhs_contracted);
  tn__case_struct(c, "dot_dimension_numbers", "dot", first);
}

// A 2x2 product of `dtype` into `result_dtype`.
static void begin_square(tn_case_t* c, tn_dtype_t dtype, const void* lhs, const void* rhs,
                         tn_dtype_t result_dtype) {
  tn__case_begin(c, "stablehlo.dot_general");
  tn__case_operand(c, dtype, TN_DIMS(2, 2), lhs);
  tn__case_operand(c, dtype, TN_DIMS(2, 2), rhs);
  add_numbers(c, &(numbers_t){.contracted_count = 1,
                              .lhs_contracted = (int64_t[]){1},
                              .rhs_contracted = (int64_t[]){0}});
  tn__case_result(c, result_dtype, TN_DIMS(2, 2));
  TN_ASSERT_OK(tn__case_run(c));
}

static void dot_wraps_narrow_integers(void** state) {
  (void)state;
  tn_case_t c;
  begin_square(&c, TN_DTYPE_S8, (int8_t[]){100, 100, 1, -2}, (int8_t[]){2, 1, 2, 3}, TN_DTYPE_S8);
  TN_ASSERT_RESULT(&c, int8_t, (int8_t)400, (int8_t)400, -2, -5);
  tn__case_end(&c);
}

static void dot_widens_before_it_multiplies(void** state) {
  (void)state;
  tn_case_t c;
  begin_square(&c, TN_DTYPE_S8, (int8_t[]){100, 100, 1, -2}, (int8_t[]){2, 1, 2, 3}, TN_DTYPE_S32);
  TN_ASSERT_RESULT(&c, int32_t, 400, 400, -2, -5);
  tn__case_end(&c);
  begin_square(&c, TN_DTYPE_U8, (uint8_t[]){255, 255, 1, 2}, (uint8_t[]){255, 1, 255, 3},
               TN_DTYPE_U64);
  TN_ASSERT_RESULT(&c, uint64_t, 130050, 1020, 765, 7);
  tn__case_end(&c);
}

static void dot_of_booleans_is_or_of_ands(void** state) {
  (void)state;
  tn_case_t c;
  begin_square(&c, TN_DTYPE_PRED, (uint8_t[]){1, 1, 0, 1}, (uint8_t[]){1, 0, 1, 0}, TN_DTYPE_PRED);
  TN_ASSERT_RESULT(&c, uint8_t, 1, 0, 1, 0);
  tn__case_end(&c);
}

static void dot_of_complex_numbers_is_complex(void** state) {
  (void)state;
  tn_case_t c;
  // [1+2i 0; 0 i] * [3-i 1; i 2]
  begin_square(&c, TN_DTYPE_C64, (float[]){1, 2, 0, 0, 0, 0, 0, 1},
               (float[]){3, -1, 1, 0, 0, 1, 2, 0}, TN_DTYPE_C64);
  const float* got = c.results[0];
  const float wanted[] = {5, 5, 1, 2, -1, 0, 0, 2};
  for (int i = 0; i < 8; ++i) assert_true(got[i] == wanted[i]);
  tn__case_end(&c);
}

static void dot_rounds_narrow_floats_once(void** state) {
  (void)state;
  // 256 + 1 - 256 in bf16: 1, though 257 is no bf16.
  const uint16_t one = 0x3F80, big = 0x4380, minus_big = 0xC380;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dot_general");
  tn__case_operand(&c, TN_DTYPE_BF16, TN_DIMS(1, 3), (uint16_t[]){big, one, minus_big});
  tn__case_operand(&c, TN_DTYPE_BF16, TN_DIMS(3, 1), (uint16_t[]){one, one, one});
  add_numbers(&c, &(numbers_t){.contracted_count = 1,
                               .lhs_contracted = (int64_t[]){1},
                               .rhs_contracted = (int64_t[]){0}});
  tn__case_result(&c, TN_DTYPE_BF16, TN_DIMS(1, 1));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint16_t, one);
  tn__case_end(&c);
}

static void dot_of_empty_sums_is_zero(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dot_general");
  tn__case_operand(&c, TN_DTYPE_F16, TN_DIMS(2, 0), NULL);
  tn__case_operand(&c, TN_DTYPE_F16, TN_DIMS(0, 2), NULL);
  add_numbers(&c, &(numbers_t){.contracted_count = 1,
                               .lhs_contracted = (int64_t[]){1},
                               .rhs_contracted = (int64_t[]){0}});
  tn__case_result(&c, TN_DTYPE_F16, TN_DIMS(2, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint16_t, 0, 0, 0, 0);
  tn__case_end(&c);
}

static void dot_without_contraction_is_an_outer_product(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dot_general");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2), (int32_t[]){2, 3});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3), (int32_t[]){5, 7, 11});
  add_numbers(&c, &(numbers_t){0});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 10, 14, 22, 15, 21, 33);
  tn__case_end(&c);
}

static void dot_takes_vectors_and_matrices(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dot");
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(2, 3), (double[]){1, 2, 3, 4, 5, 6});
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(3), (double[]){1, 10, 100});
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, double, 321, 654);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.dot");
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(2), (double[]){1, 10});
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(2), (double[]){3, 4});
  tn__case_result(&c, TN_DTYPE_F64, TN_SCALAR);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, double, 43);
  tn__case_end(&c);
}

// --- any dimension numbers, against loops over all indices

enum { LHS_RANK = 5, RHS_RANK = 5 };

static int64_t at(size_t rank, const int64_t* dims, const int64_t* index) {
  int64_t offset = 0;
  for (size_t i = 0; i < rank; ++i) offset = offset * dims[i] + index[i];
  return offset;
}

// Sizes 2 and 3 are batch, 4 and 2 contracted, the rest free; `lhs` and `rhs` say in which
// dimension of the operand each of the five letters is.
static void check_numbers(const int64_t* lhs, const int64_t* rhs) {
  enum { B0 = 2, B1 = 3, K0 = 4, K1 = 2, M = 5, N = 3 };
  int64_t lhs_dims[LHS_RANK], rhs_dims[RHS_RANK];
  const int64_t lhs_sizes[] = {B0, B1, K0, K1, M}, rhs_sizes[] = {B0, B1, K0, K1, N};
  for (int i = 0; i < LHS_RANK; ++i) lhs_dims[lhs[i]] = lhs_sizes[i];
  for (int i = 0; i < RHS_RANK; ++i) rhs_dims[rhs[i]] = rhs_sizes[i];
  int32_t lhs_data[B0 * B1 * K0 * K1 * M], rhs_data[B0 * B1 * K0 * K1 * N];
  for (int i = 0; i < (int)(sizeof lhs_data / 4); ++i) lhs_data[i] = i * 7 - 100;
  for (int i = 0; i < (int)(sizeof rhs_data / 4); ++i) rhs_data[i] = 50 - i * 3;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dot_general");
  tn__case_operand(&c, TN_DTYPE_S32, LHS_RANK, lhs_dims, lhs_data);
  tn__case_operand(&c, TN_DTYPE_S32, RHS_RANK, rhs_dims, rhs_data);
  add_numbers(&c, &(numbers_t){.batch_count = 2,
                               .contracted_count = 2,
                               .lhs_batch = lhs,
                               .rhs_batch = rhs,
                               .lhs_contracted = lhs + 2,
                               .rhs_contracted = rhs + 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(B0, B1, M, N));
  TN_ASSERT_OK(tn__case_run(&c));
  const int32_t* got = c.results[0];
  for (int64_t i = 0; i < B0 * B1 * M * N; ++i) {
    const int64_t b0 = i / (B1 * M * N), b1 = i / (M * N) % B1, m = i / N % M, n = i % N;
    int32_t sum = 0;
    for (int64_t k0 = 0; k0 < K0; ++k0) {
      for (int64_t k1 = 0; k1 < K1; ++k1) {
        const int64_t left[] = {b0, b1, k0, k1, m}, right[] = {b0, b1, k0, k1, n};
        int64_t lhs_index[LHS_RANK], rhs_index[RHS_RANK];
        for (int d = 0; d < LHS_RANK; ++d) lhs_index[lhs[d]] = left[d];
        for (int d = 0; d < RHS_RANK; ++d) rhs_index[rhs[d]] = right[d];
        sum += lhs_data[at(LHS_RANK, lhs_dims, lhs_index)] *
               rhs_data[at(RHS_RANK, rhs_dims, rhs_index)];
      }
    }
    assert_int_equal(got[i], sum);
  }
  tn__case_end(&c);
}

static void dot_takes_any_dimension_numbers(void** state) {
  (void)state;
  uint32_t seed = 3;
  for (int round = 0; round < 200; ++round) {
    int64_t orders[2][5];
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < 5; ++i) orders[side][i] = i;
      for (int i = 4; i > 0; --i) {
        seed = seed * 1664525u + 1013904223u;
        const int j = (int)((seed >> 16) % (uint32_t)(i + 1));
        const int64_t kept = orders[side][i];
        orders[side][i] = orders[side][j];
        orders[side][j] = kept;
      }
    }
    check_numbers(orders[0], orders[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dot_wraps_narrow_integers),
      cmocka_unit_test(dot_widens_before_it_multiplies),
      cmocka_unit_test(dot_of_booleans_is_or_of_ands),
      cmocka_unit_test(dot_of_complex_numbers_is_complex),
      cmocka_unit_test(dot_rounds_narrow_floats_once),
      cmocka_unit_test(dot_of_empty_sums_is_zero),
      cmocka_unit_test(dot_without_contraction_is_an_outer_product),
      cmocka_unit_test(dot_takes_vectors_and_matrices),
      cmocka_unit_test(dot_takes_any_dimension_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
