// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

static tn_array_t* places(tn_scope_t* s, size_t rank, const int64_t* dims, const int32_t* values) {
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)dims[i];
  return tn_array_from_host(s, TN_DTYPE_S32, rank, dims, values, count * sizeof *values);
}
#define INDEX(x, ...)                                                              \
  tn_array_index(s, (x), sizeof((tn_index_t[]){__VA_ARGS__}) / sizeof(tn_index_t), \
                 (tn_index_t[]){__VA_ARGS__})
#define UPDATE(x, updates, mode, ...)                                                     \
  tn_array_index_update(s, (x), sizeof((tn_index_t[]){__VA_ARGS__}) / sizeof(tn_index_t), \
                        (tn_index_t[]){__VA_ARGS__}, (updates), (mode))

static void slices_are_pythons(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(3, 4));
  TN_ASSERT_F32(INDEX(x, TN_AT(-1)), TN_LIST(4), 8, 9, 10, 11);
  TN_ASSERT_F32(INDEX(x, TN_ELLIPSIS, TN_AT(1)), TN_LIST(3), 1, 5, 9);
  TN_ASSERT_F32(INDEX(x, TN_SLICE(1, TN_INDEX_OPEN), TN_NEW_AXIS,
                      TN_SLICE_BY(TN_INDEX_OPEN, TN_INDEX_OPEN, -2)),
                TN_LIST(2, 1, 2), 7, 5, 11, 9);
  TN_ASSERT_F32(INDEX(x, TN_SLICE(-100, 1), TN_SLICE_BY(2, TN_INDEX_OPEN, -1)), TN_LIST(1, 3), 2, 1,
                0);
  tn_array_t* failures[] = {INDEX(x, TN_AT(3)), INDEX(x, TN_AT(0), TN_AT(0), TN_AT(0)),
                            INDEX(x, TN_AT_ARRAY(x))};
  TN_ASSERT_REPORT("index: 3 is outside of axis 0 of the shape 3x4",
                   tn_array_eval(1, &failures[0]));
  TN_ASSERT_REPORT("index: 3 indices and 0 ellipses", tn_array_eval(1, &failures[1]));
  TN_ASSERT_REPORT("index: indices are f32; expected integers", tn_array_eval(1, &failures[2]));
  tn_scope_destroy(s);
}

static void arrays_choose_elements(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3, 4));
  tn_array_t* i = places(s, TN_LIST(2), (int32_t[]){-1, 0});
  TN_ASSERT_F32(INDEX(x, TN_AT(1), TN_AT_ARRAY(i), TN_AT_ARRAY(i)), TN_LIST(2), 23, 12);
  TN_ASSERT_F32(INDEX(x, TN_ALL, TN_AT_ARRAY(i), TN_AT(2)), TN_LIST(2, 2), 10, 2, 22, 14);
  // With a slice between them the arrays' dimensions come first.
  TN_ASSERT_F32(INDEX(x, TN_AT_ARRAY(i), TN_SLICE(0, 1), TN_AT_ARRAY(i)), TN_LIST(2, 1), 15, 0);
  TN_ASSERT_F32(tn_array_take(s, tn__testing_range(s, TN_LIST(3)),
                              places(s, TN_LIST(2, 1), (int32_t[]){2, -2}), TN_ALL_AXES),
                TN_LIST(2, 1), 2, 1);
  tn_scope_destroy(s);
}

