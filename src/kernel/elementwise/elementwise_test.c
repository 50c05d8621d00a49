// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/elementwise.h"

#include <math.h>

#include "kernel/common/element.h"
#include "kernel/common/loops.h"
#include "kernel/target.h"
#include "kernel/testing_kernel.h"

static void compare_reads_its_attributes(void** state) {
  (void)state;
  const float a[] = {1, 2, -0.0f, NAN}, b[] = {2, 2, 0.0f, NAN};
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.compare");
  tn__case_enum(&c, "comparison_direction", "comparison_direction", "LE");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(4), a);
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(4), b);
  tn__case_result(&c, TN_DTYPE_PRED, TN_DIMS(4));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint8_t, 1, 1, 1, 0);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.compare");
  tn__case_enum(&c, "compare_type", "comparison_type", "TOTALORDER");
  tn__case_enum(&c, "comparison_direction", "comparison_direction", "EQ");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(4), a);
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(4), b);
  tn__case_result(&c, TN_DTYPE_PRED, TN_DIMS(4));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint8_t, 0, 1, 0, 1);
  tn__case_end(&c);
}

// The exponential of a number for which the default is not correctly rounded where it has vectors.
static float exponential(const char* mode, int64_t ulps, double rtol) {
  static const float x[] = {0x1.507576p+2f};
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.exponential");
  const size_t first = c.attr_count;
  tn__case_float(&c, "rtol", rtol);
  tn__case_integer(&c, "ulps", ulps);
  tn__case_enum(&c, "mode", "result_accuracy_mode", mode);
  tn__case_struct(&c, "result_accuracy", "result_accuracy", first);
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(1), x);
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(1));
  TN_ASSERT_OK(tn__case_run(&c));
  const float result = *(const float*)c.results[0];
  tn__case_end(&c);
  return result;
}

static void result_accuracy_chooses_the_function(void** state) {
  (void)state;
  const float correct = (float)exp(0x1.507576p+2), usual = exponential("DEFAULT", 0, 0);
  assert_true(exponential("HIGHEST", 0, 0) == correct);
  assert_true(exponential("TOLERANCE", 0, 0) == correct);
  assert_true(exponential("TOLERANCE", 0, 0x1p-24) == correct);
  assert_true(exponential("TOLERANCE", 1, 0) == usual);
  assert_true(exponential("TOLERANCE", 0, 0x1p-23) == usual);
  const bool has_vectors = tn__loops(TN_NATIVE_F32) != tn__loops_of(TN_ISA_BASE, TN_NATIVE_F32);
  assert_int_equal(usual != correct, has_vectors);
}

static void unary_kernels_may_change_the_dtype(void** state) {
  (void)state;
  const float numbers[] = {3, -4, INFINITY, NAN};
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.abs");
  tn__case_operand(&c, TN_DTYPE_C64, TN_DIMS(2), numbers);
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, float, 5, INFINITY);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.is_finite");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(4), numbers);
  tn__case_result(&c, TN_DTYPE_PRED, TN_DIMS(4));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint8_t, 1, 1, 0, 0);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.complex");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(2), numbers);
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(2), numbers + 1);
  tn__case_result(&c, TN_DTYPE_C64, TN_DIMS(2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, float, 3, -4, -4, INFINITY);
  tn__case_end(&c);
}

static void kernels_are_whole_across_threads(void** state) {
  (void)state;
  enum { COUNT = 300007 };
  float* values = malloc(COUNT * sizeof *values);
  assert_non_null(values);
  for (int i = 0; i < COUNT; ++i) values[i] = (float)i;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.add");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(COUNT), values);
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(COUNT), values);
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(COUNT));
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 4}, tn_allocator_system(), &c.pool));
  c.in_place = true;
  TN_ASSERT_OK(tn__case_run(&c));
  for (int i = 0; i < COUNT; ++i) assert_true(((float*)c.results[0])[i] == 2 * (float)i);
  tn__pool_release(c.pool);
  tn__case_end(&c);
  free(values);
}

static void operations_without_meaning_have_no_kernel(void** state) {
  (void)state;
  const tn_type_t* types[2] = {tn__type_scalar(TN_DTYPE_PRED), tn__type_scalar(TN_DTYPE_PRED)};
  const tn_op_use_t use = {.op = tn__op_find(tn__sv("stablehlo.divide")),
                           .operand_count = 2,
                           .operand_types = types,
                           .result_count = 1,
                           .result_types = types};
  assert_null(tn__kernel_find(&tn__compile_target_host, &use));
}

