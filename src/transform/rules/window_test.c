// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of what slides over arrays: windows, convolutions, slices at places that are operands.
#include "lazy/body.h"
#include "transform/rules/testing_rules.h"

TN_SUBJECT(conv1d) {
  return tn_array_conv1d(s, x[0], x[1], NULL, NULL, NULL, 1);
}
TN_SUBJECT(conv1d_moving) {
  return tn_array_conv1d(s, x[0], x[1], (const int64_t[]){2}, (const int64_t[]){2},
                         (const int64_t[]){2}, 1);
}
TN_SUBJECT(conv1d_of_groups) {
  return tn_array_conv1d(s, x[0], x[1], NULL, (const int64_t[]){1}, NULL, 2);
}
TN_SUBJECT(conv2d) {
  return tn_array_conv2d(s, x[0], x[1], (const int64_t[]){2, 1}, (const int64_t[]){1, 0}, NULL, 1);
}
TN_SUBJECT(conv_general) {
  const tn_convolution_t options = {.struct_size = sizeof options,
                                    .stride = (const int64_t[]){2, 3},
                                    .padding_low = (const int64_t[]){-1, 2},
                                    .padding_high = (const int64_t[]){3, -1},
                                    .kernel_dilation = (const int64_t[]){2, 1},
                                    .input_dilation = (const int64_t[]){3, 2},
                                    .groups = 2,
                                    .flip = true};
  return tn_array_conv_general(s, x[0], x[1], &options);
}
TN_SUBJECT(conv_transpose) {
  return tn_array_conv_transpose1d(s, x[0], x[1], (const int64_t[]){2}, (const int64_t[]){1},
                                   (const int64_t[]){2}, (const int64_t[]){1}, 1);
}
TN_SUBJECT(convolve) {
  return tn_array_convolve(s, x[0], x[1], TN_CONVOLVE_FULL);
}
TN_SUBJECT(slice_update) {
  return tn_array_slice_update(s, x[0], x[1], (const int64_t[]){1, 0}, (const int64_t[]){3, 2},
                               NULL, TN_SCATTER_SET);
}
TN_SUBJECT(cumprod) {
  return tn_array_cumprod(s, x[0], -1, false, true);
}
TN_SUBJECT(cumprod_back) {
  return tn_array_cumprod(s, x[0], 0, true, false);
}
TN_SUBJECT(cummax) {
  return tn_array_cummax(s, x[0], 0, false, true);
}
TN_SUBJECT(cummin) {
  return tn_array_cummin(s, x[0], -1, true, true);
}
TN_SUBJECT(logcumsumexp) {
  return tn_array_logcumsumexp(s, x[0], 0, false, true);
}

// --- functions of steps that no operation on arrays makes so

enum { WINDOW_RANK = 2 };
static tn_array_t* windows(tn_scope_t* s, const tn_op_t* op, tn_array_t* x, double initial) {
  static const int64_t sizes[] = {2, 3}, strides[] = {1, 2}, base_dilations[] = {2, 1};
  static const int64_t window_dilations[] = {2, 1}, padding[] = {1, 2, 1, 1}, dims[] = {8, 2};
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("window_dimensions", WINDOW_RANK, sizes),
      TN_I64_LIST_ATTR("window_strides", WINDOW_RANK, strides),
      TN_I64_LIST_ATTR("base_dilations", WINDOW_RANK, base_dilations),
      TN_I64_LIST_ATTR("window_dilations", WINDOW_RANK, window_dilations),
      TN_I64_PAIRS_ATTR("padding", WINDOW_RANK, padding),
  };
  tn_array_t* operands[] = {x, tn_array_scalar(s, TN_DTYPE_F64, initial)};
  const tn_array_type_t type = {TN_DTYPE_F64, WINDOW_RANK, dims};
  const tn_step_spec_t spec = {
      .op = TN__OP(reduce_window),
      .operand_count = 2,
      .operands = operands,
      .attributes = {sizeof attributes / sizeof *attributes, attributes},
      .body = tn__body_of(s, op, x->dtype),
      .result_count = 1,
      .result_types = &type,
  };
  tn_array_t* result = NULL;
  tn__step_add(s, &spec, &result);
  return result;
}
TN_SUBJECT(window_sum) {
  return windows(s, TN__OP(add), x[0], 0);
}
TN_SUBJECT(window_max) {
  return windows(s, TN__OP(maximum), x[0], -100);
}
TN_SUBJECT(window_prod) {
  return windows(s, TN__OP(multiply), x[0], 1);
}
TN_SUBJECT(window_difference) {
  return windows(s, TN__OP(subtract), x[0], 0);
}

// Numbers as starts of a slice, which may be outside.
static void starts_of(tn_scope_t* s, tn_array_t* x, tn_array_t** out_starts) {
  x = tn_array_astype(s, tn_array_floor(s, x), TN_DTYPE_S64);
  for (int64_t i = 0; i < 2; ++i) {
    out_starts[i] = tn_array_slice(s, x, (int64_t[]){i}, (int64_t[]){i + 1}, NULL);
    out_starts[i] = tn_array_reshape(s, out_starts[i], TN_NO_DIMS);
  }
}
TN_SUBJECT(dynamic_slice) {
  static const int64_t sizes[] = {2, 2};
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("slice_sizes", 2, sizes);
  tn_array_t* operands[3] = {x[0]};
  starts_of(s, x[1], operands + 1);
  return tn__apply_with(s, TN__OP(dynamic_slice), 3, operands, 1, &attribute, TN_DTYPE_F64, 2,
                        sizes);
}
TN_SUBJECT(dynamic_update_slice) {
  static const int64_t dims[] = {4, 3};
  tn_array_t* operands[4] = {x[0], x[1]};
  starts_of(s, x[2], operands + 2);
  return tn__apply(s, TN__OP(dynamic_update_slice), 4, operands, TN_DTYPE_F64, 2, dims);
}

