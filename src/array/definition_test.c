// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/custom.h>
#include <tenon/custom_call_status.h>
#include <tenon/detail/call.h>
#include <tenon/detail/transform.h>

#include "base/testing_allocator.h"
#include "lazy/testing_lazy.h"

// z = scale * x + y, with what can be declared of it.
#define BLEND(ARG, ATTR, RET)      \
  ARG(x, of(f32, f64), any_rank)   \
  ARG(y, dtype_of(x), shape_of(x)) \
  ATTR(scale, float, 2.0f)         \
  ATTR(fails_at, float, -1.0f)     \
  RET(z, dtype_of(x), shape_of(x))

TN_OP(blend, BLEND, "z = scale * x + y") {
  const int64_t n = tn_size(call->x);
  if (call->x.dtype == TN_FFI_F64) {
    const double *x = call->x.data, *y = call->y.data;
    double* z = call->z.data;
    for (int64_t i = 0; i < n; ++i) z[i] = (double)call->scale * x[i] + y[i];
    return TN_OK;
  }
  const float *x = call->x.data, *y = call->y.data;
  float* z = call->z.data;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] == call->fails_at) return TN_ERROR(call, OUT_OF_RANGE, "x is %g", (double)x[i]);
    z[i] = call->scale * x[i] + y[i];
  }
  return TN_OK;
}

static tn_status_t blend_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* t = call->cotangents[0];
    tn_array_t* scale = tn_rule_constant(rule, t, tn_rule_attribute(rule, "scale"));
    call->out_cotangents[i] = call->argnums[i] == 0 ? tn_rule_multiply(rule, scale, t) : t;
  }
  return TN_OK;
}

static int destroyed;
static void destroy(void* user) {
  ++*(int*)user;
}

TN_DEFINE(blend, .flags = TN_OP_ELEMENTWISE, .vjp = blend_vjp, .user = &destroyed,
          .destroy = destroy)

// The sum of each row: not element by element.
#define ROW_SUMS(ARG, ATTR, RET) \
  ARG(x, f32, rank(2))           \
  RET(y, f32, rank(1))

TN_OP(row_sums, ROW_SUMS, "y[i] = sum of x[i, :]") {
  const int64_t columns = tn_dim(call->x, 1);
  for (int64_t i = 0; i < tn_dim(call->x, 0); ++i) {
    call->y.data[i] = 0;
    for (int64_t j = 0; j < columns; ++j) call->y.data[i] += call->x.data[i * columns + j];
  }
  return TN_OK;
}

static tn_status_t infer_row_sums(const tn_rule_t* rule, int64_t (*dims)[TN_MAX_RANK],
                                  tn_array_type_t* types) {
  if (rule->api->rank(rule->operands[0]) != 2) {
    return rule->api->error(TN_CODE_INVALID_ARGUMENT, "row_sums: x is no matrix");
  }
  dims[0][0] = rule->api->dims(rule->operands[0])[0];
  types[0] = (tn_array_type_t){TN_DTYPE_F32, 1, dims[0]};
  return TN_OK;
}

TN_DEFINE(row_sums, .infer = infer_row_sums)

static tn_scope_t* begin(void) {
  TN_ASSERT_OK(tn_op_register(tn_definition_of(blend)));
  TN_ASSERT_OK(tn_op_register(tn_definition_of(row_sums)));
  return tn__testing_scope();
}

static tn_array_t* blend_of(tn_scope_t* s, tn_array_t* x, tn_array_t* y, float scale) {
  const tn_attribute_t attribute = tn_attribute_float("scale", TN_DTYPE_F32, (double)scale);
  return tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, y}, 1, &attribute);
}

static void operands_are_promoted_and_broadcast(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  const int32_t ones[] = {1, 1, 1};
  tn_array_t* y = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(3), ones, sizeof ones);
  TN_ASSERT_F32(blend_of(s, x, y, 3), TN_LIST(2, 3), 1, 4, 7, 10, 13, 16);
  TN_ASSERT_F32(blend_of(s, y, y, 3), TN_LIST(3), 4, 4, 4);
  tn_array_t* half = tn_array_astype(s, x, TN_DTYPE_F16);
  tn_array_t* z = blend_of(s, half, half, 1);
  TN_ASSERT_REPORT("blend: it does not take f16; expected f32 or f64", tn_array_eval(1, &z));
  tn_scope_destroy(s);
}

