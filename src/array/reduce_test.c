// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "lazy/testing_lazy.h"

// The elements as float32, whatever they are.
#define NUMBERS(array) tn_array_astype(s, (array), TN_DTYPE_F32)

static void means_and_variances_are_floats(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* i = tn_array_astype(s, x, TN_DTYPE_S8);
  TN_ASSERT_F32(tn_array_mean(s, i, TN_LIST(1), false), TN_LIST(2), 1, 4);
  TN_ASSERT_F32(tn_array_var(s, i, TN_LIST(0), true, 1), TN_LIST(1, 3), 4.5f, 4.5f, 4.5f);
  TN_ASSERT_F32(tn_array_median(s, i, 0, NULL, false), TN_NO_DIMS, 2.5f);
  assert_int_equal(tn_array_dtype(tn_array_sum(s, i, 0, NULL, false)), TN_DTYPE_S32);
  tn_scope_destroy(s);
}

static void extremes_say_where_they_are(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2, 3), (float[]){3, 1, 3, 0, NAN, 2});
  tn_array_t* place = tn_array_argmax(s, x, -1, false);
  assert_int_equal(tn_array_dtype(place), TN_DTYPE_U32);
  TN_ASSERT_F32(NUMBERS(place), TN_LIST(2), 0, 1);
  TN_ASSERT_F32(NUMBERS(tn_array_argmin(s, x, TN_ALL_AXES, true)), TN_LIST(1, 1), 4);
  TN_ASSERT_F32(NUMBERS(tn_array_max(s, tn_array_astype(s, x, TN_DTYPE_S32), TN_LIST(-1), false)),
                TN_LIST(2), 3, 2);
  tn_array_t* none = tn_array_max(s, tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 2)), TN_LIST(0), 0);
  TN_ASSERT_REPORT("max: axis 0 of the shape 0x2 is empty", tn_array_eval(1, &none));
  tn_scope_destroy(s);
}

static void infinities_have_a_logsumexp(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2, 2), (float[]){-INFINITY, -INFINITY, INFINITY, 0});
  TN_ASSERT_F32(tn_array_logsumexp(s, x, TN_LIST(1), false), TN_LIST(2), -INFINITY, INFINITY);
  TN_ASSERT_F32(tn_array_softmax(s, tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(4)), 0, NULL, false),
                TN_LIST(4), 0.25f, 0.25f, 0.25f, 0.25f);
  tn_scope_destroy(s);
}

static void cumulative_sums_go_both_ways(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  TN_ASSERT_F32(tn_array_cumsum(s, x, 1, false, true), TN_LIST(2, 3), 0, 1, 3, 3, 7, 12);
  TN_ASSERT_F32(tn_array_cumsum(s, x, 1, true, false), TN_LIST(2, 3), 3, 2, 0, 9, 5, 0);
  TN_ASSERT_F32(tn_array_cumprod(s, x, TN_ALL_AXES, false, false), TN_LIST(6), 1, 0, 0, 0, 0, 0);
  TN_ASSERT_F32(tn_array_cummax(s, tn_array_negative(s, x), 1, true, true), TN_LIST(2, 3), -0.0f,
                -1, -2, -3, -4, -5);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(means_and_variances_are_floats),
      cmocka_unit_test(extremes_say_where_they_are),
      cmocka_unit_test(infinities_have_a_logsumexp),
      cmocka_unit_test(cumulative_sums_go_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