static void clamp_takes_scalars_and_arrays(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.clamp");
  tn__case_operand(&c, TN_DTYPE_F32, TN_SCALAR, (float[]){-1});
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(5), (float[]){-3, -0.5f, 2, INFINITY, 1});
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(5), (float[]){9, 9, 1, 7, -2});
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(5));
  TN_ASSERT_OK(tn__case_run(&c));
  // Where the lower bound is the greater one, the upper bound wins.
  TN_ASSERT_RESULT(&c, float, -1, -0.5f, 1, 7, -2);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.clamp");
  tn__case_operand(&c, TN_DTYPE_S4, TN_SCALAR, (int8_t[]){-4});
  tn__case_operand(&c, TN_DTYPE_S4, TN_DIMS(3), (int8_t[]){-8, 0, 7});
  tn__case_operand(&c, TN_DTYPE_S4, TN_SCALAR, (int8_t[]){3});
  tn__case_result(&c, TN_DTYPE_S4, TN_DIMS(3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int8_t, -4, 0, 3);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.clamp");
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){2});
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){1});
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){5});
  tn__case_result(&c, TN_DTYPE_S32, TN_SCALAR);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 2);
  tn__case_end(&c);
}

// Longer than a chunk, with every dtype: as minimum(maximum(...)) of each element.
static void clamp_is_whole_across_chunks(void** state) {
  (void)state;
  enum { COUNT = 1100 };
  const tn_dtype_t dtypes[] = {TN_DTYPE_F64, TN_DTYPE_BF16, TN_DTYPE_F8E5M2, TN_DTYPE_U8};
  int32_t values[COUNT];
  for (int i = 0; i < COUNT; ++i) values[i] = (i * 7919) % 40;
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
    double numbers[COUNT], low, high, results[COUNT];
    tn__convert_elements(TN_DTYPE_S32, values, dtypes[d], numbers, COUNT);
    tn__convert_elements(TN_DTYPE_S32, (int32_t[]){8}, dtypes[d], &low, 1);
    tn__convert_elements(TN_DTYPE_S32, (int32_t[]){24}, dtypes[d], &high, 1);
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.clamp");
    tn__case_operand(&c, dtypes[d], TN_SCALAR, &low);
    tn__case_operand(&c, dtypes[d], TN_DIMS(COUNT), numbers);
    tn__case_operand(&c, dtypes[d], TN_SCALAR, &high);
    tn__case_result(&c, dtypes[d], TN_DIMS(COUNT));
    TN_ASSERT_OK(tn__case_run(&c));
    tn__convert_elements(dtypes[d], numbers, TN_DTYPE_F64, results, COUNT);
    for (int i = 0; i < COUNT; ++i) {
      double wanted = fmin(fmax(results[i], 8), 24), got;
      tn__convert_elements(dtypes[d],
                           (char*)c.results[0] + (size_t)i * tn_dtype_byte_size(dtypes[d]),
                           TN_DTYPE_F64, &got, 1);
      assert_true(got == wanted);
    }
    tn__case_end(&c);
  }
}

static void select_takes_one_predicate_or_many(void** state) {
  (void)state;
  const double a[] = {1, 2, 3}, b[] = {-1, -2, -3};
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.select");
  tn__case_operand(&c, TN_DTYPE_PRED, TN_DIMS(3), (uint8_t[]){1, 0, 1});
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(3), a);
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(3), b);
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, double, 1, -2, 3);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.select");
  tn__case_operand(&c, TN_DTYPE_PRED, TN_SCALAR, (uint8_t[]){0});
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(3), a);
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(3), b);
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, double, -1, -2, -3);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.select");
  tn__case_operand(&c, TN_DTYPE_PRED, TN_SCALAR, (uint8_t[]){1});
  tn__case_operand(&c, TN_DTYPE_S8, TN_SCALAR, (int8_t[]){4});
  tn__case_operand(&c, TN_DTYPE_S8, TN_SCALAR, (int8_t[]){5});
  tn__case_result(&c, TN_DTYPE_S8, TN_SCALAR);
  c.in_place = true;
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int8_t, 4);
  tn__case_end(&c);
}

static void select_knows_every_size_of_element(void** state) {
  (void)state;
  enum { COUNT = 67 };  // no multiple of any vector
  const tn_dtype_t dtypes[] = {TN_DTYPE_S4, TN_DTYPE_BF16, TN_DTYPE_U32, TN_DTYPE_C64,
                               TN_DTYPE_C128};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
    const size_t size = tn_dtype_byte_size(dtypes[d]);
    uint8_t predicate[COUNT], a[COUNT * 16], b[COUNT * 16];
    for (size_t i = 0; i < sizeof a; ++i) a[i] = (uint8_t)(i % 127);
    for (size_t i = 0; i < sizeof b; ++i) b[i] = (uint8_t)(i % 121 + 128);
    for (size_t i = 0; i < COUNT; ++i) predicate[i] = i * i % 7 % 2;
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.select");
    tn__case_operand(&c, TN_DTYPE_PRED, TN_DIMS(COUNT), predicate);
    tn__case_operand(&c, dtypes[d], TN_DIMS(COUNT), a);
    tn__case_operand(&c, dtypes[d], TN_DIMS(COUNT), b);
    tn__case_result(&c, dtypes[d], TN_DIMS(COUNT));
    TN_ASSERT_OK(tn__case_run(&c));
    for (size_t i = 0; i < COUNT; ++i) {
      if (predicate[i]) memcpy(b + i * size, a + i * size, size);
    }
    assert_memory_equal(c.results[0], b, COUNT * size);
    tn__case_end(&c);
  }
}

