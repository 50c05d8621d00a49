// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "lazy/testing_lazy.h"

static void dimensions_of_size_one_come_and_go(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(1, 3, 1));
  assert_int_equal(tn_array_rank(tn_array_squeeze(s, x, 0, NULL)), 1);
  TN_ASSERT_F32(tn_array_expand_dims(s, tn_array_squeeze(s, x, TN_LIST(-1)), TN_LIST(0, -1)),
                TN_LIST(1, 1, 3, 1), 0, 1, 2);
  tn_array_t* bad = tn_array_squeeze(s, x, TN_LIST(1));
  TN_ASSERT_REPORT("squeeze: axis 1 of the shape 1x3x1 has size 3", tn_array_eval(1, &bad));
  bad = tn_array_unflatten(s, x, 1, TN_LIST(2, -1));
  TN_ASSERT_REPORT("unflatten: axis 1 of size 3 has no shape", tn_array_eval(1, &bad));
  tn_scope_destroy(s);
}

static void a_diagonal_is_a_view(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(3, 4));
  tn_array_t* line = tn_array_diagonal(s, x, 1, 0, 1);
  tn_mapped_array_t whole, part;
  TN_ASSERT_OK(tn_array_map(x, &whole));
  TN_ASSERT_OK(tn_array_map(line, &part));
  assert_ptr_equal(part.data, (const float*)whole.data + 1);
  tn_array_unmap(line);
  tn_array_unmap(x);
  TN_ASSERT_F32(line, TN_LIST(3), 1, 6, 11);
  TN_ASSERT_F32(tn_array_diag(s, tn__testing_range(s, TN_LIST(2)), -1), TN_LIST(3, 3), 0, 0, 0, 0,
                0, 0, 0, 1, 0);
  TN_ASSERT_F32(tn_array_triu(s, x, 1), TN_LIST(3, 4), 0, 1, 2, 3, 0, 0, 6, 7, 0, 0, 0, 11);
  tn_scope_destroy(s);
}

static void arrays_are_joined_and_cut(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 2));
  tn_array_t* parts[3];
  tn_array_split_at(s, x, TN_LIST(1), 1, parts);
  TN_ASSERT_F32(parts[1], TN_LIST(2, 1), 1, 3);
  TN_ASSERT_F32(tn_array_stack(s, 2, parts, 0), TN_LIST(2, 2, 1), 0, 2, 1, 3);
  TN_ASSERT_F32(tn_array_concatenate(s, 2, (tn_array_t*[]){x, parts[0]}, -1), TN_LIST(2, 3), 0, 1,
                0, 2, 3, 2);
  TN_ASSERT_F32(tn_array_tile(s, parts[1], TN_LIST(2)), TN_LIST(2, 2), 1, 1, 3, 3);
  TN_ASSERT_F32(tn_array_repeat(s, x, 2, TN_ALL_AXES), TN_LIST(8), 0, 0, 1, 1, 2, 2, 3, 3);
  TN_ASSERT_F32(tn_array_roll(s, x, TN_LIST(1), NULL), TN_LIST(2, 2), 3, 0, 1, 2);
  TN_ASSERT_F32(
      tn_array_pad(s, parts[1], (int64_t[]){1, 0}, (int64_t[]){0, 1}, TN_PAD_CONSTANT, NULL),
      TN_LIST(3, 2), 0, 0, 1, 0, 3, 0);
  TN_ASSERT_F32(tn_array_pad(s, tn__testing_range(s, TN_LIST(3)), (int64_t[]){3}, (int64_t[]){2},
                             TN_PAD_REFLECT, NULL),
                TN_LIST(8), 1, 2, 1, 0, 1, 2, 1, 0);
  // An axis without elements can stay so.
  TN_ASSERT_F32(
      tn_array_sum(s,
                   tn_array_pad(s, tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 3)),
                                (int64_t[]){0, 2}, (int64_t[]){0, 1}, TN_PAD_REFLECT, NULL),
                   TN_LIST(0), false),
      TN_LIST(6), 0, 0, 0, 0, 0, 0);
  tn_array_split(s, x, 3, 0, parts);
  TN_ASSERT_REPORT("split: axis 0 of size 2 does not make 3 equal parts",
                   tn_array_eval(1, &parts[2]));
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dimensions_of_size_one_come_and_go),
      cmocka_unit_test(a_diagonal_is_a_view),
      cmocka_unit_test(arrays_are_joined_and_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
