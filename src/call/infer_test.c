// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What an operation infers about its results binds the programs that call it.
#include <tenon/arrays.h>
#include <tenon/custom.h>
#include <tenon/operation.h>

#include "call/testing_call.h"

// The product of matrices, whose types `infer` knows.
#define LINEAR(ARG, ATTR, RET) \
  ARG(x, f32, rank(2))         \
  ARG(w, f32, rank(2))         \
  ATTR(mode, int64_t, 0)       \
  RET(y, f32, rank(2))

TN_OP(linear, LINEAR, "y = x w") {
  const int64_t n = tn_dim(call->x, 0), k = tn_dim(call->x, 1), m = tn_dim(call->w, 1);
  for (int64_t i = 0; i < n * m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < k; ++j) {
      sum += call->x.data[i / m * k + j] * call->w.data[j * m + i % m];
    }
    call->y.data[i] = sum;
  }
  return TN_OK;
}

enum { MODE_SOUND, MODE_REFUSE, MODE_RANK, MODE_NEGATIVE, MODE_COMPUTE };

static tn_status_t infer_linear(const tn_rule_t* rule, int64_t (*dims)[TN_MAX_RANK],
                                tn_array_type_t* types) {
  const tn_array_t *x = rule->operands[0], *w = rule->operands[1];
  const int mode = (int)tn_rule_attribute(rule, "mode");
  if (mode == MODE_REFUSE || rule->api->dims(x)[1] != rule->api->dims(w)[0]) {
    return rule->api->error(TN_CODE_INVALID_ARGUMENT, "x and w do not match");
  }
  if (mode == MODE_COMPUTE) assert_null(tn_rule_add(rule, rule->operands[0], rule->operands[1]));
  // As a program that links Tenon may ask.
  assert_int_equal(tn_array_dim(x, -1), rule->api->dims(x)[1]);
  assert_null(tn_array_device(x));
  dims[0][0] = mode == MODE_NEGATIVE ? -1 : rule->api->dims(x)[0];
  dims[0][1] = rule->api->dims(w)[1];
  types[0] = (tn_array_type_t){TN_DTYPE_F32, mode == MODE_RANK ? TN_MAX_RANK + 1 : 2, dims[0]};
  return TN_OK;
}
TN_DEFINE(linear, .infer = infer_linear)

// The same type as the operand, of strided operands.
#define DOUBLED(ARG, ATTR, RET) ARG(x, f32, any_rank) ARG(y, f32, any_rank) RET(z, f32, any_rank)
TN_OP(sum_of, DOUBLED, "z = x + y") {
  for (int64_t i = 0; i < tn_size(call->z); ++i) {
    call->z.data[i] = call->x.data[i] + call->y.data[i];
  }
  return TN_OK;
}
static tn_status_t sum_of_eval(const tn_eval_call_t* eval) {
  (void)eval;
  return TN_OK;
}
TN_DEFINE(sum_of, .flags = TN_OP_ELEMENTWISE, .eval_cpu = sum_of_eval)

#define TWICE(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
TN_OP(twice, TWICE, "y = 2 x") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = 2 * call->x.data[i];
  return TN_OK;
}
TN_DEFINE(twice, .jvp = NULL)

static int register_all(void** state) {
  tn__testing_unregister_all(state);
  TN_ASSERT_OK(tn_op_register(tn_definition_of(linear)));
  TN_ASSERT_OK(tn_op_register(tn_definition_of(sum_of)));
  TN_ASSERT_OK(tn_op_register(tn_definition_of(twice)));
  return 0;
}

#define CALL2(name, config, a, b, y)                                                     \
  "func.func @main(%a: tensor<" a "xf32>, %b: tensor<" b "xf32>) -> tensor<" y           \
  "> {\n"                                                                                \
  "  %0 = stablehlo.custom_call @" name                                                  \
  "(%a, %b) {api_version = 4 : i32, "                                                    \
  "backend_config = {" config "}} : (tensor<" a "xf32>, tensor<" b "xf32>) -> tensor<" y \
  ">\n"                                                                                  \
  "  return %0 : tensor<" y ">\n}\n"
