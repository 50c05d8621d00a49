// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/detail/program.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

// sum(tanh(x * w))
static tn_status_t squash(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                          size_t output_count, tn_array_t** out) {
  (void)user, (void)output_count;
  assert_int_equal(input_count, 2);
  out[0] =
      tn_array_sum(s, tn_array_tanh(s, tn_array_multiply(s, inputs[0], inputs[1])), 0, NULL, false);
  return TN_OK;
}

static tn_status_t cube(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_multiply(s, inputs[0], tn_array_multiply(s, inputs[0], inputs[0]));
  return TN_OK;
}

static const tn_closure_t cube_function = {cube, NULL};

// The gradient of another closure with one input.
static tn_status_t gradient(void* user, tn_scope_t* s, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)output_count;
  return tn_grad(s, user, input_count, inputs, 1, NULL, out);
}

static tn_status_t over_a_batch(void* user, tn_scope_t* s, size_t input_count,
                                tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  tn_array_t* y = NULL;
  (void)output_count;
  TN_RETURN_IF_ERROR(tn_vmap(s, user, input_count, inputs, NULL, 1, NULL, &y));
  out[0] = tn_array_sum(s, y, 0, NULL, false);
  return TN_OK;
}

static void a_gradient_is_the_derivative_of_the_sum(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {squash, NULL};
  const size_t argnums[] = {0, 1};
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(2), (const float[]){0, 0}),
                          tn__testing_f32(s, TN_LIST(2), (const float[]){3, 5})};
  tn_array_t* value = NULL;
  tn_array_t* gradients[2];
  TN_ASSERT_OK(tn_value_and_grad(s, &function, 2, inputs, 2, argnums, 1, &value, gradients));
  TN_ASSERT_F32(value, TN_NO_DIMS, 0);
  TN_ASSERT_F32(gradients[0], TN_LIST(2), 3, 5);
  TN_ASSERT_F32(gradients[1], TN_LIST(2), 0, 0);
  tn_scope_destroy(s);
}

static void a_tangent_goes_forwards(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2), (const float[]){1, 2});
  tn_array_t* t = tn__testing_f32(s, TN_LIST(2), (const float[]){1, 10});
  tn_array_t *y = NULL, *tangent = NULL;
  TN_ASSERT_OK(tn_jvp(s, &cube_function, 1, &x, &t, 1, &y, &tangent));
  TN_ASSERT_F32(y, TN_LIST(2), 1, 8);
  TN_ASSERT_F32(tangent, TN_LIST(2), 3, 120);
  tn_scope_destroy(s);
}

