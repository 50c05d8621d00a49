// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Graphs that are deep, wide, or have very many ways through them: nothing recurses, and nothing is
// traversed twice.
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

static size_t length_of(size_t most) {
  return getenv("TENON_LONG_TESTS") ? most : most / 20;
}

// A long line of steps, of which only the last is held.
static tn_array_t* chain(tn_scope_t* s, tn_array_t* x, size_t length) {
  x = tn_array_retain(x);
  tn_array_t* one = tn_array_retain(tn_array_scalar(s, TN_DTYPE_F32, 1));
  for (size_t i = 0; i < length; ++i) {
    tn_array_t* next = tn_array_retain(tn_array_add(s, x, one));
    tn_array_release(x);
    x = next;
    if (i % 1024 == 0) tn_scope_clear(s);
  }
  tn_array_release(one);
  return x;
}

static void a_chain_of_a_million_steps_is_evaluated(void** state) {
  (void)state;
  const size_t length = length_of(1000000);
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = chain(s, tn_array_scalar(s, TN_DTYPE_F32, 0), length);
  double value = 0;
  TN_ASSERT_OK(tn_array_item(x, &value));
  assert_true(value == (double)length);
  tn_array_release(x);
  tn_scope_destroy(s);
}

static void a_chain_of_a_million_steps_is_given_up(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_release(chain(s, tn_array_scalar(s, TN_DTYPE_F32, 0), 1000000));
  tn_scope_destroy(s);
}

// Views of views: their root is far away.
static void a_chain_of_views_is_read(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const size_t length = length_of(200000);
  tn_array_t* x = tn_array_retain(tn__testing_range(s, TN_LIST(2, 2)));
  for (size_t i = 0; i < length; ++i) {
    tn_array_t* next = tn_array_retain(tn_array_transpose(s, x, NULL));
    tn_array_release(x);
    x = next;
  }
  TN_ASSERT_F32(x, TN_LIST(2, 2), 0, 1, 2, 3);
  tn_array_release(x);
  tn_scope_destroy(s);
}

static tn_status_t long_function(void* user, tn_scope_t* s, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  tn_array_t* x = inputs[0];
  (void)input_count, (void)output_count;
  for (size_t i = 0; i < *(const size_t*)user; ++i) x = tn_array_add(s, x, inputs[0]);
  out[0] = x;
  return TN_OK;
}

static void a_long_function_is_differentiated_and_batched(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  size_t length = length_of(200000);
  const tn_closure_t function = {long_function, &length};
  tn_array_t *x = tn_array_scalar(s, TN_DTYPE_F32, 1), *gradient = NULL, *batch = NULL;
  tn_array_t* line = tn__testing_range(s, TN_LIST(3));
  TN_ASSERT_OK(tn_grad(s, &function, 1, &x, 1, NULL, &gradient));
  TN_ASSERT_F32(gradient, TN_NO_DIMS, (float)(length + 1));
  TN_ASSERT_OK(tn_vmap(s, &function, 1, &line, NULL, 1, NULL, &batch));
  TN_ASSERT_F32(batch, TN_LIST(3), 0, (float)(length + 1), 2 * (float)(length + 1));
  tn_scope_destroy(s);
}

// Each step uses the one before twice: there are 2^1000 ways to the first.
static void graphs_with_very_many_ways_take_as_long_as_they_have_steps(void** state) {
  (void)state;
  enum { LEVELS = 1000 };
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_scalar(s, TN_DTYPE_F32, 1);
  for (int i = 0; i < LEVELS; ++i) {
    tn_array_t* sum = tn_array_add(s, x, x);
    x = tn_array_multiply(s, sum, tn_array_scalar(s, TN_DTYPE_F32, 0.5));
  }
  TN_ASSERT_F32(x, TN_NO_DIMS, 1);
  tn_scope_destroy(s);
}

static tn_status_t doubling(void* user, tn_scope_t* s, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  tn_array_t* x = inputs[0];
  (void)user, (void)input_count, (void)output_count;
  for (int i = 0; i < 100; ++i) {
    x = tn_array_multiply(s, tn_array_add(s, x, x), tn_array_scalar(s, TN_DTYPE_F32, 0.5));
  }
  out[0] = x;
  return TN_OK;
}