static void a_pending_array_is_described_with_all_attributes(void** state) {
  (void)state;
  char text[64], start[8];
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  tn_array_t* y = blend_of(s, x, x, 2.5f);
  assert_int_equal(tn_array_describe(y, text, sizeof text), 29);
  assert_string_equal(text, "blend(fails_at=-1, scale=2.5)");
  assert_int_equal(tn_array_describe(y, start, sizeof start), 29);
  assert_string_equal(start, "blend(f");
  assert_int_equal(tn_array_describe(y, NULL, 0), 29);
  tn_scope_destroy(s);
}

static void attributes_have_their_defaults(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  TN_ASSERT_F32(tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, x}, 0, NULL), TN_LIST(2), 0, 3);
  const tn_attribute_t misspelt = {
      .name = "scales", .kind = TN_ATTRIBUTE_FLOAT, .dtype = TN_DTYPE_F32, .real = 1};
  tn_array_t* z = tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, x}, 1, &misspelt);
  TN_ASSERT_REPORT("blend: there is no attribute \"scales\"\nnote: did you mean scale?",
                   tn_array_eval(1, &z));
  const tn_attribute_t nameless = {.kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S32};
  z = tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, x}, 1, &nameless);
  TN_ASSERT_REPORT("blend: attribute 0 has no name", tn_array_eval(1, &z));
  const tn_attribute_t hollow = {.name = "scale", .kind = TN_ATTRIBUTE_STRING, .count = 3};
  z = tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, x}, 1, &hollow);
  TN_ASSERT_REPORT("blend: attribute \"scale\": its data is NULL", tn_array_eval(1, &z));
  const tn_attribute_t huge = tn_attribute_float("scale", TN_DTYPE_F64, 1e300);
  z = tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, x}, 1, &huge);
  TN_ASSERT_REPORT("blend: attribute \"scale\" is 1e+300; expected a float in the range of f32",
                   tn_array_eval(1, &z));
  z = tn_op_apply_one(s, "blond", 2, (tn_array_t*[]){x, x}, 0, NULL);
  TN_ASSERT_REPORT("blend", tn_array_eval(1, &z));
  tn_scope_destroy(s);
}

// x + 10 y of views in all places, against the same of dense arrays.
// Steps of uses that are alike share a list, which outlives the next use.
static void every_use_has_the_attributes_it_was_given(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  tn_array_t* one = blend_of(s, x, x, 2.5f);
  tn_array_t* same = blend_of(s, x, x, 2.5f);
  tn_array_t* other = blend_of(s, x, x, -0.0f);
  tn_array_t* zero = blend_of(s, x, x, 0);
  tn_array_t* without = tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, x}, 0, NULL);
  tn_array_t* again = blend_of(s, x, x, 2.5f);
  TN_ASSERT_F32(one, TN_LIST(2), 0, 3.5);
  TN_ASSERT_F32(same, TN_LIST(2), 0, 3.5);
  TN_ASSERT_F32(zero, TN_LIST(2), 0, 1);
  TN_ASSERT_F32(other, TN_LIST(2), 0, 1);
  TN_ASSERT_F32(without, TN_LIST(2), 0, 3);
  TN_ASSERT_F32(again, TN_LIST(2), 0, 3.5);
  tn_scope_destroy(s);
}

