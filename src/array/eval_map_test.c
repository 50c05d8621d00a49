// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elementary functions in a strided kernel.
#include <tenon/detail/call.h>
#include <tenon/detail/eval.h>

#include "lazy/testing_lazy.h"

static tn_status_t tanh_row(void* user, int64_t count, void* const* rows) {
  const tn_eval_call_t* eval = user;
  tn_eval_map(eval, tanh, f32, count, rows[1], rows[0]);
  return TN_OK;
}

#define TANH(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
TN_EVAL_OP(tanh_rows, TANH, "y = tanh(x), by rows") {
  const tn_strided_t* arrays[] = {eval->outputs[0], eval->operands[0]};
  return tn_eval_for_rows(eval, 2, arrays, 1, tanh_row, (void*)(uintptr_t)eval);
}
TN_DEFINE(tanh_rows, .flags = TN_OP_ELEMENTWISE, .eval_cpu = tanh_rows_eval)

static void functions_of_rows_have_the_bits_of_the_operation(void** state) {
  (void)state;
  enum { ROWS = 37, COLUMNS = 300 };
  static float expected[COLUMNS * ROWS], found[COLUMNS * ROWS];
  TN_ASSERT_OK(tn_op_register(tn_definition_of(tanh_rows)));
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_linspace(s, TN_DTYPE_F32, -5, 5, ROWS * COLUMNS, true);
  x = tn_array_transpose(s, tn_array_reshape(s, x, TN_LIST(ROWS, COLUMNS)), NULL);
  TN_ASSERT_OK(tn_array_to_host(tn_array_tanh(s, x), expected, sizeof expected));
  TN_ASSERT_OK(
      tn_array_to_host(tn_op_apply_one(s, "tanh_rows", 1, &x, 0, NULL), found, sizeof found));
  assert_memory_equal(found, expected, sizeof expected);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_rows_have_the_bits_of_the_operation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