static void convert_is_whole_across_threads(void** state) {
  (void)state;
  enum { COUNT = 100003 };
  int32_t* values = malloc(COUNT * sizeof *values);
  assert_non_null(values);
  for (int i = 0; i < COUNT; ++i) values[i] = i % 200;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.convert");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(COUNT), values);
  tn__case_result(&c, TN_DTYPE_BF16, TN_DIMS(COUNT));
  TN_ASSERT_OK(tn__pool_create(NULL, tn_allocator_system(), &c.pool));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int i = 0; i < COUNT; ++i) {
    float got;
    tn__convert_elements(TN_DTYPE_BF16, (uint16_t*)c.results[0] + i, TN_DTYPE_F32, &got, 1);
    assert_true(got == (float)(i % 200));
  }
  tn__pool_release(c.pool);
  tn__case_end(&c);
  free(values);
}

static void bitcast(tn_dtype_t from, size_t from_rank, const int64_t* from_dims, const void* data,
                    tn_dtype_t to, size_t to_rank, const int64_t* to_dims, const void* wanted) {
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.bitcast_convert");
  tn__case_operand(&c, from, from_rank, from_dims, data);
  tn__case_result(&c, to, to_rank, to_dims);
  TN_ASSERT_OK(tn__case_run(&c));
  assert_memory_equal(c.results[0], wanted, tn__type_byte_size(c.result_types[0]));
  tn__case_end(&c);
}

static void bitcast_puts_the_least_significant_first(void** state) {
  (void)state;
  bitcast(TN_DTYPE_U32, TN_DIMS(2), (uint32_t[]){0x44332211, 0x88776655}, TN_DTYPE_U8,
          TN_DIMS(2, 4), (uint8_t[]){0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88});
  bitcast(TN_DTYPE_U16, TN_DIMS(2, 2), (uint16_t[]){0x0000, 0x3f80, 1, 0}, TN_DTYPE_F32, TN_DIMS(2),
          (float[]){1, 0x1p-149f});
  bitcast(TN_DTYPE_C64, TN_DIMS(1), (float[]){1, -2}, TN_DTYPE_F32, TN_DIMS(1, 2),
          (float[]){1, -2});
  bitcast(TN_DTYPE_F64, TN_SCALAR, (double[]){-0.0}, TN_DTYPE_S64, TN_SCALAR,
          (int64_t[]){INT64_MIN});
}

static void bitcast_counts_bits_below_a_byte(void** state) {
  (void)state;
  bitcast(TN_DTYPE_U8, TN_DIMS(2), (uint8_t[]){0xa3, 0x7f}, TN_DTYPE_U4, TN_DIMS(2, 2),
          (uint8_t[]){0x3, 0xa, 0xf, 0x7});
  bitcast(TN_DTYPE_U8, TN_DIMS(1), (uint8_t[]){0xa3}, TN_DTYPE_S4, TN_DIMS(1, 2),
          (int8_t[]){3, -6});
  bitcast(TN_DTYPE_S4, TN_DIMS(1, 2), (int8_t[]){3, -6}, TN_DTYPE_U8, TN_DIMS(1),
          (uint8_t[]){0xa3});
  bitcast(TN_DTYPE_S4, TN_DIMS(2), (int8_t[]){-1, 5}, TN_DTYPE_U4, TN_DIMS(2), (uint8_t[]){15, 5});
  bitcast(TN_DTYPE_U8, TN_SCALAR, (uint8_t[]){0x85}, TN_DTYPE_PRED, TN_DIMS(8),
          (uint8_t[]){1, 0, 1, 0, 0, 0, 0, 1});
  bitcast(TN_DTYPE_PRED, TN_DIMS(1, 8), (uint8_t[]){1, 0, 1, 0, 0, 0, 0, 1}, TN_DTYPE_S8,
          TN_DIMS(1), (int8_t[]){-123});
  uint8_t bits[64] = {0};
  bits[63] = 1;
  bitcast(TN_DTYPE_F64, TN_SCALAR, (double[]){-0.0}, TN_DTYPE_PRED, TN_DIMS(64), bits);
  bitcast(TN_DTYPE_U4, TN_DIMS(1), (uint8_t[]){0x6}, TN_DTYPE_F4E2M1FN, TN_DIMS(1),
          (uint8_t[]){0x6});
}

