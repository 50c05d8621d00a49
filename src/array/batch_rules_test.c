// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Batching rules that definitions leave to Tenon, and the functions that rules have.
#include <math.h>
#include <tenon/custom.h>
#include <tenon/detail/array_ops.h>
#include <tenon/detail/transform.h>
#include <tenon/operation.h>

#include "lazy/testing_lazy.h"

// y = x w, with any leading dimensions of x. Its gradient is written with matmul and transpose.
#define LINEAR(ARG, ATTR, RET) \
  ARG(x, f32, dims(..., k))    \
  ARG(w, f32, dims(k, m))      \
  RET(y, f32, dims(..., m))    \
  RET(sums, f32, dims(...))
static int calls;
TN_OP(linear, LINEAR, "y = x w, and the sum of each row of x") {
  const int64_t k = tn_dim(call->w, 0), m = tn_dim(call->w, 1), rows = tn_size(call->sums);
  ++calls;
  for (int64_t i = 0; i < rows; ++i) {
    const float* x = call->x.data + i * k;
    call->sums.data[i] = 0;
    for (int64_t j = 0; j < k; ++j) call->sums.data[i] += x[j];
    for (int64_t c = 0; c < m; ++c) {
      call->y.data[i * m + c] = 0;
      for (int64_t j = 0; j < k; ++j) call->y.data[i * m + c] += x[j] * call->w.data[j * m + c];
    }
  }
  return TN_OK;
}
// Of one row.
static tn_status_t linear_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t *x = rule->operands[0], *w = rule->operands[1], *t = call->cotangents[0];
  const int64_t column[] = {tn_rule_dim(rule, x, -1), 1}, row[] = {1, tn_rule_dim(rule, w, -1)};
  if (tn_rule_rank(rule, x) != 1) return tn_rule_error(rule, TN_CODE_UNIMPLEMENTED, "one row");
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] =
        call->argnums[i] == 0
            ? tn_rule_matmul(rule, t, tn_rule_transpose(rule, w, (int64_t[]){1, 0}))
            : tn_rule_matmul(rule, tn_rule_reshape(rule, x, 2, column),
                             tn_rule_reshape(rule, t, 2, row));
  }
  return TN_OK;
}
TN_DEFINE(linear, .vjp = linear_vjp, .vmap = TN_VMAP_LEADING)

// Of one vector alone.
#define RUNNING(ARG, ATTR, RET) ARG(x, f32, dims(n)) ARG(y, f32, dims(n)) RET(z, f32, dims(n))
TN_OP(running, RUNNING, "running sums of x y") {
  float sum = 0;
  ++calls;
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->z.data[i] = sum += call->x.data[i] * call->y.data[i];
  }
  return TN_OK;
}
// Every function that was added to the table, where values are known.
static tn_status_t running_jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t *x = rule->operands[0], *zero = tn_rule_constant(rule, x, 0);
  tn_array_t* all = tn_rule_cumsum(rule, tn_rule_multiply(rule, call->tangents[0], x), 0, false);
  all = tn_rule_where(rule, tn_rule_greater(rule, all, zero), all, tn_rule_erf(rule, zero));
  all = tn_rule_pad(rule, all, (int64_t[]){1}, (int64_t[]){0}, zero);
  all = tn_rule_concatenate(rule, 2, (tn_array_t*[]){all, all}, 0);
  tn_array_t* indices = tn_rule_astype(rule, tn_rule_power(rule, x, zero), TN_DTYPE_S32);
  all = tn_rule_take(rule, all, indices, 0);  // element 1, for each
  call->out_tangents[0] = tn_rule_maximum(rule, all, tn_rule_max(rule, x, 1, (int64_t[]){0}, true));
  return TN_OK;
}
TN_DEFINE(running, .jvp = running_jvp, .vmap = TN_VMAP_SEQUENTIAL)

static tn_scope_t* begin(void) {
  TN_ASSERT_OK(tn_op_register(tn_definition_of(linear)));
  TN_ASSERT_OK(tn_op_register(tn_definition_of(running)));
  calls = 0;
  return tn__testing_scope();
}

static tn_status_t linear_of(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                             size_t output_count, tn_array_t** out) {
  const tn_application_t application = {.struct_size = sizeof application,
                                        .name = "linear",
                                        .operand_count = input_count,
                                        .operands = x,
                                        .result_count = output_count};
  (void)user;
  tn_op_apply(s, &application, out);
  return TN_OK;
}

