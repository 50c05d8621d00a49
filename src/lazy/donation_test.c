// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory that goes from the operands of a graph to its results.
#include "lazy/testing_lazy.h"

enum { COUNT = 1 << 15 };

static const void* place_of(tn_array_t* array) {
  tn_mapped_array_t view;
  TN_ASSERT_OK(tn_array_map(array, &view));
  tn_array_unmap(array);
  return view.data;
}

// Element 1.
static float one_of(tn_array_t* array) {
  tn_mapped_array_t view;
  TN_ASSERT_OK(tn_array_map(array, &view));
  const float one = ((const float*)view.data)[1];
  tn_array_unmap(array);
  return one;
}

// 0, 1, 2...
static tn_array_t* range(tn_scope_t* s) {
  tn_array_t* array = tn_array_retain(tn_array_arange(s, TN_DTYPE_F32, 0, COUNT, 1));
  TN_ASSERT_OK(tn_array_eval(1, &array));
  return array;
}

// Gives up x before -x * 2 is computed, or after.
static void negate(tn_scope_t* s, bool gives_up, bool* out_is_same_place) {
  tn_array_t* x = range(s);
  const void* place = place_of(x);
  tn_array_t* two = tn_array_scalar(s, TN_DTYPE_F32, 2);
  tn_array_t* y = tn_array_retain(tn_array_multiply(s, tn_array_negative(s, x), two));
  tn_scope_clear(s);
  if (gives_up) tn_array_release(x);
  TN_ASSERT_OK(tn_array_eval(1, &y));
  assert_true(one_of(y) == -2);
  *out_is_same_place = place_of(y) == place;
  if (!gives_up) {
    assert_true(one_of(x) == 1);
    tn_array_release(x);
  }
  tn_array_release(y);
}

// By turns: the graphs are alike but for who holds x. The first of each kind runs step by step.
static void results_take_the_memory_of_operands_that_nobody_else_holds(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  for (int round = 0; round < 6; ++round) {
    bool is_same_place = false;
    negate(s, round % 2 == 0, &is_same_place);
    assert_int_equal(is_same_place, round % 2 == 0);
  }
  tn_scope_destroy(s);
}

// Reversing reads what it has not written yet; and what is mapped or shown by a view stays.
static void memory_that_is_needed_is_left_alone(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  for (int round = 0; round < 3; ++round) {
    tn_array_t* x = range(s);
    tn_array_t* view =
        tn_array_retain(tn_array_slice(s, x, (int64_t[]){1}, (int64_t[]){3}, (int64_t[]){1}));
    tn_array_t* y = tn_array_retain(tn_array_add(s, x, x));
    tn_array_t* sorted = tn_array_retain(tn_array_sort(s, tn_array_negative(s, x), TN_ALL_AXES));
    tn_scope_clear(s);
    tn_array_release(x);
    tn_array_t* results[] = {y, sorted};
    TN_ASSERT_OK(tn_array_eval(2, results));
    TN_ASSERT_F32(view, TN_LIST(2), 1, 2);
    assert_true(one_of(sorted) == -(COUNT - 2));
    tn_array_release(view);
    tn_array_release(y);
    tn_array_release(sorted);
  }
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_take_the_memory_of_operands_that_nobody_else_holds),
      cmocka_unit_test(memory_that_is_needed_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
