// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "transform/rules/testing_rules.h"

#include <math.h>

enum { SIZE_LIMIT = 256, BATCH = 3 };

tn_status_t tn__call_subject(void* user, tn_scope_t* s, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)input_count, (void)output_count;
  out[0] = ((const tn_rule_case_t*)user)->function(s, inputs);
  return TN_OK;
}

// --- numbers

static double next_number(uint64_t* state, double low, double high) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static int64_t size_of(const tn_rule_case_t* c, size_t input) {
  int64_t size = 1;
  for (size_t d = 0; d < c->ranks[input]; ++d) size *= c->dims[input][d];
  return size;
}

static tn_array_t* make(tn_scope_t* s, const tn_rule_case_t* c, size_t input, const double* data) {
  return tn_array_from_host(s, TN_DTYPE_F64, c->ranks[input], c->dims[input], data,
                            (size_t)size_of(c, input) * sizeof *data);
}

static size_t read_array(tn_array_t* array, double* data) {
  const size_t byte_size = tn_array_byte_size(array);
  TN_ASSERT_OK(tn_array_status(array));
  assert_int_equal(tn_array_dtype(array), TN_DTYPE_F64);
  assert_true(byte_size <= SIZE_LIMIT * BATCH * sizeof *data);
  TN_ASSERT_OK(tn_array_to_host(array, data, byte_size));
  return byte_size / sizeof *data;
}

static double dot(size_t count, const double* a, const double* b) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

typedef struct tn_point {
  double x[TN_RULE_INPUT_LIMIT][SIZE_LIMIT];
} tn_point_t;

static void random_point(const tn_rule_case_t* c, uint64_t* state, double low, double high,
                         tn_point_t* out) {
  for (size_t i = 0; i < c->input_count; ++i) {
    for (int64_t e = 0; e < size_of(c, i); ++e) out->x[i][e] = next_number(state, low, high);
  }
}

static double value_at(tn_scope_t* s, const tn_rule_case_t* c, const tn_point_t* at,
                       const tn_point_t* along, double step, const double* u) {
  tn_array_t* inputs[TN_RULE_INPUT_LIMIT];
  double moved[SIZE_LIMIT], y[SIZE_LIMIT * BATCH] = {0};
  for (size_t i = 0; i < c->input_count; ++i) {
    for (int64_t e = 0; e < size_of(c, i); ++e) moved[e] = at->x[i][e] + step * along->x[i][e];
    inputs[i] = make(s, c, i, moved);
  }
  const size_t count = read_array(c->function(s, inputs), y);
  return dot(count, u, y);
}

static void assert_near(const char* name, const char* what, double got, double wanted) {
  const double limit = 1e-5 * (1 + fabs(wanted));
  if (!(fabs(got - wanted) <= limit)) {
    fail_msg("%s: the %s gives %.9g; finite differences give %.9g", name, what, got, wanted);
  }
}

// --- the checks

static void check_derivatives(tn_scope_t* s, const tn_rule_case_t* c, uint64_t* state) {
  tn_point_t at = {0}, along = {0};
  double u[SIZE_LIMIT * BATCH] = {0}, numbers[SIZE_LIMIT * BATCH] = {0};
  tn_array_t *inputs[TN_RULE_INPUT_LIMIT], *tangents[TN_RULE_INPUT_LIMIT],
      *gradients[TN_RULE_INPUT_LIMIT];
  tn_array_t *y = NULL, *t = NULL;
  const tn_closure_t function = {tn__call_subject, (void*)c};
  random_point(c, state, c->low, c->high, &at);
  random_point(c, state, -1, 1, &along);
  for (size_t i = 0; i < c->input_count; ++i) {
    inputs[i] = make(s, c, i, at.x[i]);
    tangents[i] = make(s, c, i, along.x[i]);
  }
  TN_ASSERT_OK(tn_jvp(s, &function, c->input_count, inputs, tangents, 1, &y, &t));
  const size_t count = read_array(t, numbers);
  for (size_t e = 0; e < count; ++e) u[e] = next_number(state, -1, 1);
  const double step = 1e-5;
  const double wanted =
      (value_at(s, c, &at, &along, step, u) - value_at(s, c, &at, &along, -step, u)) / (2 * step);
  assert_near(c->name, "jvp", dot(count, u, numbers), wanted);
  tn_array_t* cotangent =
      tn_array_from_host(s, TN_DTYPE_F64, tn_array_rank(y), tn_array_dims(y), u, count * sizeof *u);
  TN_ASSERT_OK(tn_vjp(s, &function, c->input_count, inputs, 1, &cotangent, NULL, gradients));
  double sum = 0;
  for (size_t i = 0; i < c->input_count; ++i) {
    sum += dot(read_array(gradients[i], numbers), numbers, along.x[i]);
  }
  assert_near(c->name, "vjp", sum, wanted);
}

typedef struct tn_batched_case {
  const tn_rule_case_t* c;
  tn_point_t points[BATCH];
  int64_t axes[TN_RULE_INPUT_LIMIT];
} tn_batched_case_t;

static tn_status_t call_batch(void* user, tn_scope_t* s, size_t input_count,
                              tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  const tn_batched_case_t* it = user;
  const tn_closure_t function = {tn__call_subject, (void*)it->c};
  return tn_vmap(s, &function, input_count, inputs, it->axes, output_count, NULL, out);
}

// What a function gives, or how that changes along the inputs themselves.
static size_t read_result(tn_scope_t* s, tn_closure_t function, size_t input_count,
                          tn_array_t* const* inputs, bool is_change, double* out_values) {
  tn_array_t *y = NULL, *t = NULL;
  if (is_change) {
    TN_ASSERT_OK(tn_jvp(s, &function, input_count, inputs, inputs, 1, &y, &t));
  } else {
    TN_ASSERT_OK(function.call(function.user, s, input_count, inputs, 1, &t));
  }
  return read_array(t, out_values);
}