static void leading_dimensions_take_the_batch(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {linear_of, NULL};
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2, 3), (const float[]){1, 2, 3, 4, 5, 6});
  tn_array_t* w = tn__testing_f32(s, TN_LIST(2, 1), (const float[]){10, 100});
  tn_array_t *y[2] = {NULL, NULL}, *inputs[] = {x, w};
  // The batch is the second axis of x; w is the same for all.
  TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, (int64_t[]){1, TN_NO_AXIS}, 2, NULL, y));
  TN_ASSERT_OK(tn_array_eval(2, y));
  TN_ASSERT_F32(y[0], TN_LIST(3, 1), 410, 520, 630);
  TN_ASSERT_F32(y[1], TN_LIST(3), 5, 7, 9);
  assert_int_equal(calls, 1);
  // Where each has weights of its own, it is called for each.
  inputs[1] = tn__testing_f32(s, TN_LIST(3, 2, 1), (const float[]){1, 0, 0, 1, 1, 1});
  TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, (int64_t[]){1, 0}, 2, NULL, y));
  TN_ASSERT_OK(tn_array_eval(2, y));
  TN_ASSERT_F32(y[0], TN_LIST(3, 1), 1, 5, 9);
  assert_int_equal(calls, 4);
  tn_scope_destroy(s);
}

static tn_status_t first_of_linear(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* x, size_t output_count, tn_array_t** out) {
  tn_array_t* both[2] = {NULL, NULL};
  (void)output_count;
  TN_RETURN_IF_ERROR(linear_of(user, s, input_count, x, 2, both));
  out[0] = tn_array_sum(s, both[0], 0, NULL, false);
  return TN_OK;
}

static void rules_multiply_matrices(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {first_of_linear, NULL};
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(2), (const float[]){3, 5}),
                          tn__testing_f32(s, TN_LIST(2, 2), (const float[]){1, 2, 3, 4})};
  tn_array_t* g[2] = {NULL, NULL};
  TN_ASSERT_OK(tn_grad(s, &function, 2, inputs, 2, (size_t[]){0, 1}, g));
  TN_ASSERT_F32(g[0], TN_LIST(2), 3, 7);
  TN_ASSERT_F32(g[1], TN_LIST(2, 2), 3, 3, 5, 5);
  tn_scope_destroy(s);
}

static tn_status_t running_of(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                              size_t output_count, tn_array_t** out) {
  (void)user, (void)output_count;
  out[0] = tn_op_apply_one(s, "running", input_count, x, 0, NULL);
  return TN_OK;
}

static void any_operation_is_applied_to_one_element_after_the_other(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {running_of, NULL};
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(2, 3), (const float[]){1, 2, 3, 4, 5, 6}),
                          tn__testing_f32(s, TN_LIST(3), (const float[]){1, 10, 100})};
  tn_array_t* y = NULL;
  TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, (int64_t[]){0, TN_NO_AXIS}, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2, 3), 1, 21, 321, 4, 54, 654);
  assert_int_equal(calls, 2);
  inputs[0] = tn_array_zeros(s, TN_DTYPE_F32, 2, (int64_t[]){0, 3});
  TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, (int64_t[]){0, TN_NO_AXIS}, 1, NULL, &y));
  TN_ASSERT_OK(tn_array_eval(1, &y));
  assert_int_equal(tn_array_rank(y), 2);
  assert_int_equal(tn_array_size(y), 0);
  tn_scope_destroy(s);
}

static void rules_have_the_functions_that_they_need(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {running_of, NULL};
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(3), (const float[]){1, 2, 3}),
                          tn__testing_f32(s, TN_LIST(3), (const float[]){1, 1, 1})};
  tn_array_t* tangents[] = {tn__testing_f32(s, TN_LIST(3), (const float[]){5, 0, 0}), inputs[1]};
  tn_array_t *y = NULL, *t = NULL;
  TN_ASSERT_OK(tn_jvp(s, &function, 2, inputs, tangents, 1, &y, &t));
  TN_ASSERT_F32(y, TN_LIST(3), 1, 3, 6);
  TN_ASSERT_F32(t, TN_LIST(3), 5, 5, 5);
  tn_scope_destroy(s);
}

// --- attributes of an application

#define NUMBERS(ARG, ATTR, RET) \
  ATTR(narrow, float, 0.0f)     \
  ATTR(wide, double, 0.0) ATTR(count, int64_t, 0) RET(y, f64, rank(0)) RET(n, s64, rank(0))
