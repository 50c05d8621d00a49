// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/array.h"

#include "lazy/testing_lazy.h"

static void a_graph_is_computed_when_it_is_read(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* y = tn_array_add(s, tn_array_multiply(s, x, x), x);
  assert_false(tn_array_is_evaluated(y));
  TN_ASSERT_F32(y, TN_LIST(2, 3), 0, 2, 6, 12, 20, 30);
  assert_true(tn_array_is_evaluated(y));
  tn_scope_destroy(s);
}

static void a_graph_seen_before_gives_the_same(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  for (int i = 0; i < 5; ++i) {
    tn_array_t* x = tn__testing_range(s, TN_LIST(4));
    tn_array_t* scale = tn_array_scalar(s, TN_DTYPE_F32, i);
    tn_array_t* y = tn_array_sum(s, tn_array_multiply(s, x, scale), 0, NULL, false);
    TN_ASSERT_F32(y, TN_NO_DIMS, 6 * (float)i);
    tn_scope_clear(s);
  }
  tn_scope_destroy(s);
}

static void results_that_nobody_holds_are_not_kept(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_retain(tn__testing_range(s, TN_LIST(4)));
  tn_array_t* y = tn_array_retain(tn_array_exp(s, tn_array_negative(s, tn_array_negative(s, x))));
  tn_scope_clear(s);
  TN_ASSERT_OK(tn_array_eval(1, &y));
  assert_null(y->step);
  tn_array_release(x);
  tn_array_release(y);
  tn_scope_destroy(s);
}

static void views_share_the_elements(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* t = tn_array_transpose(s, x, NULL);
  tn_array_t* r = tn_array_slice(s, t, (int64_t[]){-1, 0}, (int64_t[]){-4, 2}, (int64_t[]){-1, 1});
  tn_mapped_array_t view, base;
  TN_ASSERT_OK(tn_array_map(r, &view));
  TN_ASSERT_OK(tn_array_map(x, &base));
  assert_ptr_equal(view.data, (const float*)base.data + 2);
  assert_true(view.rank == 2 && view.dims[0] == 3 && view.dims[1] == 2);
  assert_true(view.strides[0] == -1 && view.strides[1] == 3);  // in elements
  tn_array_unmap(r);
  tn_array_unmap(x);
  TN_ASSERT_F32(t, TN_LIST(3, 2), 0, 3, 1, 4, 2, 5);
  TN_ASSERT_F32(r, TN_LIST(3, 2), 2, 5, 1, 4, 0, 3);
  TN_ASSERT_F32(tn_array_reshape(s, t, TN_LIST(-1)), TN_LIST(6), 0, 3, 1, 4, 2, 5);
  TN_ASSERT_F32(
      tn_array_add(s, r, tn_array_slice(s, x, (int64_t[]){0, 1}, (int64_t[]){1, 3}, NULL)),
      TN_LIST(3, 2), 3, 7, 2, 6, 1, 5);
  tn_scope_destroy(s);
}

static void a_view_of_a_pending_array_is_read(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  for (int round = 0; round < 3; ++round) {
    tn_array_t* x = tn__testing_range(s, TN_LIST(2, 2));
    tn_array_t* t = tn_array_retain(tn_array_transpose(s, tn_array_add(s, x, x), NULL));
    tn_scope_clear(s);
    TN_ASSERT_F32(t, TN_LIST(2, 2), 0, 4, 2, 6);
    tn_array_release(t);
  }
  tn_scope_destroy(s);
}

static void dtypes_are_promoted(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* i = tn_array_full(s, TN_LIST(2), tn_array_scalar(s, TN_DTYPE_S32, 3));
  tn_array_t* f = tn_array_full(s, TN_LIST(2), tn_array_scalar(s, TN_DTYPE_F32, 0.5));
  TN_ASSERT_F32(tn_array_multiply(s, i, f), TN_LIST(2), 1.5f, 1.5f);
  TN_ASSERT_F32(tn_array_divide(s, i, i), TN_LIST(2), 1, 1);
  assert_int_equal(tn_array_dtype(tn_array_add(s, i, i)), TN_DTYPE_S32);
  tn_scope_destroy(s);
}

static void a_mistake_comes_out_where_it_is_waited_for(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* y = tn__testing_range(s, TN_LIST(4));
  tn_array_t* z = tn_array_exp(s, tn_array_add(s, x, y));
  TN_ASSERT_REPORT("add: shapes 2x3 and 4 do not broadcast", tn_array_eval(1, &z));
  TN_ASSERT_REPORT("add: shapes 2x3 and 4 do not broadcast", tn_array_eval(1, &z));
  tn_array_t* none = tn_array_add(s, x, NULL);
  TN_ASSERT_REPORT("add: operand 1 is NULL", tn_array_eval(1, &none));
  tn_scope_destroy(s);
}