static void operands_may_have_any_strides(void** state) {
  (void)state;
  enum { ROWS = 70, COLUMNS = 300, SIZE = ROWS * COLUMNS };
  static float data[SIZE], wanted[SIZE], got[SIZE];
  tn_scope_t* s = begin();
  for (int i = 0; i < SIZE; ++i) data[i] = (float)i;
  const int64_t dims[] = {ROWS, COLUMNS}, turned[] = {COLUMNS, ROWS}, swap[] = {1, 0};
  tn_array_t* base = tn_array_from_host(s, TN_DTYPE_F32, 2, dims, data, sizeof data);
  tn_array_t* wide = tn_array_from_host(s, TN_DTYPE_F32, 2, turned, data, sizeof data);
  tn_array_t* views[] = {
      base,
      tn_array_transpose(s, wide, swap),
      tn_array_slice(s, base, (int64_t[]){-1, -1}, (int64_t[]){-ROWS - 1, -COLUMNS - 1},
                     (int64_t[]){-1, -1}),
      tn_array_broadcast_to(
          s, tn_array_slice(s, base, (int64_t[]){3, 0}, (int64_t[]){4, COLUMNS}, NULL), 2, dims),
      tn_array_broadcast_to(
          s, tn_array_slice(s, base, (int64_t[]){0, 5}, (int64_t[]){ROWS, 6}, NULL), 2, dims),
      tn_array_broadcast_to(s, tn_array_scalar(s, TN_DTYPE_F32, 7), 2, dims),
  };
  const size_t count = sizeof views / sizeof *views;
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      static float x[SIZE], y[SIZE];
      TN_ASSERT_OK(tn_array_to_host(views[i], x, sizeof x));
      TN_ASSERT_OK(tn_array_to_host(views[j], y, sizeof y));
      TN_ASSERT_OK(tn_array_to_host(blend_of(s, views[i], views[j], 10), got, sizeof got));
      for (int e = 0; e < SIZE; ++e) wanted[e] = 10 * x[e] + y[e];
      assert_memory_equal(got, wanted, sizeof got);
    }
  }
  tn_scope_destroy(s);
}

static void empty_and_single_elements_work(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 3);
  TN_ASSERT_F32(blend_of(s, one, one, 1), TN_NO_DIMS, 6);
  tn_array_t* empty = tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 4));
  tn_array_t* z = blend_of(s, empty, one, 1);
  TN_ASSERT_OK(tn_array_eval(1, &z));
  assert_int_equal(tn_array_size(z), 0);
  tn_scope_destroy(s);
}

static void a_kernel_that_fails_leaves_its_error_in_the_results(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  const tn_attribute_t attribute = {
      .name = "fails_at", .kind = TN_ATTRIBUTE_FLOAT, .dtype = TN_DTYPE_F32, .real = 2};
  tn_array_t* z = tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, x}, 1, &attribute);
  tn_array_t* after = tn_array_exp(s, z);
  for (int round = 0; round < 2; ++round) {
    TN_ASSERT_REPORT("x is 2", tn_array_eval(1, &after));
    TN_ASSERT_REPORT("x is 2", tn_array_status(z));
  }
  TN_ASSERT_F32(x, TN_LIST(4), 0, 1, 2, 3);
  tn_scope_destroy(s);
}

// Step by step at first, then as one program.
static void what_does_not_depend_on_a_failed_kernel_is_computed(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn_array_retain(tn__testing_range(s, TN_LIST(4)));
  const tn_attribute_t attribute = {
      .name = "fails_at", .kind = TN_ATTRIBUTE_FLOAT, .dtype = TN_DTYPE_F32, .real = 2};
  for (int round = 0; round < 4; ++round) {
    tn_array_t* gone = tn_array_add(s, x, x);
    tn_array_t* z = tn_op_apply_one(s, "blend", 2, (tn_array_t*[]){x, gone}, 1, &attribute);
    tn_array_t* other = tn_array_multiply(s, tn_array_add(s, gone, x), x);
    tn_array_t* wanted[] = {tn_array_exp(s, z), tn_array_retain(other)};
    tn_array_retain(wanted[0]);
    tn_scope_clear(s);
    TN_ASSERT_REPORT("x is 2", tn_array_eval(2, wanted));
    TN_ASSERT_REPORT("x is 2", tn_array_status(wanted[0]));
    TN_ASSERT_F32(wanted[1], TN_LIST(4), 0, 3, 12, 27);
    for (size_t i = 0; i < 2; ++i) tn_array_release(wanted[i]);
  }
  TN_ASSERT_F32(x, TN_LIST(4), 0, 1, 2, 3);
  tn_array_release(x);
  tn_scope_destroy(s);
}