static void reduce(tn_dtype_t dtype, int64_t exponent_bits, int64_t mantissa_bits, double value,
                   double wanted) {
  double operand, got;
  tn__convert_elements(TN_DTYPE_F64, &value, dtype, &operand, 1);
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.reduce_precision");
  tn__case_integer(&c, "exponent_bits", exponent_bits);
  tn__case_integer(&c, "mantissa_bits", mantissa_bits);
  tn__case_operand(&c, dtype, TN_SCALAR, &operand);
  tn__case_result(&c, dtype, TN_SCALAR);
  TN_ASSERT_OK(tn__case_run(&c));
  tn__convert_elements(dtype, c.results[0], TN_DTYPE_F64, &got, 1);
  bool same = got == wanted && !signbit(got) == !signbit(wanted);
  if (!same && !(isnan(got) && isnan(wanted))) {
    fail_msg("%a of %s to e%dm%d: got %a, wanted %a", value, tn_dtype_name(dtype),
             (int)exponent_bits, (int)mantissa_bits, got, wanted);
  }
  tn__case_end(&c);
}

static void reduce_precision_rounds_to_nearest_even(void** state) {
  (void)state;
  const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_F16};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
    reduce(dtypes[d], 5, 2, 1.125, 1);    // a tie
    reduce(dtypes[d], 5, 2, 1.375, 1.5);  // a tie
    reduce(dtypes[d], 5, 2, -1.15625, -1.25);
    reduce(dtypes[d], 5, 2, 1.9375, 2);
    reduce(dtypes[d], 5, 0, 1.5, 2);  // ties go to the exponent whose lowest bit is 0
    reduce(dtypes[d], 5, 0, 3, 2);
    reduce(dtypes[d], 11, 52, 1.0009765625, 1.0009765625);
    reduce(dtypes[d], 5, 2, NAN, NAN);
    reduce(dtypes[d], 5, 2, -INFINITY, -INFINITY);
  }
}

static void reduce_precision_overflows_and_flushes(void** state) {
  (void)state;
  reduce(TN_DTYPE_F32, 5, 10, 65504, 65504);
  reduce(TN_DTYPE_F32, 5, 10, 65519, 65504);
  reduce(TN_DTYPE_F32, 5, 10, 65520, INFINITY);
  reduce(TN_DTYPE_F32, 5, 10, -1e30, -INFINITY);
  reduce(TN_DTYPE_F32, 5, 10, 0x1p-14, 0x1p-14);
  reduce(TN_DTYPE_F32, 5, 10, 0x1.ffp-15, 0.0);
  reduce(TN_DTYPE_F32, 5, 10, 0x1.fffp-15, 0x1p-14);  // rounds up before it is too small
  reduce(TN_DTYPE_F32, 5, 10, -0x1p-24, -0.0);
  reduce(TN_DTYPE_F32, 8, 7, 0x1.fffffep+127, INFINITY);
  reduce(TN_DTYPE_F32, 8, 23, 0x1p-149, 0x1p-149);
  reduce(TN_DTYPE_F64, 8, 23, 0x1p-127, 0.0);
}

static void reduce_precision_knows_formats_without_infinity(void** state) {
  (void)state;
  reduce(TN_DTYPE_F8E4M3FN, 8, 23, 448, 448);
  reduce(TN_DTYPE_F8E4M3FN, 8, 1, 448, NAN);  // 512 is out of range
  reduce(TN_DTYPE_F8E4M3FN, 8, 1, 1.125, 1);
  reduce(TN_DTYPE_F4E2M1FN, 8, 0, 1.5, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compare_reads_its_attributes),
      cmocka_unit_test(result_accuracy_chooses_the_function),
      cmocka_unit_test(unary_kernels_may_change_the_dtype),
      cmocka_unit_test(kernels_are_whole_across_threads),
      cmocka_unit_test(operations_without_meaning_have_no_kernel),
      cmocka_unit_test(clamp_takes_scalars_and_arrays),
      cmocka_unit_test(clamp_is_whole_across_chunks),
      cmocka_unit_test(select_takes_one_predicate_or_many),
      cmocka_unit_test(select_knows_every_size_of_element),
      cmocka_unit_test(convert_is_whole_across_threads),
      cmocka_unit_test(bitcast_puts_the_least_significant_first),
      cmocka_unit_test(bitcast_counts_bits_below_a_byte),
      cmocka_unit_test(reduce_precision_rounds_to_nearest_even),
      cmocka_unit_test(reduce_precision_overflows_and_flushes),
      cmocka_unit_test(reduce_precision_knows_formats_without_infinity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