static void gradients_nest(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_closure_t first = {gradient, (void*)&cube_function};
  tn_closure_t second = {gradient, &first};
  tn_array_t* x = tn_array_scalar(s, TN_DTYPE_F32, 2);
  tn_array_t* y = NULL;
  TN_ASSERT_OK(tn_grad(s, &cube_function, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 12);
  TN_ASSERT_OK(tn_grad(s, &first, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 12);
  TN_ASSERT_OK(tn_grad(s, &second, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 6);
  tn_scope_destroy(s);
}

static void batches_and_gradients_go_in_any_order(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_closure_t slope = {gradient, (void*)&cube_function};
  tn_closure_t batch = {over_a_batch, (void*)&cube_function};
  tn_array_t* x = tn__testing_f32(s, TN_LIST(3), (const float[]){1, 2, 3});
  tn_array_t* y = NULL;
  TN_ASSERT_OK(tn_vmap(s, &slope, 1, &x, NULL, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 3, 12, 27);
  TN_ASSERT_OK(tn_grad(s, &batch, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 3, 12, 27);
  tn_scope_destroy(s);
}

static void a_batch_goes_where_it_is_wanted(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* y = NULL;
  const int64_t in_axes[] = {1}, out_axes[] = {-1};
  TN_ASSERT_OK(tn_vmap(s, &cube_function, 1, &x, in_axes, 1, out_axes, &y));
  TN_ASSERT_F32(y, TN_LIST(2, 3), 0, 1, 8, 27, 64, 125);
  TN_ASSERT_OK(tn_vmap(s, &cube_function, 1, &x, in_axes, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3, 2), 0, 27, 1, 64, 8, 125);
  tn_scope_destroy(s);
}

static tn_status_t reads_its_input(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out) {
  double value = 0;
  (void)user, (void)input_count, (void)output_count;
  TN_RETURN_IF_ERROR(tn_array_item(inputs[0], &value));
  out[0] = tn_array_multiply(s, inputs[0], tn_array_scalar(s, TN_DTYPE_F32, value));
  return TN_OK;
}

static void an_input_without_a_value_cannot_be_read(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {reads_its_input, NULL};
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2), (const float[]){1, 2});
  tn_array_t* y = NULL;
  TN_ASSERT_REPORT("no value while the function is traced",
                   tn_vmap(s, &function, 1, &x, NULL, 1, NULL, &y));
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 3);
  TN_ASSERT_OK(tn_grad(s, &function, 1, &one, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 3);
  tn_scope_destroy(s);
}

static void what_makes_no_sense_is_refused(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2), (const float[]){1, 2});
  tn_array_t* i = tn_array_scalar(s, TN_DTYPE_S32, 1);
  tn_array_t* y = NULL;
  const size_t beyond[] = {1};
  TN_ASSERT_REPORT("output 0 of the function is f32 of shape 2; expected a scalar",
                   tn_grad(s, &cube_function, 1, &x, 1, NULL, &y));
  TN_ASSERT_REPORT("argnum 1 of a function with 1 inputs",
                   tn_grad(s, &cube_function, 1, &x, 1, beyond, &y));
  TN_ASSERT_REPORT("input 0 is i32", tn_grad(s, &cube_function, 1, &i, 1, NULL, &y));
  TN_ASSERT_REPORT("no axis 0 for the batch", tn_vmap(s, &cube_function, 1, &i, NULL, 1, NULL, &y));
  assert_null(y);
  tn_scope_destroy(s);
}

static tn_status_t scaled_by_its_constant(void* user, tn_scope_t* s, size_t input_count,
                                          tn_array_t* const* inputs, size_t output_count,
                                          tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_multiply(s, inputs[0], tn_array_stop_gradient(s, inputs[0]));
  return TN_OK;
}

static void what_is_stopped_is_a_constant(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {scaled_by_its_constant, NULL};
  tn_array_t* x = tn_array_scalar(s, TN_DTYPE_F32, 3);
  tn_array_t* y = NULL;
  TN_ASSERT_OK(tn_grad(s, &function, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 3);
  tn_scope_destroy(s);
}

static void what_is_stopped_is_a_constant_to_derivatives_of_its_batch(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_closure_t function = {scaled_by_its_constant, NULL};
  const tn_closure_t batch = {over_a_batch, &function};
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2), (const float[]){3, 5});
  tn_array_t* t = tn__testing_f32(s, TN_LIST(2), (const float[]){1, 10});
  tn_array_t *y = NULL, *change = NULL;
  TN_ASSERT_OK(tn_grad(s, &batch, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2), 3, 5);
  TN_ASSERT_OK(tn_jvp(s, &batch, 1, &x, &t, 1, &y, &change));
  TN_ASSERT_F32(change, TN_NO_DIMS, 53);
  tn_scope_destroy(s);
}

// inputs[0] swapped and negated, after inputs[1].
static tn_status_t after_the_other(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_depends(s, 1, inputs, 1, inputs + 1, out);
  out[0] = tn_array_negative(s, tn_array_transpose(s, out[0], NULL));
  return TN_OK;
}

static void what_only_waits_for_a_batch_is_the_same_for_all_of_it(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {after_the_other, NULL};
  tn_array_t* inputs[] = {tn__testing_range(s, TN_LIST(2, 2)), tn__testing_range(s, TN_LIST(3))};
  const int64_t in_axes[] = {TN_NO_AXIS, 0}, none[] = {TN_NO_AXIS};
  tn_array_t* y = NULL;
  TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, in_axes, 1, none, &y));
  TN_ASSERT_F32(y, TN_LIST(2, 2), 0, -2, -1, -3);
  TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, in_axes, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3, 2, 2), 0, -2, -1, -3, 0, -2, -1, -3, 0, -2, -1, -3);
  tn_scope_destroy(s);
}

// The gradient of x * x * x is said to be 100.
static tn_status_t hundred(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                           size_t output_count, tn_array_t* const* cotangents,
                           tn_array_t* const* outputs, tn_array_t** out_gradients) {
  (void)user, (void)input_count, (void)output_count, (void)outputs, (void)inputs;
  out_gradients[0] = tn_array_multiply(s, cotangents[0], tn_array_scalar(s, TN_DTYPE_F32, 100));
  return TN_OK;
}