static void their_derivatives_too(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {doubling, NULL};
  tn_array_t *x = tn_array_scalar(s, TN_DTYPE_F32, 3), *gradient = NULL;
  TN_ASSERT_OK(tn_grad(s, &function, 1, &x, 1, NULL, &gradient));
  TN_ASSERT_F32(gradient, TN_NO_DIMS, 1);
  tn_scope_destroy(s);
}

static void very_many_operands_are_joined(void** state) {
  (void)state;
  const size_t count = length_of(100000);
  tn_scope_t* s = tn__testing_scope();
  tn_array_t** parts = calloc(count, sizeof *parts);
  assert_non_null(parts);
  const float one = 1;
  for (size_t i = 0; i < count; ++i) parts[i] = tn__testing_f32(s, TN_LIST(1), &one);
  tn_array_t* sum = tn_array_sum(s, tn_array_concatenate(s, count, parts, 0), 0, NULL, false);
  TN_ASSERT_F32(sum, TN_NO_DIMS, (float)count);
  tn_array_t* stacked = tn_array_stack(s, count, parts, 1);
  assert_int_equal(tn_array_dim(stacked, 1), count);
  TN_ASSERT_OK(tn_array_eval(1, &stacked));
  free(parts);
  tn_scope_destroy(s);
}

// --- transforms in transforms

typedef struct nest {
  int level;
} nest_t;

// The derivative of the derivative... of x^7.
static tn_status_t nested(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                          size_t output_count, tn_array_t** out) {
  nest_t inner = {((const nest_t*)user)->level - 1};
  const tn_closure_t function = {nested, &inner};
  (void)input_count, (void)output_count;
  if (inner.level >= 0) return tn_grad(s, &function, 1, inputs, 1, NULL, out);
  out[0] = inputs[0];
  for (int i = 1; i < 7; ++i) out[0] = tn_array_multiply(s, out[0], inputs[0]);
  return TN_OK;
}

static void derivatives_of_derivatives_six_levels_deep(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  nest_t nest = {6};
  tn_array_t *x = tn_array_scalar(s, TN_DTYPE_F32, 2), *out = NULL;
  TN_ASSERT_OK(nested(&nest, s, 1, &x, 1, &out));
  TN_ASSERT_F32(out, TN_NO_DIMS, 5040 * 2);  // 7! x
  tn_scope_destroy(s);
}

static tn_status_t batched(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                           size_t output_count, tn_array_t** out) {
  nest_t inner = {((const nest_t*)user)->level - 1};
  const tn_closure_t function = {batched, &inner};
  (void)input_count, (void)output_count;
  if (inner.level >= 0) return tn_vmap(s, &function, 1, inputs, NULL, 1, NULL, out);
  out[0] = tn_array_multiply(s, inputs[0], inputs[0]);
  return TN_OK;
}

static void batches_of_batches_six_levels_deep(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  nest_t nest = {6};
  tn_array_t *x = tn__testing_range(s, TN_LIST(1, 2, 1, 2, 1, 1)), *out = NULL;
  TN_ASSERT_OK(batched(&nest, s, 1, &x, 1, &out));
  TN_ASSERT_F32(out, TN_LIST(1, 2, 1, 2, 1, 1), 0, 1, 4, 9);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_of_a_million_steps_is_evaluated),
      cmocka_unit_test(a_chain_of_a_million_steps_is_given_up),
      cmocka_unit_test(a_chain_of_views_is_read),
      cmocka_unit_test(a_long_function_is_differentiated_and_batched),
      cmocka_unit_test(graphs_with_very_many_ways_take_as_long_as_they_have_steps),
      cmocka_unit_test(their_derivatives_too),
      cmocka_unit_test(very_many_operands_are_joined),
      cmocka_unit_test(derivatives_of_derivatives_six_levels_deep),
      cmocka_unit_test(batches_of_batches_six_levels_deep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