static tn_status_t blend_sum(void* user, tn_scope_t* s, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_sum(s, blend_of(s, inputs[0], inputs[1], 5), 0, NULL, false);
  return TN_OK;
}

static void rules_are_used_and_missing_ones_named(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {blend_sum, NULL};
  const size_t argnums[] = {0, 1};
  tn_array_t* inputs[] = {tn__testing_range(s, TN_LIST(2, 3)), tn__testing_range(s, TN_LIST(3))};
  tn_array_t *gradients[2], *y = NULL, *t = NULL;
  TN_ASSERT_OK(tn_grad(s, &function, 2, inputs, 2, argnums, gradients));
  TN_ASSERT_F32(gradients[0], TN_LIST(2, 3), 5, 5, 5, 5, 5, 5);
  TN_ASSERT_F32(gradients[1], TN_LIST(3), 2, 2, 2);
  TN_ASSERT_REPORT(
      "blend: there is no jvp of this operation\nnote: TN_DEFINE(blend, .jvp = ...) gives it one",
      tn_jvp(s, &function, 2, inputs, inputs, 1, &y, &t));
  const int64_t axes[] = {0, TN_NO_AXIS};
  TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, axes, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2), 18, 63);
  tn_scope_destroy(s);
}

static tn_status_t tangent_of_blend(void* user, tn_scope_t* s, size_t input_count,
                                    tn_array_t* const* inputs, tn_array_t* const* tangents,
                                    size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)inputs, (void)output_count;
  tn_array_t* sum = tn_array_sum(s, tangents[0], 0, NULL, false);
  out[0] = tn_array_multiply(s, sum, tn_array_scalar(s, TN_DTYPE_F32, 5));
  return TN_OK;
}

static tn_status_t blend_with_a_jvp(void* user, tn_scope_t* s, size_t input_count,
                                    tn_array_t* const* inputs, size_t output_count,
                                    tn_array_t** out) {
  (void)user;
  const tn_custom_function_t function = {
      .struct_size = sizeof function, .function = {blend_sum, NULL}, .jvp = tangent_of_blend};
  return tn_custom_function_call(s, &function, input_count, inputs, output_count, out);
}

static void a_function_with_a_rule_of_its_own_needs_none_inside(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {blend_with_a_jvp, NULL};
  tn_array_t* inputs[] = {tn__testing_range(s, TN_LIST(2, 3)), tn__testing_range(s, TN_LIST(3))};
  tn_array_t *y = NULL, *t = NULL;
  TN_ASSERT_OK(tn_jvp(s, &function, 2, inputs, inputs, 1, &y, &t));
  TN_ASSERT_F32(y, TN_NO_DIMS, 81);
  TN_ASSERT_F32(t, TN_NO_DIMS, 75);
  tn_scope_destroy(s);
}

static void shapes_come_from_the_definition_or_the_caller(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  TN_ASSERT_F32(tn_op_apply_one(s, "row_sums", 1, &x, 0, NULL), TN_LIST(2), 3, 12);
  tn_array_t* t = tn_array_transpose(s, x, NULL);
  TN_ASSERT_F32(tn_op_apply_one(s, "row_sums", 1, &t, 0, NULL), TN_LIST(3), 3, 5, 7);
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 1);
  tn_array_t* y = tn_op_apply_one(s, "row_sums", 1, &one, 0, NULL);
  TN_ASSERT_REPORT("row_sums: x is no matrix", tn_array_eval(1, &y));
  const tn_array_type_t type = {TN_DTYPE_F32, TN_LIST(2)};
  const tn_application_t application = {sizeof application, "row_sums", 1, &x, 0, NULL, 1, &type};
  tn_op_apply(s, &application, &y);
  TN_ASSERT_F32(y, TN_LIST(2), 3, 12);
  tn_scope_destroy(s);
}

// y = x, with rules that say on which stream they are.
#define STREAMED(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)          \
  RET(y, f32, shape_of(x))

