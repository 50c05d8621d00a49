// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/control/check.h"

#include <math.h>

#include "kernel/testing_kernel.h"

static tn_status_t run_pair(const char* op, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                            const void* actual, const void* expected) {
  tn_case_t c;
  tn__case_begin(&c, op);
  tn__case_operand(&c, dtype, rank, dims, actual);
  tn__case_operand(&c, dtype, rank, dims, expected);
  const tn_status_t status = tn__case_run(&c);
  tn__case_end(&c);
  return status;
}

static void expect_eq_compares_values(void** state) {
  (void)state;
  const char* op = "check.expect_eq";
  TN_ASSERT_OK(run_pair(op, TN_DTYPE_F32, TN_DIMS(2), (float[]){-0.0f, 1}, (float[]){0, 1}));
  TN_ASSERT_OK(
      run_pair(op, TN_DTYPE_U64, TN_DIMS(1), (uint64_t[]){UINT64_MAX}, (uint64_t[]){UINT64_MAX}));
  TN_ASSERT_CODE(FAILED_PRECONDITION,
                 run_pair(op, TN_DTYPE_F32, TN_DIMS(1), (float[]){NAN}, (float[]){NAN}));
  TN_ASSERT_CODE(FAILED_PRECONDITION, run_pair(op, TN_DTYPE_S64, TN_DIMS(1), (int64_t[]){INT64_MAX},
                                               (int64_t[]){INT64_MAX - 1}));
  TN_ASSERT_OK(run_pair(op, TN_DTYPE_F32, TN_DIMS(0, 3), NULL, NULL));
}

static void failures_name_the_first_element(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "check.expect_eq: element [1, 0] of tensor<2x2xi32> is 3; expected -3 "
      "(2 of 4 elements differ)",
      run_pair("check.expect_eq", TN_DTYPE_S32, TN_DIMS(2, 2), (int32_t[]){1, 2, 3, 4},
               (int32_t[]){1, 2, -3, 5}));
  TN_ASSERT_REPORT(
      "element of tensor<complex<f32>> is (1, 2); expected (1, 3)",
      run_pair("check.expect_eq", TN_DTYPE_C64, TN_SCALAR, (float[]){1, 2}, (float[]){1, 3}));
  TN_ASSERT_REPORT("element of tensor<i1> is true; expected false",
                   run_pair("check.expect_eq", TN_DTYPE_PRED, TN_SCALAR, "\1", "\0"));
  TN_ASSERT_REPORT("is 18446744073709551615; expected 0",
                   run_pair("check.expect_eq", TN_DTYPE_U64, TN_SCALAR, (uint64_t[]){UINT64_MAX},
                            (uint64_t[]){0}));
}

static void expect_almost_eq_has_a_tolerance(void** state) {
  (void)state;
  const char* op = "check.expect_almost_eq";
  TN_ASSERT_OK(run_pair(op, TN_DTYPE_F64, TN_DIMS(4), (double[]){1, NAN, INFINITY, -INFINITY},
                        (double[]){1.0001, NAN, INFINITY, -INFINITY}));
  TN_ASSERT_REPORT("within 0.0001",
                   run_pair(op, TN_DTYPE_F64, TN_DIMS(1), (double[]){1}, (double[]){1.00011}));
  TN_ASSERT_CODE(FAILED_PRECONDITION, run_pair(op, TN_DTYPE_F64, TN_DIMS(1), (double[]){INFINITY},
                                               (double[]){-INFINITY}));
  TN_ASSERT_CODE(FAILED_PRECONDITION,
                 run_pair(op, TN_DTYPE_F64, TN_DIMS(1), (double[]){NAN}, (double[]){1}));
  TN_ASSERT_CODE(FAILED_PRECONDITION,
                 run_pair(op, TN_DTYPE_C128, TN_DIMS(1), (double[]){1, 2}, (double[]){1, 2.1}));
  tn_case_t c;
  tn__case_begin(&c, op);
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(1), (float[]){1});
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(1), (float[]){1.25f});
  tn__case_float(&c, "tolerance", 0.25);
  TN_ASSERT_OK(tn__case_run(&c));
  tn__case_end(&c);
}

static tn_status_t run_close(tn_dtype_t dtype, const void* actual, const void* expected,
                             int64_t least, int64_t most) {
  tn_case_t c;
  tn__case_begin(&c, "check.expect_close");
  tn__case_operand(&c, dtype, TN_SCALAR, actual);
  tn__case_operand(&c, dtype, TN_SCALAR, expected);
  tn__case_integer(&c, "min_ulp_difference", least);
  tn__case_integer(&c, "max_ulp_difference", most);
  const tn_status_t status = tn__case_run(&c);
  tn__case_end(&c);
  return status;
}