static tn_status_t cube_with_rules(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out) {
  (void)user;
  const tn_custom_function_t function = {
      .struct_size = sizeof function, .function = cube_function, .vjp = hundred};
  return tn_custom_function_call(s, &function, input_count, inputs, output_count, out);
}

static void rules_of_a_function_take_the_place_of_its_own(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {cube_with_rules, NULL};
  tn_array_t* x = tn_array_scalar(s, TN_DTYPE_F32, 2);
  tn_array_t *y = NULL, *g = NULL;
  for (int round = 0; round < 3; ++round) {
    TN_ASSERT_OK(tn_value_and_grad(s, &function, 1, &x, 1, NULL, 1, &y, &g));
    TN_ASSERT_F32(y, TN_NO_DIMS, 8);
    TN_ASSERT_F32(g, TN_NO_DIMS, 100);
  }
  TN_ASSERT_REPORT("no jvp", tn_jvp(s, &function, 1, &x, &x, 1, &y, &g));
  tn_scope_destroy(s);
}

// f(x, w) = sum(x * w), whose derivatives are said to be 3 w and 5 x, and forwards 7 times what
// they are. With `second` there is another output, 2 x, of no influence on w.
typedef struct dot {
  bool has_vmap, is_second;
  int destroyed;
} dot_t;

static tn_status_t dot(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                       size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count;
  out[0] = tn_array_sum(s, tn_array_multiply(s, x[0], x[1]), 0, NULL, false);
  if (output_count == 2) out[1] = tn_array_add(s, x[0], x[0]);
  return TN_OK;
}
static tn_status_t dot_vjp(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                           size_t output_count, tn_array_t* const* t, tn_array_t* const* outputs,
                           tn_array_t** out) {
  (void)user, (void)input_count, (void)outputs;
  assert_int_equal(tn_array_rank(x[0]), 1);
  assert_int_equal(tn_array_rank(t[0]), 0);
  out[0] =
      tn_array_multiply(s, t[0], tn_array_multiply(s, x[1], tn_array_scalar(s, TN_DTYPE_F32, 3)));
  out[1] =
      tn_array_multiply(s, t[0], tn_array_multiply(s, x[0], tn_array_scalar(s, TN_DTYPE_F32, 5)));
  if (output_count == 2) out[0] = tn_array_add(s, out[0], t[1]);
  return TN_OK;
}
static tn_status_t dot_jvp(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                           tn_array_t* const* t, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count;
  tn_array_t* seven = tn_array_scalar(s, TN_DTYPE_F32, 7);
  out[0] = NULL;
  if (t[0])
    out[0] = tn_array_multiply(s, seven,
                               tn_array_sum(s, tn_array_multiply(s, t[0], x[1]), 0, NULL, false));
  if (output_count == 2) out[1] = NULL;
  return TN_OK;
}
// All at once, ten times as large.
static tn_status_t dot_vmap(void* user, tn_scope_t* s, int64_t batch_size, size_t input_count,
                            tn_array_t* const* x, const int64_t* axes, size_t output_count,
                            tn_array_t** out, int64_t* out_axes) {
  (void)user, (void)batch_size, (void)input_count, (void)output_count;
  assert_int_equal(axes[0], 0);
  out[0] = tn_array_multiply(
      s, tn_array_scalar(s, TN_DTYPE_F32, 10),
      tn_array_sum(s, tn_array_multiply(s, x[0], x[1]), 1, (int64_t[]){1}, false));
  out_axes[0] = 0;
  return TN_OK;
}
static void count_destroyed(void* user) {
  ++((dot_t*)user)->destroyed;
}
static tn_status_t dot_with_rules(void* user, tn_scope_t* s, size_t input_count,
                                  tn_array_t* const* x, size_t output_count, tn_array_t** out) {
  const dot_t* wanted = user;
  const tn_custom_function_t function = {.struct_size = sizeof function,
                                         .function = {dot, user},
                                         .jvp = dot_jvp,
                                         .vjp = dot_vjp,
                                         .vmap = wanted->has_vmap ? dot_vmap : NULL,
                                         .destroy = count_destroyed};
  return tn_custom_function_call(s, &function, input_count, x, output_count, out);
}