TN_OP(numbers, NUMBERS, "y = narrow + wide, n = count") {
  *call->y.data = (double)call->narrow + call->wide;
  *call->n.data = call->count;
  return TN_OK;
}

static tn_status_t number_of(tn_scope_t* s, const tn_attribute_t* attribute, double* out_real,
                             int64_t* out_integer) {
  tn_array_t* results[2] = {NULL, NULL};
  const tn_application_t application = {.struct_size = sizeof application,
                                        .name = "numbers",
                                        .attribute_count = 1,
                                        .attributes = attribute,
                                        .result_count = 2};
  tn_op_apply(s, &application, results);
  TN_RETURN_IF_ERROR(tn_array_to_host(results[0], out_real, sizeof *out_real));
  return tn_array_to_host(results[1], out_integer, sizeof *out_integer);
}

static void integers_are_never_rounded(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_op_def_t definition = {.struct_size = sizeof definition, .handler = &numbers_op};
  double real = 0;
  int64_t integer = 0;
  TN_ASSERT_OK(tn_op_register(&definition));
#define OF(kind, name, dtype, value) \
  number_of(s, &(tn_attribute_t[]){tn_attribute_##kind(name, dtype, value)}[0], &real, &integer)
  TN_ASSERT_OK(OF(float, "wide", TN_DTYPE_F64, 0.1));
  assert_true(real == 0.1);
  TN_ASSERT_OK(OF(float, "narrow", TN_DTYPE_F64, 0.1));
  assert_true(real == (double)0.1F);  // floats are
  TN_ASSERT_OK(OF(integer, "count", TN_DTYPE_S64, (INT64_C(1) << 62) + 1));
  assert_true(integer == (INT64_C(1) << 62) + 1);
  TN_ASSERT_OK(OF(integer, "wide", TN_DTYPE_S64, (INT64_C(1) << 40) + 1));
  assert_true(real == 1099511627777.0);
  TN_ASSERT_OK(OF(integer, "narrow", TN_DTYPE_S64, INT64_C(1) << 40));
  assert_true(real == 1099511627776.0);
  TN_ASSERT_REPORT(
      "numbers: attribute \"narrow\": expected a value that f32 represents exactly; found the "
      "integer 1099511627777",
      OF(integer, "narrow", TN_DTYPE_S64, (INT64_C(1) << 40) + 1));
  TN_ASSERT_REPORT("represents exactly", OF(integer, "wide", TN_DTYPE_S64, INT64_MAX));
  TN_ASSERT_OK(OF(integer, "wide", TN_DTYPE_S64, INT64_MIN));
  tn_scope_destroy(s);
}

#define KINDS(ARG, ATTR, RET) \
  ATTR(flag, bool, false)     \
  ATTR(list, array(double), TN_EMPTY) ATTR(more, dictionary, TN_EMPTY) RET(y, f64, rank(0))
TN_OP(kinds, KINDS, "adds up what it is given") {
  double factor = 0;
  TN_TRY(tn_get(call, call->more, "factor", double, &factor));
  *call->y.data = call->flag;
  for (int64_t i = 0; i < (int64_t)call->list.count; ++i) {
    *call->y.data += factor * call->list.data[i];
  }
  return TN_OK;
}

static void attributes_of_every_kind_are_made(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const double list[] = {2, 3};
  const tn_attribute_t factor = tn_attribute_float("factor", TN_DTYPE_F64, 100);
  const tn_attribute_t attributes[] = {tn_attribute_bool("flag", true),
                                       tn_attribute_array("list", TN_DTYPE_F64, list, 2),
                                       tn_attribute_dictionary("more", &factor, 1)};
  const tn_op_def_t definition = {.struct_size = sizeof definition, .handler = &kinds_op};
  double y = 0;
  TN_ASSERT_OK(tn_op_register(&definition));
  TN_ASSERT_OK(tn_array_to_host(tn_op_apply_one(s, "kinds", 0, NULL, 3, attributes), &y, sizeof y));
  assert_true(y == 501);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leading_dimensions_take_the_batch),
      cmocka_unit_test(rules_multiply_matrices),
      cmocka_unit_test(any_operation_is_applied_to_one_element_after_the_other),
      cmocka_unit_test(rules_have_the_functions_that_they_need),
      cmocka_unit_test(integers_are_never_rounded),
      cmocka_unit_test(attributes_of_every_kind_are_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
