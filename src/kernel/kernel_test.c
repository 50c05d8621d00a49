// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/target.h"

#include "base/testing.h"

static const tn_kernel_t* find(const char* op_name, tn_dtype_t dtype) {
  const tn_type_t* types[3] = {tn__type_scalar(dtype), tn__type_scalar(dtype),
                               tn__type_scalar(dtype)};
  const tn_op_t* op = tn__op_find(tn__sv(op_name));
  if (!op) fail_msg("no operation %s", op_name);
  const tn_op_use_t use = {.op = op,
                           .operand_count = (size_t)op->operands,
                           .operand_types = types,
                           .result_count = 1,
                           .result_types = types};
  return tn__kernel_find(&tn__compile_target_host, &use);
}

static void rows_name_operations_and_can_run(void** state) {
  (void)state;
  assert_true(tn__kernel_count(&tn__compile_target_host) > 0);
  for (size_t i = 0; i < tn__kernel_count(&tn__compile_target_host); ++i) {
    const tn_kernel_t* kernel = tn__kernel_at(&tn__compile_target_host, i);
    char name[128];
    snprintf(name, sizeof name, "%s%s", strchr(kernel->op, '.') ? "" : "stablehlo.", kernel->op);
    if (!tn__op_find(tn__sv(name))) fail_msg("kernel %s is of no operation", kernel->name);
    assert_non_null(kernel->name);
    assert_non_null(kernel->run);
  }
  assert_null(tn__kernel_at(&tn__compile_target_host, tn__kernel_count(&tn__compile_target_host)));
}

static void kernels_are_found_by_operation_and_dtype(void** state) {
  (void)state;
  const tn_kernel_t* add = find("stablehlo.add", TN_DTYPE_BF16);
  assert_non_null(add);
  assert_string_equal(add->name, "cpu.add");
  assert_ptr_equal(find("stablehlo.add", TN_DTYPE_PRED), add);
  assert_string_equal(find("stablehlo.xor", TN_DTYPE_U4)->name, "cpu.xor");
  assert_string_equal(find("stablehlo.abs", TN_DTYPE_F64)->name, "cpu.abs");
  assert_null(find("stablehlo.xor", TN_DTYPE_F32));
  assert_null(find("stablehlo.sine", TN_DTYPE_S32));
}

// A custom call's short name may be that of an operation of StableHLO.
static void operations_of_other_dialects_are_not_mistaken(void** state) {
  (void)state;
  static const tn_op_t stranger = {.name = "mine.add", .operands = 2, .results = 1};
  const tn_type_t* types[2] = {tn__type_scalar(TN_DTYPE_F32), tn__type_scalar(TN_DTYPE_F32)};
  const tn_op_use_t use = {.op = &stranger,
                           .operand_count = 2,
                           .operand_types = types,
                           .result_count = 1,
                           .result_types = types};
  assert_null(tn__kernel_find(&tn__compile_target_host, &use));
}

static void every_elementwise_operation_without_a_region_has_a_kernel(void** state) {
  (void)state;
  for (size_t i = 0; i < tn__op_count(); ++i) {
    const tn_op_t* op = tn__op_at(i);
    bool own = strncmp(op->name, "stablehlo.", 10) == 0;
    bool quantized = strstr(op->name, "uniform_") != NULL;  // no type says that
    if (!own || quantized || op->regions != 0 || !tn__op_has(op, TN_ELEMENTWISE)) continue;
    bool found = false;
    for (size_t k = 0; k < tn__kernel_count(&tn__compile_target_host); ++k) {
      found |= strcmp(tn__kernel_at(&tn__compile_target_host, k)->op, op->name + 10) == 0;
    }
    if (!found) print_message("no kernel: %s\n", op->name);
    assert_true(found);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_name_operations_and_can_run),
      cmocka_unit_test(kernels_are_found_by_operation_and_dtype),
      cmocka_unit_test(operations_of_other_dialects_are_not_mistaken),
      cmocka_unit_test(every_elementwise_operation_without_a_region_has_a_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