TN_OP(streamed, STREAMED, "y = x") {
  const int64_t n = tn_size(call->x);
  for (int64_t i = 0; i < n; ++i) call->y.data[i] = call->x.data[i];
  return TN_OK;
}

static tn_stream_t* seen_stream;
static tn_array_t* negative_of(const tn_rule_t* rule, tn_array_t* x) {
  seen_stream = tn_scope_stream(rule->scope);
  return tn_rule_negative(rule, x);
}
static tn_status_t streamed_infer(const tn_rule_t* rule, int64_t (*dims)[TN_MAX_RANK],
                                  tn_array_type_t* types) {
  const tn_array_t* x = rule->operands[0];
  (void)dims;
  types[0] = (tn_array_type_t){TN_DTYPE_F32, rule->api->rank(x), rule->api->dims(x)};
  return TN_OK;
}
static tn_status_t streamed_jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] = negative_of(rule, call->tangents[0]);
  return TN_OK;
}
static tn_status_t streamed_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  call->out_cotangents[0] = negative_of(rule, call->cotangents[0]);
  return TN_OK;
}
static tn_status_t streamed_vmap(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  call->out_results[0] = negative_of(rule, rule->operands[0]);
  call->out_axes[0] = call->axes[0];
  return TN_OK;
}
TN_DEFINE(streamed, .infer = streamed_infer, .jvp = streamed_jvp, .vjp = streamed_vjp,
          .vmap = streamed_vmap)

// The operation on the stream `user`, and nothing else.
static tn_status_t streamed_of(void* user, tn_scope_t* s, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)input_count, (void)output_count;
  tn_stream_t* before = tn_stream_retain(tn_scope_stream(s));
  TN_RETURN_IF_ERROR(tn_scope_set_stream(s, user));
  out[0] = tn_op_apply_one(s, "streamed", 1, inputs, 0, NULL);
  tn_status_t status = tn_scope_set_stream(s, before);
  tn_stream_release(before);
  return status;
}

static void rules_make_arrays_on_the_stream_of_the_operation(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_stream_t *own = NULL, *other = NULL;
  tn_array_t *y = NULL, *t = NULL;
  TN_ASSERT_OK(tn_op_register(tn_definition_of(streamed)));
  TN_ASSERT_OK(tn_stream_create(tn_scope_device(s), &own));
  TN_ASSERT_OK(tn_stream_create(tn_scope_device(s), &other));
  tn_array_t* x = tn__testing_range(s, TN_LIST(3));
  tn_stream_t* const streams[][2] = {{own, NULL}, {own, other}, {NULL, other}};
  for (size_t i = 0; i < 3; ++i) {
    const tn_closure_t function = {streamed_of, streams[i][0]};
    TN_ASSERT_OK(tn_scope_set_stream(s, streams[i][1]));
    TN_ASSERT_OK(tn_jvp(s, &function, 1, &x, &x, 1, &y, &t));
    assert_ptr_equal(seen_stream, streams[i][0]);
    TN_ASSERT_F32(t, TN_LIST(3), 0, -1, -2);
    TN_ASSERT_OK(tn_vjp(s, &function, 1, &x, 1, &x, &y, &t));
    assert_ptr_equal(seen_stream, streams[i][0]);
    TN_ASSERT_F32(t, TN_LIST(3), 0, -1, -2);
    TN_ASSERT_OK(tn_vmap(s, &function, 1, &x, NULL, 1, NULL, &y));
    assert_ptr_equal(seen_stream, streams[i][0]);
    TN_ASSERT_F32(y, TN_LIST(3), 0, -1, -2);
    assert_ptr_equal(tn_scope_stream(s), streams[i][1]);
  }
  tn_scope_destroy(s);
  tn_stream_release(own);
  tn_stream_release(other);
}

// Everything that its author wrote gives up.
#define STUBBORN(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)          \
  ATTR(knows, bool, true)        \
  RET(y, f32, shape_of(x))

TN_OP(stubborn, STUBBORN, "y = x") {
  const int64_t n = tn_size(call->x);
  for (int64_t i = 0; i < n; ++i) call->y.data[i] = call->x.data[i];
  return TN_OK;
}

