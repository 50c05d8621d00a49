// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/testing_kernel.h"

static int16_t arguments[3];
static int32_t result;

static tn_status_t run_body(const tn_body_t* body) {
  (void)body;
  if (arguments[0] == 99) return tn_status_create(TN_CODE_ABORTED, "enough");
  result = arguments[0] * 10000 + arguments[1] * 100 + arguments[2];
  return TN_OK;
}

static tn_status_t run_map(int16_t first, tn_case_t* c) {
  static void* const argument_list[] = {&arguments[0], &arguments[1], &arguments[2]};
  static void* const result_list[] = {&result};
  tn__case_begin(c, "stablehlo.map");
  tn__case_operand(c, TN_DTYPE_S16, TN_DIMS(2), (int16_t[]){first, 2});
  tn__case_operand(c, TN_DTYPE_S16, TN_DIMS(2), (int16_t[]){3, 4});
  tn__case_operand(c, TN_DTYPE_S16, TN_DIMS(2), (int16_t[]){5, 6});
  tn__case_list(c, "dimensions", 1, (int64_t[]){0});
  tn__case_result(c, TN_DTYPE_S32, TN_DIMS(2));
  tn__case_callback_body(c, argument_list, result_list, run_body);
  return tn__case_run(c);
}

static void map_runs_the_body_on_every_element(void** state) {
  (void)state;
  tn_case_t c;
  TN_ASSERT_OK(run_map(1, &c));
  TN_ASSERT_RESULT(&c, int32_t, 10305, 20406);
  tn__case_end(&c);
  TN_ASSERT_CODE(ABORTED, run_map(99, &c));
  tn__case_end(&c);
}

static void map_of_a_known_operation_needs_no_body(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.map");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(2), (float[]){1, 2});
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(2), (float[]){3, 5});
  tn__case_list(&c, "dimensions", 1, (int64_t[]){0});
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(2));
  tn__case_binary_body(&c, "stablehlo.subtract");
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, float, -2, -3);
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(map_runs_the_body_on_every_element),
      cmocka_unit_test(map_of_a_known_operation_needs_no_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
