// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "kernel/common/element.h"
#include "kernel/random/random.h"
#include "kernel/testing_kernel.h"

enum { COUNT = 20000 };

// `count` elements drawn with these bounds, converted to doubles.
static void draw(uint64_t run_id, tn_dtype_t dtype, const char* distribution, double a, double b,
                 int64_t count, double* out_numbers) {
  tn_case_t c;
  unsigned char bounds[2][8];
  tn__case_begin(&c, "stablehlo.rng");
  c.random.key = run_id;
  tn__convert_elements(TN_DTYPE_F64, &a, dtype, bounds[0], 1);
  tn__convert_elements(TN_DTYPE_F64, &b, dtype, bounds[1], 1);
  tn__case_operand(&c, dtype, TN_SCALAR, bounds[0]);
  tn__case_operand(&c, dtype, TN_SCALAR, bounds[1]);
  tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(1), &count);
  tn__case_result(&c, dtype, TN_DIMS(count));
  tn__case_enum(&c, "rng_distribution", "rng_distribution", distribution);
  TN_ASSERT_OK(tn__case_run(&c));
  tn__convert_elements(dtype, c.results[0], TN_DTYPE_F64, out_numbers, (size_t)count);
  tn__case_end(&c);
}

static double mean_of(const double* numbers) {
  double sum = 0;
  for (int i = 0; i < COUNT; ++i) sum += numbers[i];
  return sum / COUNT;
}

static double deviation_of(const double* numbers) {
  double mean = mean_of(numbers), sum = 0;
  for (int i = 0; i < COUNT; ++i) sum += (numbers[i] - mean) * (numbers[i] - mean);
  return sqrt(sum / COUNT);
}

static void uniform_numbers_fill_their_range_evenly(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F64,    TN_DTYPE_F32, TN_DTYPE_F16, TN_DTYPE_BF16,
                                      TN_DTYPE_F8E5M2, TN_DTYPE_S8,  TN_DTYPE_U64, TN_DTYPE_S32};
  static double numbers[COUNT];
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; ++i) {
    draw(1, dtypes[i], "UNIFORM", 32, 64, COUNT, numbers);
    int quarters[4] = {0};
    for (int k = 0; k < COUNT; ++k) {
      if (!(numbers[k] >= 32 && numbers[k] < 64)) {
        fail_msg("%s: %g is out of range", tn_dtype_name(dtypes[i]), numbers[k]);
      }
      ++quarters[(int)(numbers[k] - 32) / 8];
    }
    for (int q = 0; q < 4 && dtypes[i] != TN_DTYPE_F8E5M2; ++q) {
      assert_in_range(quarters[q], COUNT / 4 - 400, COUNT / 4 + 400);
    }
  }
}

static void negative_ranges_and_whole_types_are_ranges_as_well(void** state) {
  (void)state;
  static double numbers[COUNT];
  draw(1, TN_DTYPE_S8, "UNIFORM", -128, 127, COUNT, numbers);
  assert_true(fabs(mean_of(numbers)) < 2);
  assert_true(fabs(deviation_of(numbers) - 256 / sqrt(12)) < 1);
  draw(1, TN_DTYPE_F64, "UNIFORM", -1.7e308, 1.7e308, COUNT, numbers);
  for (int i = 0; i < COUNT; ++i) assert_true(isfinite(numbers[i]));
}

static void normal_numbers_have_their_mean_and_deviation(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F64, TN_DTYPE_F32, TN_DTYPE_F16};
  static double numbers[COUNT];
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; ++i) {
    draw(1, dtypes[i], "NORMAL", 10, 2, COUNT, numbers);
    assert_true(fabs(mean_of(numbers) - 10) < 0.06);
    assert_true(fabs(deviation_of(numbers) - 2) < 0.05);
    int within = 0;  // one deviation
    for (int k = 0; k < COUNT; ++k) within += fabs(numbers[k] - 10) < 2;
    assert_in_range(within, (int)(0.6727 * COUNT), (int)(0.6927 * COUNT));
  }
}

static void an_empty_range_gives_its_lower_bound(void** state) {
  (void)state;
  double numbers[3];
  draw(1, TN_DTYPE_S32, "UNIFORM", 5, 5, 3, numbers);
  for (int i = 0; i < 3; ++i) assert_true(numbers[i] == 5);
  draw(1, TN_DTYPE_F32, "UNIFORM", 5, 5, 3, numbers);
  for (int i = 0; i < 3; ++i) assert_true(numbers[i] == 5);
}

static void the_id_of_a_run_decides_its_numbers(void** state) {
  (void)state;
  double first[100], again[100], other[100];
  draw(7, TN_DTYPE_F64, "UNIFORM", 0, 1, 100, first);
  draw(7, TN_DTYPE_F64, "UNIFORM", 0, 1, 100, again);
  draw(8, TN_DTYPE_F64, "UNIFORM", 0, 1, 100, other);
  assert_memory_equal(first, again, sizeof first);
  for (int i = 0; i < 100; ++i) assert_true(first[i] != other[i]);
}

static void every_drawing_of_a_run_gives_new_numbers(void** state) {
  (void)state;
  const float bounds[] = {0, 1};
  const int64_t count = 2;
  float results[2][2];
  tn_kernel_random_t random = {.key = 1};
  for (int i = 0; i < 2; ++i) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.rng");
    c.random = random;
    tn__case_operand(&c, TN_DTYPE_F32, TN_SCALAR, &bounds[0]);
    tn__case_operand(&c, TN_DTYPE_F32, TN_SCALAR, &bounds[1]);
    tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(1), &count);
    tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(count));
    tn__case_enum(&c, "rng_distribution", "rng_distribution", "UNIFORM");
    TN_ASSERT_OK(tn__case_run(&c));
    random = c.random;
    memcpy(results[i], c.results[0], sizeof results[i]);
    tn__case_end(&c);
  }
  assert_int_equal(random.draw_count, 2);
  assert_true(results[0][0] != results[1][0] && results[0][1] != results[1][1]);
}

static void a_shape_other_than_the_results_is_refused(void** state) {
  (void)state;
  const float bounds[] = {0, 1};
  const int64_t count = 3;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.rng");
  tn__case_operand(&c, TN_DTYPE_F32, TN_SCALAR, &bounds[0]);
  tn__case_operand(&c, TN_DTYPE_F32, TN_SCALAR, &bounds[1]);
  tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(1), &count);
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(2));
  tn__case_enum(&c, "rng_distribution", "rng_distribution", "UNIFORM");
  tn_status_t status = tn__case_run(&c);
  assert_int_equal(tn_status_code(status), TN_CODE_INVALID_ARGUMENT);
  tn_status_release(status);
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_numbers_fill_their_range_evenly),
      cmocka_unit_test(negative_ranges_and_whole_types_are_ranges_as_well),
      cmocka_unit_test(normal_numbers_have_their_mean_and_deviation),
      cmocka_unit_test(an_empty_range_gives_its_lower_bound),
      cmocka_unit_test(the_id_of_a_run_decides_its_numbers),
      cmocka_unit_test(every_drawing_of_a_run_gives_new_numbers),
      cmocka_unit_test(a_shape_other_than_the_results_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