// The sum of what it gives over rows of x; w is the same for all.
static tn_status_t dot_of_rows(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                               size_t output_count, tn_array_t** out) {
  const dot_t* wanted = user;
  const tn_closure_t function = {dot_with_rules, user};
  tn_array_t* y[2] = {NULL, NULL};
  (void)output_count;
  TN_RETURN_IF_ERROR(tn_vmap(s, &function, input_count, x, (int64_t[]){0, TN_NO_AXIS},
                             wanted->is_second ? 2 : 1, NULL, y));
  out[0] = tn_array_sum(s, y[0], 0, NULL, false);
  if (y[1]) out[0] = tn_array_add(s, out[0], tn_array_sum(s, y[1], 0, NULL, false));
  return TN_OK;
}

static void rules_count_for_each_element_of_a_batch(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  dot_t wanted = {false, false, 0};
  const tn_closure_t function = {dot_of_rows, &wanted};
  tn_array_t* x[2] = {tn__testing_f32(s, TN_LIST(3, 2), (const float[]){1, 2, 3, 4, 5, 6}),
                      tn__testing_f32(s, TN_LIST(2), (const float[]){10, 20})};
  tn_array_t *g[2] = {NULL, NULL}, *y = NULL, *t = NULL;
  const size_t both[] = {0, 1};
  for (wanted.has_vmap = false;; wanted.has_vmap = true) {
    const float scale = wanted.has_vmap ? 10 : 1;
    TN_ASSERT_OK(tn_grad(s, &function, 2, x, 2, both, g));
    TN_ASSERT_F32(g[0], TN_LIST(3, 2), 30, 60, 30, 60, 30, 60);
    TN_ASSERT_F32(g[1], TN_LIST(2), 5 * 9, 5 * 12);
    tn_array_t* change[2] = {tn__testing_f32(s, TN_LIST(3, 2), (const float[]){1, 0, 0, 1, 0, 0}),
                             x[1]};
    TN_ASSERT_OK(tn_jvp(s, &function, 2, x, change, 1, &y, &t));
    TN_ASSERT_F32(y, TN_NO_DIMS, scale * (50 + 110 + 170));
    TN_ASSERT_F32(t, TN_NO_DIMS, 7 * 30);
    if (wanted.has_vmap) break;
  }
  wanted = (dot_t){false, true, wanted.destroyed};
  TN_ASSERT_OK(tn_grad(s, &function, 2, x, 2, both, g));
  TN_ASSERT_F32(g[0], TN_LIST(3, 2), 31, 61, 31, 61, 31, 61);
  TN_ASSERT_F32(g[1], TN_LIST(2), 5 * 9, 5 * 12);
  // A batch of batches, and the derivative of each.
  wanted.is_second = false;
  tn_array_t* batches[2] = {tn_array_reshape(s, x[0], 3, (int64_t[]){3, 1, 2}), x[1]};
  tn_closure_t slope = {gradient, (void*)&function};
  TN_ASSERT_OK(tn_vmap(s, &slope, 2, batches, (int64_t[]){0, TN_NO_AXIS}, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3, 1, 2), 30, 60, 30, 60, 30, 60);
  tn_scope_destroy(s);
  assert_true(wanted.destroyed >= 6);
}

static tn_status_t cube_again(void* user, tn_scope_t* s, size_t input_count,
                              tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user;
  return tn_checkpoint(s, &cube_function, input_count, inputs, output_count, out);
}