#define LINEAR_CALL(y) CALL2("linear", "", "2x4", "4x4", y)

#define ASSERT_REFUSED(report, text)                                \
  do {                                                              \
    tn_program_t* refused_ = NULL;                                  \
    TN_ASSERT_REPORT(report, tn__testing_compile(text, &refused_)); \
    assert_null(refused_);                                          \
  } while (0)

static void a_result_that_infer_contradicts_does_not_compile(void** state) {
  (void)state;
  ASSERT_REFUSED(
      "test.mlir:2:8: error: custom call @linear: result 0 (y): expected tensor<2x4xf32>; found "
      "tensor<1x1xf32>",
      LINEAR_CALL("1x1xf32"));
  ASSERT_REFUSED("expected tensor<2x4xf32>; found tensor<5x5xf32>", LINEAR_CALL("5x5xf32"));
  ASSERT_REFUSED("expected tensor<2x4xf32>; found tensor<4x2xf32>", LINEAR_CALL("4x2xf32"));
}

static void a_result_that_infer_agrees_with_runs(void** state) {
  (void)state;
  const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4] = {1, 1, 1, 1};
  float y[2] = {0, 0};
  const tn_testing_array_t inputs[] = {{TN_DTYPE_F32, 2, {2, 4}, x}, {TN_DTYPE_F32, 2, {4, 1}, w}};
  TN_ASSERT_OK(
      tn__testing_call(CALL2("linear", "", "2x4", "4x1", "2x1xf32"), 2, inputs, 1, (void*[]){y}));
  assert_true(y[0] == 10 && y[1] == 26);
  TN_ASSERT_OK(tn__testing_call(CALL2("linear", "mode = 4 : i64", "2x4", "4x1", "2x1xf32"), 2,
                                inputs, 1, (void*[]){y}));
}

static void errors_of_infer_have_a_place(void** state) {
  (void)state;
  ASSERT_REFUSED("test.mlir:2:8: error: custom call @linear: x and w do not match",
                 CALL2("linear", "mode = 1 : i64", "2x4", "4x4", "2x4xf32"));
  ASSERT_REFUSED("x and w do not match", CALL2("linear", "", "2x4", "5x4", "2x4xf32"));
}

static void a_type_that_is_not_valid_is_an_error_of_infer(void** state) {
  (void)state;
  ASSERT_REFUSED("`infer` gives result 0 a type that is not valid: rank 65",
                 CALL2("linear", "mode = 2 : i64", "2x4", "4x4", "2x4xf32"));
  ASSERT_REFUSED("`infer` gives result 0 a type that is not valid",
                 CALL2("linear", "mode = 3 : i64", "2x4", "4x4", "2x4xf32"));
}

static void unknown_sizes_are_checked_when_they_are_known(void** state) {
  (void)state;
  const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4] = {1, 1, 1, 1};
  float y[25] = {0};
  const tn_testing_array_t inputs[] = {{TN_DTYPE_F32, 2, {2, 4}, x}, {TN_DTYPE_F32, 2, {4, 1}, w}};
  // A static result of operands with unknown sizes.
  TN_ASSERT_REPORT(
      "test.mlir:2:8: error: custom call @linear: result 0 (y): expected "
      "tensor<2x1xf32>; found tensor<5x5xf32>",
      tn__testing_call(CALL2("linear", "", "?x4", "4x?", "5x5xf32"), 2, inputs, 1, (void*[]){y}));
  // Sizes of results that nothing but `infer` says.
  TN_ASSERT_OK(
      tn__testing_call(CALL2("linear", "", "?x4", "4x?", "?x?xf32"), 2, inputs, 1, (void*[]){y}));
  assert_true(y[0] == 10 && y[1] == 26);
  TN_ASSERT_REPORT("x and w do not match",
                   tn__testing_call(CALL2("linear", "", "?x?", "?x?", "?x?xf32"), 2,
                                    (tn_testing_array_t[]){inputs[0], inputs[0]}, 1, (void*[]){y}));
}