// --- gradients, whose derivatives are second ones

TN_GRADIENT(cumprod, 1, 0)
// Zeros where the inputs are zeros: none, one or two of a row.
TN_SUBJECT(cumprod_of_zeros) {
  static const double shift[] = {0, 1, 2, 0, 0, 1, 1, 2, 3, 3, 0, 2};
  tn_array_t* y = tn_array_from_host(s, TN_DTYPE_F64, TN_LIST(4, 3), shift, sizeof shift);
  return tn_array_cumprod(s, tn_array_add(s, x[0], y), -1, false, true);
}
TN_PLAIN_GRADIENT(cumprod_of_zeros, 1)
TN_GRADIENT(cummax, 1, 0)
TN_GRADIENT(window_max, 1, 0)
TN_GRADIENT(conv1d_moving, 2, 0)
TN_GRADIENT(conv_general, 2, 1)
TN_GRADIENT(dynamic_slice, 2, 0)
TN_GRADIENT(dynamic_update_slice, 3, 1)

static const tn_rule_case_t cases[] = {
    {"conv1d", of_conv1d, 2, {3, 3}, {{2, 6, 3}, {2, 3, 3}}, -1, 1},
    {"conv1d_moving", of_conv1d_moving, 2, {3, 3}, {{2, 8, 2}, {3, 3, 2}}, -1, 1},
    {"conv1d_of_groups", of_conv1d_of_groups, 2, {3, 3}, {{2, 5, 4}, {6, 3, 2}}, -1, 1},
    {"conv2d", of_conv2d, 2, {4, 4}, {{1, 6, 5, 2}, {2, 3, 2, 2}}, -1, 1},
    {"conv_general", of_conv_general, 2, {4, 4}, {{2, 4, 5, 2}, {4, 2, 3, 1}}, -1, 1},
    {"conv_transpose", of_conv_transpose, 2, {3, 3}, {{2, 4, 2}, {3, 3, 2}}, -1, 1},
    {"convolve", of_convolve, 2, {1, 1}, {{7}, {3}}, -1, 1},
    {"slice_update", of_slice_update, 2, {2, 2}, {TN_RULE_MATRIX, {2, 2}}, -1, 1},
    {"dynamic_slice", of_dynamic_slice, 2, {2, 1}, {TN_RULE_MATRIX, {2}}, -1, 4},
    {"dynamic_update_slice",
     of_dynamic_update_slice,
     3,
     {2, 2, 1},
     {TN_RULE_MATRIX, {2, 2}, {2}},
     -1,
     4},
    TN_RULE_ONE(cumprod, -1, 1),
    TN_RULE_ONE(cumprod_back, -1, 1),
    TN_RULE_ONE(cummax, -1, 1),
    TN_RULE_ONE(cummin, -1, 1),
    TN_RULE_ONE(logcumsumexp, -1, 1),
    TN_RULE_ONE(window_sum, -1, 1),
    TN_RULE_ONE(window_max, -1, 1),
    TN_RULE_ONE(window_prod, -1, 1),
    TN_RULE_ONE(gradient_of_cumprod, -1, 1),
    TN_RULE_ONE(cumprod_of_zeros, 0, 0),
    TN_RULE_ONE(plain_gradient_of_cumprod_of_zeros, 0, 0),
    TN_RULE_ONE(gradient_of_cummax, -1, 1),
    TN_RULE_ONE(gradient_of_window_max, -1, 1),
    {"gradient of conv1d_moving",
     of_gradient_of_conv1d_moving,
     2,
     {3, 3},
     {{2, 8, 2}, {3, 3, 2}},
     -1,
     1},
    {"gradient of conv_general",
     of_gradient_of_conv_general,
     2,
     {4, 4},
     {{2, 4, 5, 2}, {4, 2, 3, 1}},
     -1,
     1},
    {"gradient of dynamic_slice",
     of_gradient_of_dynamic_slice,
     2,
     {2, 1},
     {TN_RULE_MATRIX, {2}},
     -1,
     4},
    {"gradient of dynamic_update_slice",
     of_gradient_of_dynamic_update_slice,
     3,
     {2, 2, 1},
     {TN_RULE_MATRIX, {2, 2}, {2}},
     -1,
     4},
};

static void rules_agree_with_differences_and_batches_with_elements(void** state) {
  (void)state;
  tn__check_rules(sizeof cases / sizeof *cases, cases, true);
}

static void windows_of_other_operations_have_no_derivative(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_rule_case_t difference = TN_RULE_ONE(window_difference, -1, 1);
  const tn_closure_t function = {tn__call_subject, (void*)&difference};
  tn_array_t* x = tn_array_ones(s, TN_DTYPE_F64, TN_LIST(4, 3));
  tn_array_t *y = NULL, *t = NULL, *u = tn_array_ones(s, TN_DTYPE_F64, TN_LIST(8, 2));
  TN_ASSERT_REPORT("reduce_window: there is no jvp of a reduction with subtract",
                   tn_jvp(s, &function, 1, &x, &x, 1, &y, &t));
  TN_ASSERT_REPORT("reduce_window: there is no vjp of a reduction with subtract",
                   tn_vjp(s, &function, 1, &x, 1, &u, NULL, &t));
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_agree_with_differences_and_batches_with_elements),
      cmocka_unit_test(windows_of_other_operations_have_no_derivative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