static void updates_outside_go_nowhere(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *x = tn__testing_range(s, TN_LIST(2, 4)), *y = NULL;
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 1);
  tn_array_t* far = places(s, TN_LIST(4), (int32_t[]){0, 2, -3, 99});
  tn_array_t* narrow = tn_array_from_host(s, TN_DTYPE_U8, TN_LIST(2), (const uint8_t[]){3, 200}, 2);
  TN_ASSERT_F32(UPDATE(x, one, TN_SCATTER_ADD, TN_AT_ARRAY(far)), TN_LIST(2, 4), 1, 2, 3, 4, 4, 5,
                6, 7);
  TN_ASSERT_F32(UPDATE(x, one, TN_SCATTER_ADD, TN_AT_ARRAY(far), TN_SLICE(0, 2)), TN_LIST(2, 4), 1,
                2, 2, 3, 4, 5, 6, 7);
  TN_ASSERT_F32(UPDATE(x, one, TN_SCATTER_ADD, TN_SLICE(1, 2), TN_AT_ARRAY(far)), TN_LIST(2, 4), 0,
                1, 2, 3, 5, 6, 7, 7);
  TN_ASSERT_F32(UPDATE(x, one, TN_SCATTER_SET, TN_ELLIPSIS, TN_SLICE_BY(1, TN_INDEX_OPEN, -1),
                       TN_NEW_AXIS, TN_AT_ARRAY(narrow)),
                TN_LIST(2, 4), 0, 1, 2, 1, 4, 5, 6, 1);
  tn_array_t* cube = tn__testing_range(s, TN_LIST(2, 2, 2));
  TN_ASSERT_F32(UPDATE(cube, one, TN_SCATTER_ADD, TN_AT(-1), TN_SLICE(0, 1), TN_AT_ARRAY(far)),
                TN_LIST(2, 2, 2), 0, 1, 2, 3, 5, 5, 6, 7);
  y = UPDATE(tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 4)), one, TN_SCATTER_SET, TN_AT_ARRAY(far),
             TN_SLICE(0, 2));
  TN_ASSERT_REPORT("is empty", tn_array_eval(1, &y));
  tn_scope_destroy(s);
}

static void updates_go_where_the_index_says(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 4));
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 1);
  tn_array_t* i = places(s, TN_LIST(3), (int32_t[]){0, 1, 1});
  TN_ASSERT_F32(UPDATE(x, one, TN_SCATTER_SET, TN_AT(0), TN_SLICE(1, 3)), TN_LIST(2, 4), 0, 1, 1, 3,
                4, 5, 6, 7);
  TN_ASSERT_F32(
      UPDATE(x, one, TN_SCATTER_SUBTRACT, TN_ALL, TN_SLICE_BY(TN_INDEX_OPEN, TN_INDEX_OPEN, -3)),
      TN_LIST(2, 4), -1, 1, 2, 2, 3, 5, 6, 6);
  TN_ASSERT_F32(UPDATE(x, one, TN_SCATTER_ADD, TN_AT_ARRAY(i)), TN_LIST(2, 4), 1, 2, 3, 4, 6, 7, 8,
                9);
  TN_ASSERT_F32(UPDATE(x, one, TN_SCATTER_ADD, TN_AT_ARRAY(i), TN_SLICE(0, 2)), TN_LIST(2, 4), 1, 2,
                2, 3, 6, 7, 6, 7);
  TN_ASSERT_F32(tn_array_put_along_axis(s, x, places(s, TN_LIST(2, 1), (int32_t[]){3, 0}), one, 1,
                                        TN_SCATTER_SET),
                TN_LIST(2, 4), 0, 1, 2, 1, 1, 5, 6, 7);
  tn_scope_destroy(s);
}

// --- masks

static tn_array_t* above(tn_scope_t* s, tn_array_t* x, double limit) {
  return tn_array_greater(s, x, tn_array_scalar(s, TN_DTYPE_F32, limit));
}