static tn_status_t give_up(const tn_rule_t* rule) {
  return rule->api->error(TN_CODE_ABORTED, "it gives up");
}
static tn_status_t stubborn_infer(const tn_rule_t* rule, int64_t (*dims)[TN_MAX_RANK],
                                  tn_array_type_t* types) {
  const tn_array_t* x = rule->operands[0];
  (void)dims;
  if (tn_rule_attribute(rule, "knows") == 0) return give_up(rule);
  types[0] = (tn_array_type_t){TN_DTYPE_F32, rule->api->rank(x), rule->api->dims(x)};
  return TN_OK;
}
static tn_status_t stubborn_jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  (void)call;
  return give_up(rule);
}
static tn_status_t stubborn_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  (void)call;
  return give_up(rule);
}
static tn_status_t stubborn_vmap(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  (void)call;
  return give_up(rule);
}
TN_DEFINE(stubborn, .infer = stubborn_infer, .jvp = stubborn_jvp, .vjp = stubborn_vjp,
          .vmap = stubborn_vmap)

static tn_status_t stubborn_of(void* user, tn_scope_t* s, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_op_apply_one(s, "stubborn", 1, inputs, 0, NULL);
  return TN_OK;
}

static void errors_of_rules_name_the_operation(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  TN_ASSERT_OK(tn_op_register(tn_definition_of(stubborn)));
  const tn_closure_t function = {stubborn_of, NULL};
  tn_array_t *x = tn__testing_range(s, TN_LIST(2)), *y = NULL, *t = NULL;
  TN_ASSERT_REPORT("in the jvp of stubborn: it gives up",
                   tn_jvp(s, &function, 1, &x, &x, 1, &y, &t));
  TN_ASSERT_REPORT("in the vjp of stubborn: it gives up",
                   tn_vjp(s, &function, 1, &x, 1, &x, &y, &t));
  TN_ASSERT_REPORT("in the vmap of stubborn: it gives up",
                   tn_vmap(s, &function, 1, &x, NULL, 1, NULL, &y));
  const tn_attribute_t knows = {
      .name = "knows", .kind = TN_ATTRIBUTE_BOOL, .dtype = TN_DTYPE_PRED, .integer = 0};
  y = tn_op_apply_one(s, "stubborn", 1, &x, 1, &knows);
  TN_ASSERT_REPORT("error: stubborn: it gives up", tn_array_eval(1, &y));
  tn_scope_destroy(s);
}

static void uses_that_do_not_fit_are_counted(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  tn_array_t *operands[] = {x, x, x}, *results[] = {NULL, NULL};
  const tn_attribute_t scale = tn_attribute_float("scale", TN_DTYPE_F32, 3);
  const tn_attribute_t twice[] = {scale, scale};
  for (size_t count = 0; count <= 3; ++count) {
    tn_array_t* y = tn_op_apply_one(s, "blend", count, operands, 0, NULL);
    TN_ASSERT_REPORT(count == 2   ? ""
                     : count == 1 ? "blend: has 1 operand; expected 2"
                     : count      ? "blend: has 3 operands; expected 2"
                                  : "blend: has 0 operands; expected 2",
                     tn_array_status(y));
  }
  const tn_application_t application = {.struct_size = sizeof application,
                                        .name = "blend",
                                        .operand_count = 2,
                                        .operands = operands,
                                        .result_count = 2};
  tn_op_apply(s, &application, results);
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_REPORT("blend: has 2 results; expected 1", tn_array_status(results[i]));
  }
  TN_ASSERT_REPORT("blend: attribute \"scale\" is given twice",
                   tn_array_status(tn_op_apply_one(s, "blend", 2, operands, 2, twice)));
  tn_scope_destroy(s);
}

static void add_opaque(void* out, const void* const* in, const char* opaque, size_t length,
                       XlaCustomCallStatus* status) {
  (void)opaque, (void)status;
  for (size_t i = 0; i < 2; ++i) ((float*)out)[i] = ((const float*)in[0])[i] + (float)length;
}

