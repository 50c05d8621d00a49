// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/merge.h"

#include "base/testing.h"

typedef struct loop {
  int64_t count, to, from;
} loop_t;

static void loops_of_structures_merge_in_place(void** state) {
  (void)state;
  loop_t loops[] = {{1, 90, 90}, {2, 12, 24}, {3, 4, 8}, {1, 4, 5}, {4, 1, 1}};
  assert_int_equal(TN_MERGE_LOOPS(5, loops, 2), 2);
  assert_int_equal(loops[0].count, 6);
  assert_int_equal(loops[0].to, 4);
  assert_int_equal(loops[0].from, 8);
  assert_int_equal(loops[1].count, 4);
  assert_int_equal(loops[1].from, 1);
}

static void what_is_no_stride_decides_nothing(void** state) {
  (void)state;
  loop_t loops[] = {{2, 3, 100}, {3, 1, 7}};
  assert_int_equal(TN_MERGE_LOOPS(2, loops, 1), 1);
  assert_int_equal(loops[0].count, 6);
  assert_int_equal(loops[0].to, 1);
  assert_int_equal(loops[0].from, 100);
}

static void loops_that_go_round_once_are_none(void** state) {
  (void)state;
  loop_t loops[] = {{1, 3, 100}, {1, 1, 7}};
  assert_int_equal(TN_MERGE_LOOPS(2, loops, 2), 0);
  assert_int_equal(TN_MERGE_LOOPS(0, loops, 2), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_of_structures_merge_in_place),
      cmocka_unit_test(what_is_no_stride_decides_nothing),
      cmocka_unit_test(loops_that_go_round_once_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