static void a_checkpoint_changes_nothing_but_what_is_kept(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {cube_again, NULL};
  tn_closure_t slope = {gradient, (void*)&function};
  tn_array_t* x = tn_array_scalar(s, TN_DTYPE_F32, 2);
  tn_array_t *y = NULL, *t = NULL;
  TN_ASSERT_OK(tn_grad(s, &function, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 12);
  TN_ASSERT_OK(tn_grad(s, &slope, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 12);
  TN_ASSERT_OK(tn_jvp(s, &function, 1, &x, &x, 1, &y, &t));
  TN_ASSERT_F32(t, TN_NO_DIMS, 24);
  tn_array_t* batch = tn__testing_f32(s, TN_LIST(2), (const float[]){1, 2});
  TN_ASSERT_OK(tn_vmap(s, &function, 1, &batch, NULL, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2), 1, 8);
  tn_scope_destroy(s);
}

static tn_status_t line(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  (void)input_count, (void)output_count;
  out[0] = tn_array_add(s, tn_array_multiply(s, inputs[1], user), inputs[0]);
  out[1] = inputs[0];
  return TN_OK;
}

static void a_function_is_exported_as_a_module(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_testing_text_t text = {.length = 0};
  float got[2];
  const tn_closure_t function = {line, tn__testing_f32(s, TN_LIST(2), (const float[]){10, 100})};
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(2), (const float[]){1, 2}),
                          tn_array_scalar(s, TN_DTYPE_F32, 3)};
  tn_buffer_t *arguments[2], *results[2];
  TN_ASSERT_OK(tn_export_function(s, &function, 2, inputs, 2, &module));
  TN_ASSERT_OK(tn_module_print(module, tn__testing_write, &text));
  assert_non_null(strstr(text.bytes,
                         "(%arg: tensor<2xf32>, %arg_0: tensor<f32>) -> "
                         "(tensor<2xf32>, tensor<2xf32>)"));
  assert_non_null(strstr(text.bytes, "[1.000000e+01, 1.000000e+02]"));
  TN_ASSERT_OK(tn_program_compile(tn_scope_device(s), module, NULL, &program));
  for (int i = 0; i < 2; ++i) TN_ASSERT_OK(tn_array_to_buffer(inputs[i], &arguments[i]));
  TN_ASSERT_OK(tn_program_run(program, 2, arguments, NULL, 2, results));
  TN_ASSERT_OK(tn_buffer_to_host(results[0], got, sizeof got));
  assert_true(got[0] == 31 && got[1] == 302);
  for (int i = 0; i < 2; ++i) {
    tn_buffer_release(arguments[i]);
    tn_buffer_release(results[i]);
  }
  tn_program_release(program);
  tn_module_release(module);
  tn_scope_destroy(s);
}

static void pending_arrays_say_what_makes_them(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  char text[64];
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  tn_array_t *y = tn_array_add(s, x, x), *z = tn_array_add(s, x, x);
  assert_int_equal(tn_array_describe(y, text, sizeof text), 3);
  assert_string_equal(text, "add");
  tn_array_describe(tn_array_sum(s, x, 0, NULL, false), text, sizeof text);
  assert_string_equal(text, "reduce(dimensions=[0])");
  assert_true(tn_array_is_equivalent(y, z));
  assert_false(tn_array_is_equivalent(y, tn_array_add(s, x, y)));
  assert_int_equal(tn_array_describe(x, text, sizeof text), 0);
  tn_scope_destroy(s);
}

static int trace_count;

static tn_status_t cube_and_count(void* user, tn_scope_t* s, size_t input_count,
                                  tn_array_t* const* inputs, size_t output_count,
                                  tn_array_t** out) {
  ++trace_count;
  return cube(user, s, input_count, inputs, output_count, out);
}

static tn_status_t call_compiled(void* user, tn_scope_t* s, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  return tn_compiled_call(user, s, input_count, inputs, output_count, out);
}

static void a_compiled_function_is_traced_once_for_each_shape(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_compiled_t* compiled = NULL;
  tn_array_t* y = NULL;
  const tn_closure_t function = {cube_and_count, NULL};
  TN_ASSERT_OK(tn_closure_compile(s, &function, NULL, &compiled));
  trace_count = 0;
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 2));
  for (int i = 0; i < 3; ++i) {
    TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &x, 1, &y));
    TN_ASSERT_F32(y, TN_LIST(2, 2), 0, 1, 8, 27);
  }
  tn_array_t* t = tn_array_transpose(s, x, NULL);
  TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &t, 1, &y));
  y = tn_array_add(s, y, x);
  TN_ASSERT_F32(y, TN_LIST(2, 2), 0, 9, 3, 30);
  assert_int_equal(trace_count, 1);
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 3);
  TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &one, 1, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 27);
  assert_int_equal(tn_compiled_trace_count(compiled), 2);
  // Inside of transforms it is an ordinary function.
  const tn_closure_t outer = {call_compiled, compiled};
  TN_ASSERT_OK(tn_grad(s, &outer, 1, &one, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 27);
  tn_array_t* slope = y;
  TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &slope, 1, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 19683);
  tn_array_t* rows = tn__testing_range(s, TN_LIST(3));
  TN_ASSERT_OK(tn_vmap(s, &outer, 1, &rows, NULL, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 0, 1, 8);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

// Calls a compiled function that uses what stands for x without being given it.
static tn_status_t call_behind_its_back(void* user, tn_scope_t* s, size_t input_count,
                                        tn_array_t* const* inputs, size_t output_count,
                                        tn_array_t** out) {
  tn_compiled_t* compiled = NULL;
  tn_module_t* module = NULL;
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 1);
  const tn_closure_t function = {line, inputs[0]};
  tn_array_t *both[] = {one, one}, *results[2] = {NULL, NULL};
  (void)user, (void)input_count, (void)output_count;
  TN_ASSERT_REPORT("an input of a transform around it, of shape 2, which has no value",
                   tn_export_function(s, &function, 2, both, 2, &module));
  TN_RETURN_IF_ERROR(tn_closure_compile(s, &function, NULL, &compiled));
  tn_status_t status = tn_compiled_call(compiled, s, 2, both, 2, results);
  tn_compiled_release(compiled);
  out[0] = results[0];
  return status;
}