static void untyped_functions_take_opaque_bytes(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  TN_ASSERT_OK(tn_target_register("add_opaque", "Host", (tn_target_function_t)add_opaque,
                                  TN_API_VERSION_STATUS_RETURNING_UNIFIED));
  tn_array_t *x = tn__testing_range(s, TN_LIST(2)), *y = NULL;
  const tn_array_type_t type = {TN_DTYPE_F32, TN_LIST(2)};
  tn_attribute_t attribute = tn_attribute_string("opaque", "abc", 3);
  const tn_application_t application = {
      sizeof application, "add_opaque", 1, &x, 1, &attribute, 1, &type};
  tn_op_apply(s, &application, &y);
  TN_ASSERT_F32(y, TN_LIST(2), 3, 4);
  attribute.name = "scale";
  tn_op_apply(s, &application, &y);
  TN_ASSERT_REPORT(
      "add_opaque: an untyped function has no attribute \"scale\"; expected at most "
      "\"opaque\", a string",
      tn_array_status(y));
  tn_scope_destroy(s);
}

static void operands_of_another_type_are_refused_at_the_call(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn_array_astype(s, tn__testing_range(s, TN_LIST(2)), TN_DTYPE_S8);
  tn_array_t* y = tn_op_apply_one(s, "streamed", 1, &x, 0, NULL);
  TN_ASSERT_REPORT("streamed: operand 0 (x) has type tensor<2xi8>; expected elements of f32",
                   tn_array_status(y));
  tn_scope_destroy(s);
}

static tn_status_t apply_with(const tn_allocator_t* allocator, void* context) {
  const tn_device_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_device_t* device = NULL;
  tn_scope_t* s = NULL;
  (void)context;
  TN_RETURN_IF_ERROR(tn_device_create("cpu", &options, &device));
  tn_status_t status = tn_scope_create(device, &s);
  if (!status) {
    tn_array_t* x = tn__testing_range(s, TN_LIST(2));
    tn_array_t* y = blend_of(s, x, x, 1);
    status = tn_array_eval(1, &y);
  }
  tn_scope_destroy(s);
  tn_device_release(device);
  return status;
}

static void use_without_memory_is_an_error(void** state) {
  (void)state;
  tn_scope_destroy(begin());
  tn__testing_sweep_allocations(apply_with, NULL);
}

static void a_definition_goes_when_nothing_needs_it(void** state) {
  (void)state;
  destroyed = 0;
  tn_scope_t* s = begin();
  const int before = destroyed;
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  tn_array_t* z = blend_of(s, x, x, 1);
  TN_ASSERT_OK(tn_target_unregister("blend", "Host"));
  assert_int_equal(destroyed, before);
  tn_scope_destroy(s);
  (void)z;
  assert_int_equal(destroyed, before + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_are_promoted_and_broadcast),
      cmocka_unit_test(a_pending_array_is_described_with_all_attributes),
      cmocka_unit_test(attributes_have_their_defaults),
      cmocka_unit_test(every_use_has_the_attributes_it_was_given),
      cmocka_unit_test(operands_may_have_any_strides),
      cmocka_unit_test(empty_and_single_elements_work),
      cmocka_unit_test(a_kernel_that_fails_leaves_its_error_in_the_results),
      cmocka_unit_test(what_does_not_depend_on_a_failed_kernel_is_computed),
      cmocka_unit_test(rules_are_used_and_missing_ones_named),
      cmocka_unit_test(a_function_with_a_rule_of_its_own_needs_none_inside),
      cmocka_unit_test(shapes_come_from_the_definition_or_the_caller),
      cmocka_unit_test(rules_make_arrays_on_the_stream_of_the_operation),
      cmocka_unit_test(errors_of_rules_name_the_operation),
      cmocka_unit_test(uses_that_do_not_fit_are_counted),
      cmocka_unit_test(operands_of_another_type_are_refused_at_the_call),
      cmocka_unit_test(untyped_functions_take_opaque_bytes),
      cmocka_unit_test(use_without_memory_is_an_error),
      cmocka_unit_test(a_definition_goes_when_nothing_needs_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