static void compare_batch(tn_scope_t* s, tn_batched_case_t* it, tn_array_t* const* inputs,
                          bool is_change) {
  const tn_rule_case_t* c = it->c;
  double got[SIZE_LIMIT * BATCH], wanted[SIZE_LIMIT * BATCH];
  const double tolerance = is_change ? 1e-9 : 1e-12;
  const size_t total =
      read_result(s, (tn_closure_t){call_batch, it}, c->input_count, inputs, is_change, got);
  size_t count = 0;
  for (size_t b = 0; b < BATCH; ++b) {
    tn_array_t* single[TN_RULE_INPUT_LIMIT];
    for (size_t i = 0; i < c->input_count; ++i) single[i] = make(s, c, i, it->points[b].x[i]);
    count += read_result(s, (tn_closure_t){tn__call_subject, (void*)c}, c->input_count, single,
                         is_change, wanted + count);
  }
  assert_int_equal(total, count);
  for (size_t e = 0; e < count; ++e) {
    if (!(fabs(got[e] - wanted[e]) <= tolerance * (1 + fabs(wanted[e])))) {
      fail_msg("%s: element %zu of the batch%s is %.17g; one by one %.17g", c->name, e,
               is_change ? "'s change" : "", got[e], wanted[e]);
    }
  }
}

// Input `batched` alone has a batch, or all have one.
static void check_batch(tn_scope_t* s, const tn_rule_case_t* c, size_t batched, bool is_smooth,
                        uint64_t* state) {
  tn_batched_case_t it = {.c = c};
  double stacked[SIZE_LIMIT * BATCH];
  tn_array_t* inputs[TN_RULE_INPUT_LIMIT];
  for (size_t b = 0; b < BATCH; ++b) random_point(c, state, c->low, c->high, &it.points[b]);
  for (size_t i = 0; i < c->input_count; ++i) {
    const bool has_batch = batched == c->input_count || batched == i;
    const size_t size = (size_t)size_of(c, i);
    int64_t dims[5] = {BATCH};
    memcpy(dims + 1, c->dims[i], sizeof c->dims[i]);
    it.axes[i] = has_batch ? 0 : TN_NO_AXIS;
    for (size_t b = 0; b < BATCH; ++b) {
      if (!has_batch) memcpy(it.points[b].x[i], it.points[0].x[i], size * sizeof(double));
      memcpy(stacked + b * size, it.points[b].x[i], size * sizeof(double));
    }
    inputs[i] = has_batch ? tn_array_from_host(s, TN_DTYPE_F64, c->ranks[i] + 1, dims, stacked,
                                               BATCH * size * sizeof(double))
                          : make(s, c, i, it.points[0].x[i]);
  }
  compare_batch(s, &it, inputs, false);
  if (is_smooth) compare_batch(s, &it, inputs, true);
}

static void check_case(const tn_rule_case_t* c, bool is_smooth) {
  tn_scope_t* s = tn__testing_scope();
  uint64_t state = 42;
  for (int round = 0; round < 2; ++round) {
    if (is_smooth) check_derivatives(s, c, &state);
    for (size_t i = 0; i <= c->input_count; ++i) check_batch(s, c, i, is_smooth, &state);
    tn_scope_clear(s);
  }
  tn_scope_destroy(s);
}

void tn__check_rules(size_t count, const tn_rule_case_t* cases, bool is_smooth) {
  const char* only = getenv("TENON_TEST_RULE");
  for (size_t i = 0; i < count; ++i) {
    if (!only || strcmp(only, cases[i].name) == 0) check_case(&cases[i], is_smooth);
  }
}

// --- functions of functions

static tn_status_t sum_of_squares(void* user, tn_scope_t* s, size_t input_count,
                                  tn_array_t* const* inputs, size_t output_count,
                                  tn_array_t** out) {
  (void)input_count, (void)output_count;
  tn_array_t* y = ((const tn_rule_case_t*)user)->function(s, inputs);
  out[0] = tn_array_sum(s, tn_array_square(s, y), 0, NULL, false);
  return TN_OK;
}

tn_array_t* tn__gradient_of(tn_scope_t* s, tn_subject_t function, size_t input_count, size_t argnum,
                            tn_array_t* const* x) {
  tn_rule_case_t subject = {.function = function};
  const tn_closure_t closure = {sum_of_squares, &subject};
  tn_array_t* gradient = NULL;
  TN_ASSERT_OK(tn_grad(s, &closure, input_count, x, 1, &argnum, &gradient));
  return gradient;
}

tn_array_t* tn__plain_gradient_of(tn_scope_t* s, tn_subject_t function, size_t input_count,
                                  tn_array_t* const* x) {
  tn_rule_case_t subject = {.function = function};
  const tn_closure_t closure = {tn__call_subject, &subject};
  tn_array_t* gradients[TN_RULE_INPUT_LIMIT];
  const tn_array_t* y = function(s, x);
  tn_array_t* ones = tn_array_ones(s, TN_DTYPE_F64, y->rank, y->dims);
  TN_ASSERT_OK(tn_vjp(s, &closure, input_count, x, 1, &ones, NULL, gradients));
  for (size_t i = 0; i < input_count; ++i) gradients[i] = tn_array_flatten(s, gradients[i], 0, -1);
  return tn_array_concatenate(s, input_count, gradients, 0);
}

tn_array_t* tn__testing_parts(tn_scope_t* s, tn_array_t* z) {
  tn_array_t* parts[] = {tn_array_real(s, z), tn_array_imag(s, z)};
  return tn_array_stack(s, 2, parts, 0);
}