static void an_item_is_exact_in_its_own_dtype(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const int64_t large = INT64_C(9007199254740993);  // 2^53 + 1, which is not a double
  const uint64_t largest = UINT64_MAX;
  const float pair[] = {1.5f, -2};
  int64_t integer = 0;
  uint64_t bits = 0;
  uint8_t byte = 0;
  float parts[2] = {0};
  double value = 0, wide[2] = {0};
  tn_array_t* x = tn_array_scalar_of(s, TN_DTYPE_S64, &large);
  tn_array_t* y = tn_array_scalar_of(s, TN_DTYPE_U64, &largest);
  tn_array_t* z = tn_array_scalar_of(s, TN_DTYPE_C64, pair);
  TN_ASSERT_OK(tn_array_item_as(x, TN_DTYPE_S64, &integer));
  TN_ASSERT_OK(tn_array_item_as(y, TN_DTYPE_U64, &bits));
  TN_ASSERT_OK(tn_array_item_as(z, TN_DTYPE_C64, parts));
  TN_ASSERT_OK(tn_array_item_as(z, TN_DTYPE_C128, wide));
  assert_true(integer == large && bits == largest);
  assert_true(parts[0] == 1.5f && parts[1] == -2 && wide[0] == 1.5 && wide[1] == -2);
  // As tn_array_astype converts: the low bits, the real part, the nearest double.
  TN_ASSERT_OK(tn_array_item_as(y, TN_DTYPE_U8, &byte));
  assert_int_equal(byte, 255);
  TN_ASSERT_OK(tn_array_item_as(z, TN_DTYPE_F64, &value));
  assert_true(value == 1.5);
  TN_ASSERT_OK(tn_array_item(x, &value));
  assert_true(value == 9007199254740992);
  tn_array_t* row = tn__testing_range(s, TN_LIST(3));
  TN_ASSERT_REPORT("tn_array_item_as: the array has the shape 3; expected one element",
                   tn_array_item_as(row, TN_DTYPE_F64, &value));
  assert_true(value == 0);
  TN_ASSERT_REPORT("tn_array_item_as: out_element is NULL",
                   tn_array_item_as(x, TN_DTYPE_S64, NULL));
  TN_ASSERT_REPORT("tn_array_item_as: the dtype is 0 (invalid)",
                   tn_array_item_as(x, TN_DTYPE_INVALID, &value));
  tn_scope_destroy(s);
}

static void a_variable_holds_one_reference(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* weight = NULL;
  tn_array_assign(&weight, tn_array_scalar(s, TN_DTYPE_F32, 1));
  for (int i = 0; i < 3; ++i) {
    tn_array_assign(&weight, tn_array_add(s, weight, tn_array_scalar_like(s, weight, 2.5)));
    tn_array_assign(&weight, weight);
    tn_scope_clear(s);
    TN_ASSERT_OK(tn_array_eval(1, &weight));
  }
  TN_ASSERT_F32(weight, TN_NO_DIMS, 8.5);
  tn_array_assign(&weight, NULL);
  assert_null(weight);
  TN_ASSERT_REPORT("tn_array_scalar_like: like is NULL",
                   tn_array_status(tn_array_scalar_like(s, NULL, 1)));
  tn_array_t* error = tn_array_error(s, tn_status_create(TN_CODE_ABORTED, "stop"));
  TN_ASSERT_REPORT("stop", tn_array_status(tn_array_scalar_like(s, error, 1)));
  tn_scope_destroy(s);
}

static void deep_graphs_are_released(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_retain(tn_array_scalar(s, TN_DTYPE_F32, 1));
  for (int i = 0; i < 200000; ++i) {
    tn_array_t* next = tn_array_retain(tn_array_negative(s, x));
    tn_array_release(x);
    x = next;
    tn_scope_clear(s);
  }
  tn_array_release(x);
  tn_scope_destroy(s);
}

static void operations_go_to_the_default_stream_when_it_is_meant(void** state) {
  (void)state;
  tn_scope_t* s = NULL;
  tn_device_t* device = NULL;
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_scope_create(NULL, &s));
  TN_ASSERT_OK(tn_default_device(&device));
  assert_ptr_equal(tn_scope_device(s), device);
  TN_ASSERT_OK(tn_to_stream((tn_stream_or_device_t){0}, NULL, &stream));
  TN_ASSERT_OK(tn_scope_set_stream(s, stream));
  tn_array_t* y = tn_array_negative(s, tn__testing_range(s, TN_LIST(3)));
  TN_ASSERT_OK(tn_array_async_eval(1, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 0, -1, -2);
  tn_scope_destroy(s);
  tn_stream_release(stream);
  tn_device_release(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_graph_is_computed_when_it_is_read),
      cmocka_unit_test(a_graph_seen_before_gives_the_same),
      cmocka_unit_test(results_that_nobody_holds_are_not_kept),
      cmocka_unit_test(views_share_the_elements),
      cmocka_unit_test(a_view_of_a_pending_array_is_read),
      cmocka_unit_test(dtypes_are_promoted),
      cmocka_unit_test(a_mistake_comes_out_where_it_is_waited_for),
      cmocka_unit_test(an_item_is_exact_in_its_own_dtype),
      cmocka_unit_test(a_variable_holds_one_reference),
      cmocka_unit_test(deep_graphs_are_released),
      cmocka_unit_test(operations_go_to_the_default_stream_when_it_is_meant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
