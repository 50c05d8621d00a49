// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/detail/ops.h>

#include "base/testing.h"
#include "kernel/target.h"

typedef struct tally {
  size_t count, stop_after;
  bool found_compare, found_while;
} tally_t;

static bool count_op(void* user, const tn_op_info_t* info) {
  tally_t* tally = user;
  assert_non_null(info->name);
  assert_true(info->doc && info->doc[0]);
  assert_true(strncmp(info->name, info->dialect, strlen(info->dialect)) == 0);
  for (size_t i = 0; i < info->attribute_count; ++i) {
    assert_true(info->attributes[i].name[0] && info->attributes[i].type[0]);
  }
  if (strcmp(info->name, "stablehlo.compare") == 0) {
    tally->found_compare = true;
    assert_int_equal(info->operand_count, 2);
    assert_int_equal(info->result_count, 1);
    assert_true(info->is_pure && info->is_elementwise && info->is_supported);
    assert_non_null(info->kernel);
    assert_string_equal(info->attributes[0].name, "comparison_direction");
    assert_string_equal(info->attributes[0].type, "one of EQ, NE, GE, GT, LE, LT");
    assert_true(info->attributes[0].is_required);
  }
  if (strcmp(info->name, "stablehlo.while") == 0) {
    tally->found_while = true;
    assert_int_equal(info->region_count, 2);
  }
  return ++tally->count != tally->stop_after;
}

static void enumeration_visits_every_operation_once(void** state) {
  (void)state;
  tally_t tally = {0};
  tn_op_enumerate(count_op, &tally);
  assert_int_equal(tally.count, tn__op_count());
  assert_true(tally.found_compare && tally.found_while);
}

static void enumeration_ends_when_it_is_told(void** state) {
  (void)state;
  tally_t tally = {.stop_after = 3};
  tn_op_enumerate(count_op, &tally);
  assert_int_equal(tally.count, 3);
}

static bool note_kernel(void* user, const tn_op_info_t* info) {
  bool* used = user;
  for (size_t i = 0; i < tn__kernel_count(&tn__compile_target_host); ++i) {
    const tn_kernel_t* kernel = tn__kernel_at(&tn__compile_target_host, i);
    if (strcmp(kernel->op, info->name) == 0 || strcmp(kernel->op, info->short_name) == 0) {
      used[i] = true;
      assert_true(info->is_supported || strcmp(info->dialect, "stablehlo") != 0);
    }
  }
  return true;
}

static void every_kernel_computes_an_operation_of_the_table(void** state) {
  (void)state;
  bool used[1024] = {false};
  assert_true(tn__kernel_count(&tn__compile_target_host) < 1024);
  tn_op_enumerate(note_kernel, used);
  for (size_t i = 0; i < tn__kernel_count(&tn__compile_target_host); ++i) {
    if (!used[i])
      fail_msg("the kernel %s is of no operation",
               tn__kernel_at(&tn__compile_target_host, i)->name);
  }
}

static void suggestions_find_names_with_and_without_dialect(void** state) {
  (void)state;
  assert_string_equal(tn_op_suggest("dot_genral"), "stablehlo.dot_general");
  assert_string_equal(tn_op_suggest("stablehlo.ad"), "stablehlo.add");
  assert_null(tn_op_suggest("zzzzzzzzzzzzzzzzzzzzzz"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(enumeration_visits_every_operation_once),
      cmocka_unit_test(enumeration_ends_when_it_is_told),
      cmocka_unit_test(every_kernel_computes_an_operation_of_the_table),
      cmocka_unit_test(suggestions_find_names_with_and_without_dialect),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