static void a_compiled_function_is_given_the_inputs_of_transforms_around_it(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {call_behind_its_back, NULL};
  tn_array_t *x = tn__testing_range(s, TN_LIST(3, 2)), *y = NULL;
  TN_ASSERT_REPORT("an input of a transform around it, of shape 2, which has no value",
                   tn_vmap(s, &function, 1, &x, NULL, 1, NULL, &y));
  tn_scope_destroy(s);
}

// state = state + x; gives twice the state.
static tn_status_t accumulate(void* user, tn_scope_t* s, size_t input_count,
                              tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  tn_array_t** state = user;
  (void)input_count, (void)output_count;
  *state = tn_array_add(s, *state, inputs[0]);
  out[0] = tn_array_add(s, *state, *state);
  return TN_OK;
}

static void captured_arrays_are_read_and_set_at_each_call(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_compiled_t* compiled = NULL;
  tn_array_t *sum = tn_array_retain(tn_array_scalar(s, TN_DTYPE_F32, 0)), *y = NULL;
  tn_array_t** const places[] = {&sum};
  const tn_compiled_options_t options = {.struct_size = sizeof options,
                                         .captured_input_count = 1,
                                         .captured_inputs = places,
                                         .captured_output_count = 1,
                                         .captured_outputs = places};
  const tn_closure_t function = {accumulate, &sum};
  TN_ASSERT_OK(tn_closure_compile(s, &function, &options, &compiled));
  for (int i = 1; i <= 3; ++i) {
    tn_array_t* x = tn_array_scalar(s, TN_DTYPE_F32, i);
    TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &x, 1, &y));
    TN_ASSERT_F32(y, TN_NO_DIMS, (float)(i * (i + 1)));
    tn_scope_clear(s);
  }
  TN_ASSERT_F32(sum, TN_NO_DIMS, 6);
  assert_int_equal(tn_compiled_trace_count(compiled), 1);
  tn_array_release(sum);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gradient_is_the_derivative_of_the_sum),
      cmocka_unit_test(a_tangent_goes_forwards),
      cmocka_unit_test(gradients_nest),
      cmocka_unit_test(batches_and_gradients_go_in_any_order),
      cmocka_unit_test(a_batch_goes_where_it_is_wanted),
      cmocka_unit_test(an_input_without_a_value_cannot_be_read),
      cmocka_unit_test(what_makes_no_sense_is_refused),
      cmocka_unit_test(a_function_is_exported_as_a_module),
      cmocka_unit_test(pending_arrays_say_what_makes_them),
      cmocka_unit_test(a_compiled_function_is_traced_once_for_each_shape),
      cmocka_unit_test(a_compiled_function_is_given_the_inputs_of_transforms_around_it),
      cmocka_unit_test(captured_arrays_are_read_and_set_at_each_call),
      cmocka_unit_test(what_is_stopped_is_a_constant),
      cmocka_unit_test(what_is_stopped_is_a_constant_to_derivatives_of_its_batch),
      cmocka_unit_test(what_only_waits_for_a_batch_is_the_same_for_all_of_it),
      cmocka_unit_test(rules_of_a_function_take_the_place_of_its_own),
      cmocka_unit_test(rules_count_for_each_element_of_a_batch),
      cmocka_unit_test(a_checkpoint_changes_nothing_but_what_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