static void masks_select_what_is_true(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  TN_ASSERT_F32(INDEX(x, TN_AT_ARRAY(above(s, x, 2.5))), TN_LIST(3), 3, 4, 5);
  tn_array_t* rows = above(s, INDEX(x, TN_ALL, TN_AT(0)), 1);
  TN_ASSERT_F32(INDEX(x, TN_AT_ARRAY(rows)), TN_LIST(1, 3), 3, 4, 5);
  tn_array_t* none = INDEX(x, TN_AT_ARRAY(above(s, x, 9)));
  TN_ASSERT_OK(tn_array_eval(1, &none));
  assert_int_equal(tn_array_size(none), 0);
  tn_array_t* all = above(s, INDEX(x, TN_AT(0), TN_AT(2)), 1);
  tn_array_t* nothing = tn_array_logical_not(s, all);
  TN_ASSERT_F32(INDEX(x, TN_AT_ARRAY(all)), TN_LIST(1, 2, 3), 0, 1, 2, 3, 4, 5);
  tn_array_t* part = INDEX(x, TN_AT_ARRAY(nothing));
  TN_ASSERT_OK(tn_array_eval(1, &part));
  assert_true(tn_array_rank(part) == 3 && tn_array_dim(part, 0) == 0 && tn_array_dim(part, 2) == 3);
  TN_ASSERT_F32(INDEX(INDEX(x, TN_AT(1), TN_AT(0)), TN_AT_ARRAY(all)), TN_LIST(1), 3);
  tn_array_t* seven = tn_array_scalar(s, TN_DTYPE_F32, 7);
  TN_ASSERT_F32(UPDATE(INDEX(x, TN_AT(0)), seven, TN_SCATTER_SET, TN_AT_ARRAY(all)), TN_LIST(3), 7,
                7, 7);
  TN_ASSERT_F32(UPDATE(INDEX(x, TN_AT(0)), seven, TN_SCATTER_ADD, TN_AT_ARRAY(nothing)), TN_LIST(3),
                0, 1, 2);
  tn_array_t* wrong = INDEX(x, TN_AT_ARRAY(above(s, INDEX(x, TN_AT(0)), 1)));
  TN_ASSERT_REPORT("index: a mask of shape 3 does not fit the shape 2x3 from dimension 0 on",
                   tn_array_eval(1, &wrong));
  tn_scope_destroy(s);
}

static void updates_of_a_mask_are_dealt_out(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* mask = above(s, x, 2.5);
  tn_array_t* list = tn__testing_f32(s, TN_LIST(3), (const float[]){10, 20, 30});
  TN_ASSERT_F32(UPDATE(x, list, TN_SCATTER_SET, TN_AT_ARRAY(mask)), TN_LIST(2, 3), 0, 1, 2, 10, 20,
                30);
  TN_ASSERT_F32(UPDATE(x, list, TN_SCATTER_ADD, TN_AT_ARRAY(above(s, x, 0.5))), TN_LIST(2, 3), 0,
                11, 22, 33, 4, 5);
  TN_ASSERT_F32(UPDATE(x, tn_array_scalar(s, TN_DTYPE_F32, 7), TN_SCATTER_SET, TN_AT_ARRAY(mask)),
                TN_LIST(2, 3), 0, 1, 2, 7, 7, 7);
  tn_scope_destroy(s);
}

static tn_status_t read_positive(void* user, tn_scope_t* s, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* found = INDEX(inputs[0], TN_AT_ARRAY(above(s, inputs[0], 0)));
  out[0] = tn_array_sum(s, tn_array_multiply(s, found, found), 0, NULL, false);
  return TN_OK;
}

static tn_status_t update_positive(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* mask = above(s, inputs[0], 0);
  out[0] = UPDATE(inputs[0], tn_array_scalar(s, TN_DTYPE_F32, -1), TN_SCATTER_MULTIPLY,
                  TN_AT_ARRAY(mask));
  return TN_OK;
}

static void masks_without_values_are_read_by_nobody(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t read = {read_positive, NULL}, update = {update_positive, NULL};
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2, 2), (const float[]){1, -1, 2, 3});
  tn_array_t* y = NULL;
  static const char message[] =
      "index: the shape of what a mask selects follows from the mask's values";
  TN_ASSERT_REPORT(message, tn_vmap(s, &read, 1, &x, NULL, 1, NULL, &y));
  tn_compiled_t* compiled = NULL;
  TN_ASSERT_OK(tn_closure_compile(s, &read, NULL, &compiled));
  TN_ASSERT_REPORT(message, tn_compiled_call(compiled, s, 1, &x, 1, &y));
  tn_compiled_release(compiled);
  // The inputs of a derivative have values.
  TN_ASSERT_OK(tn_grad(s, &read, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2, 2), 2, 0, 4, 6);
  TN_ASSERT_OK(tn_vmap(s, &update, 1, &x, NULL, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2, 2), -1, -1, -2, -3);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_are_pythons),
      cmocka_unit_test(arrays_choose_elements),
      cmocka_unit_test(updates_go_where_the_index_says),
      cmocka_unit_test(updates_outside_go_nowhere),
      cmocka_unit_test(masks_select_what_is_true),
      cmocka_unit_test(updates_of_a_mask_are_dealt_out),
      cmocka_unit_test(masks_without_values_are_read_by_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
