// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "lazy/testing_lazy.h"

// The elements as float32, whatever they are.
#define NUMBERS(array) tn_array_astype(s, (array), TN_DTYPE_F32)

static void nans_come_last(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(5), (float[]){2, NAN, -1, 2, 0});
  TN_ASSERT_F32(NUMBERS(tn_array_argsort(s, x, 0)), TN_LIST(5), 2, 4, 0, 3, 1);
  tn_array_t* sorted = tn_array_sort(s, x, 0);
  TN_ASSERT_F32(tn_array_nan_to_num(s, sorted, 9, NULL, NULL), TN_LIST(5), -1, 0, 2, 2, 9);
  tn_array_t* values = tn__testing_f32(s, TN_LIST(3), (float[]){2, NAN, -5});
  TN_ASSERT_F32(NUMBERS(tn_array_searchsorted(s, sorted, values, false)), TN_LIST(3), 2, 4, 0);
  TN_ASSERT_F32(NUMBERS(tn_array_searchsorted(s, sorted, values, true)), TN_LIST(3), 4, 5, 0);
  tn_scope_destroy(s);
}

static void complex_numbers_have_an_order(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x =
      tn_array_view(s, tn__testing_f32(s, TN_LIST(6), (float[]){1, 2, 0, 5, 1, -2}), TN_DTYPE_C64);
  tn_array_t* sorted = tn_array_sort(s, x, 0);
  TN_ASSERT_F32(tn_array_imag(s, sorted), TN_LIST(3), 5, -2, 2);
  tn_scope_destroy(s);
}

static void the_largest_are_at_the_end(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2, 3), (float[]){5, 1, 3, 0, 9, 2});
  const int64_t last = -1, away = 2;
  TN_ASSERT_F32(tn_array_topk(s, x, 2, last), TN_LIST(2, 2), 3, 5, 2, 9);
  tn_array_t* failures[] = {tn_array_topk(s, x, 4, last), tn_array_sort(s, x, away),
                            tn_array_partition(s, x, 3, last)};
  TN_ASSERT_REPORT("topk: k is 4; expected 0 to 3", tn_array_eval(1, &failures[0]));
  TN_ASSERT_REPORT("sort: axis 2 is out of range", tn_array_eval(1, &failures[1]));
  TN_ASSERT_REPORT("partition: index 3 is out of bounds for an axis of 3",
                   tn_array_eval(1, &failures[2]));
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nans_come_last),
      cmocka_unit_test(complex_numbers_have_an_order),
      cmocka_unit_test(the_largest_are_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