#define TWICE_CALL(x, y)                                                         \
  "func.func @main(%a: tensor<" x "xf32>) -> tensor<" y                          \
  "xf32> {\n"                                                                    \
  "  %0 = stablehlo.custom_call @twice(%a) {api_version = 4 : i32} : (tensor<" x \
  "xf32>) -> "                                                                   \
  "tensor<" y "xf32>\n  return %0 : tensor<" y "xf32>\n}\n"

static void what_unknown_sizes_leave_to_contradict_does_not_compile(void** state) {
  (void)state;
  ASSERT_REFUSED("test.mlir:2:8: error: custom call @twice: result 0 (y)",
                 TWICE_CALL("?x3", "?x4"));
  ASSERT_REFUSED("custom call @twice: result 0 (y)", TWICE_CALL("?x3", "3"));
  ASSERT_REFUSED("custom call @linear: operand 0 (x)", CALL2("linear", "", "?", "4x4", "2x4xf32"));
  ASSERT_REFUSED("there is no attribute \"mod\"",
                 CALL2("linear", "mod = 1 : i64", "?x4", "4x4", "2x4xf32"));
  const float x[3] = {1, 2, 3};
  float y[3];
  const tn_testing_array_t input = {TN_DTYPE_F32, 2, {1, 3}, x};
  TN_ASSERT_OK(tn__testing_call(TWICE_CALL("?x3", "?x3"), 1, &input, 1, (void*[]){y}));
  assert_true(y[2] == 6);
}

static void elementwise_operations_have_one_shape(void** state) {
  (void)state;
  ASSERT_REFUSED("result 0 (z): expected tensor<3xf32>; found tensor<4xf32>",
                 CALL2("sum_of", "", "3", "3", "4xf32"));
  ASSERT_REFUSED("operand 1 (y): expected tensor<3xf32>; found tensor<2xf32>",
                 CALL2("sum_of", "", "3", "2", "3xf32"));
}

static void types_that_a_caller_states_are_checked(void** state) {
  (void)state;
  tn_device_t* device = NULL;
  tn_scope_t* s = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_scope_create(device, &s));
  const int64_t dims[] = {5, 5};
  tn_array_t* x = tn_array_ones(s, TN_DTYPE_F32, 2, (int64_t[]){2, 4});
  tn_array_t* w = tn_array_ones(s, TN_DTYPE_F32, 2, (int64_t[]){4, 4});
  tn_array_t* y = NULL;
  const tn_array_type_t type = {TN_DTYPE_F32, 2, dims};
  const tn_application_t application = {.struct_size = sizeof application,
                                        .name = "linear",
                                        .operand_count = 2,
                                        .operands = (tn_array_t*[]){x, w},
                                        .result_count = 1,
                                        .result_types = &type};
  tn_op_apply(s, &application, &y);
  TN_ASSERT_REPORT("linear: result 0 (y): expected tensor<2x4xf32>; found tensor<5x5xf32>",
                   tn_array_eval(1, &y));
  tn_scope_destroy(s);
  tn_device_release(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_result_that_infer_contradicts_does_not_compile, register_all),
      cmocka_unit_test_setup(a_result_that_infer_agrees_with_runs, register_all),
      cmocka_unit_test_setup(errors_of_infer_have_a_place, register_all),
      cmocka_unit_test_setup(a_type_that_is_not_valid_is_an_error_of_infer, register_all),
      cmocka_unit_test_setup(unknown_sizes_are_checked_when_they_are_known, register_all),
      cmocka_unit_test_setup(what_unknown_sizes_leave_to_contradict_does_not_compile, register_all),
      cmocka_unit_test_setup(elementwise_operations_have_one_shape, register_all),
      cmocka_unit_test_setup(types_that_a_caller_states_are_checked, register_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