static void expect_close_counts_ulps(void** state) {
  (void)state;
  const float one = 1, next = nextafterf(1, 2), previous = nextafterf(1, 0);
  TN_ASSERT_OK(run_close(TN_DTYPE_F32, &next, &previous, 2, 2));
  TN_ASSERT_CODE(FAILED_PRECONDITION, run_close(TN_DTYPE_F32, &next, &previous, 0, 1));
  TN_ASSERT_CODE(FAILED_PRECONDITION, run_close(TN_DTYPE_F32, &next, &previous, 3, 9));
  TN_ASSERT_OK(run_close(TN_DTYPE_F32, &one, &one, 0, 0));
  // Around zero: the smallest numbers of either sign are two apart, the zeros themselves equal.
  const double tiny = nextafter(0, 1), minus_tiny = -tiny, zero = 0, minus_zero = -0.0;
  TN_ASSERT_OK(run_close(TN_DTYPE_F64, &tiny, &minus_tiny, 2, 2));
  TN_ASSERT_OK(run_close(TN_DTYPE_F64, &zero, &minus_zero, 0, 0));
  const uint16_t half = 0x3C00, half_next = 0x3C01;
  TN_ASSERT_OK(run_close(TN_DTYPE_F16, &half, &half_next, 1, 1));
  const float infinite = INFINITY, largest = 3.402823466e38f, nan = NAN;
  TN_ASSERT_CODE(FAILED_PRECONDITION, run_close(TN_DTYPE_F32, &infinite, &largest, 0, 3));
  TN_ASSERT_OK(run_close(TN_DTYPE_F32, &nan, &nan, 0, 0));
  const float near[] = {1, next}, far[] = {previous, 1};
  TN_ASSERT_OK(run_close(TN_DTYPE_C64, near, far, 1, 1));
  const float same[] = {1, 1};
  TN_ASSERT_OK(run_close(TN_DTYPE_C64, near, same, 1, 1));
  TN_ASSERT_CODE(FAILED_PRECONDITION, run_close(TN_DTYPE_C64, same, same, 1, 1));
}

static void constants_are_compared_in_place(void** state) {
  (void)state;
  for (int splat = 0; splat < 2; ++splat) {
    for (int wrong = 0; wrong < 2; ++wrong) {
      tn_case_t c;
      tn__case_begin(&c, "check.expect_eq_const");
      tn__case_operand(&c, TN_DTYPE_S8, TN_DIMS(2), (int8_t[]){7, (int8_t)(wrong ? 8 : 7)});
      const tn_attr_t* value;
      TN_ASSERT_OK(
          tn__attr_elements(&c.arena, c.operand_types[0], splat, (int8_t[]){7, 7}, &value));
      tn__case_attr(&c, "value", value);
      if (wrong) {
        TN_ASSERT_REPORT("element [1] of tensor<2xi8> is 8; expected 7", tn__case_run(&c));
      } else {
        TN_ASSERT_OK(tn__case_run(&c));
      }
      tn__case_end(&c);
    }
  }
}

static void custom_call_targets_have_rules_of_their_own(void** state) {
  (void)state;
  const tn_type_t *f32 = tn__type_scalar(TN_DTYPE_F32), *s32 = tn__type_scalar(TN_DTYPE_S32);
  tn_check_t check;
  bool returns_boolean;
  assert_true(tn__check_find(tn__sv("check.expect_close"), f32, &check, &returns_boolean));
  assert_false(returns_boolean);
  assert_int_equal(check.max_ulps, 3);
  assert_true(tn__check_find(tn__sv("check.expect_almost_eq"), f32, &check, &returns_boolean));
  assert_true(tn__check_holds(&check, f32, (float[]){1}, (float[]){1.0009f}));
  assert_false(tn__check_holds(&check, f32, (float[]){1}, (float[]){1.0011f}));
  assert_true(tn__check_find(tn__sv("check.eq"), s32, &check, &returns_boolean));
  assert_true(returns_boolean);
  assert_int_equal(check.rule, TN_CHECK_EQ);
  assert_true(tn__check_find(tn__sv("check.eq"), f32, &check, &returns_boolean));
  assert_int_equal(check.rule, TN_CHECK_ALMOST_EQ);
  assert_true(tn__check_find(tn__sv("check.expect_eq"), f32, &check, &returns_boolean));
  assert_false(tn__check_find(tn__sv("check.expect"), f32, &check, &returns_boolean));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expect_eq_compares_values),
      cmocka_unit_test(failures_name_the_first_element),
      cmocka_unit_test(expect_almost_eq_has_a_tolerance),
      cmocka_unit_test(expect_close_counts_ulps),
      cmocka_unit_test(constants_are_compared_in_place),
      cmocka_unit_test(custom_call_targets_have_rules_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
