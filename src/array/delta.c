// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A recurrence over time, step by step.
#include <tenon/detail/array_fast.h>

#include "array/common.h"

typedef struct tn_delta {
  tn_scope_t* scope;
  int64_t batch, times, key_heads, value_heads, key_size, value_size;
  tn_array_t *q, *k, *v, *gamma, *beta, *mask;
} tn_delta_t;

// Shapes that have to agree; NULL when they do.
static const char* find_mistake(const tn_array_t* q, const tn_array_t* k, const tn_array_t* v,
                                const tn_array_t* state, const tn_array_t* mask,
                                const tn_delta_t* d) {
  if (memcmp(q->dims, k->dims, 4 * sizeof *q->dims) != 0) return "q and k differ in shape";
  if (v->dims[0] != d->batch || v->dims[1] != d->times) return "v has another batch or time";
  if (d->key_heads == 0 || d->value_heads % d->key_heads) {
    return "v has no whole multiple of the heads of k";
  }
  if (state &&
      (state->rank != 4 || state->dims[0] != d->batch || state->dims[1] != d->value_heads ||
       state->dims[2] != d->value_size || state->dims[3] != d->key_size)) {
    return "the state is not [batch, value heads, value size, key size]";
  }
  if (mask && (mask->rank != 2 || mask->dims[0] != d->batch || mask->dims[1] != d->times ||
               mask->dtype != TN_DTYPE_PRED)) {
    return "the mask is not boolean and [batch, time]";
  }
  return NULL;
}

static tn_array_t* at_time(const tn_delta_t* d, tn_array_t* x, int64_t time) {
  const tn_index_t items[] = {TN_ALL, TN_AT(time)};
  return tn_array_index(d->scope, x, 2, items);
}

static tn_array_t* expand(const tn_delta_t* d, tn_array_t* x, int64_t axis) {
  return tn_array_expand_dims(d->scope, x, 1, &axis);
}

// One of the keys' heads for each of the values'.
static tn_array_t* repeat_heads(const tn_delta_t* d, tn_array_t* x) {
  return d->value_heads == d->key_heads
             ? x
             : tn_array_repeat(d->scope, x, d->value_heads / d->key_heads, 2);
}

// The product of the state with a vector of each head.
static tn_array_t* read_state(const tn_delta_t* d, tn_array_t* state, tn_array_t* x) {
  static const int64_t last[] = {-1};
  return tn_array_squeeze(d->scope, tn_array_matmul(d->scope, state, expand(d, x, -1)), 1, last);
}

static tn_array_t* do_time(const tn_delta_t* d, int64_t time, tn_array_t** state) {
  tn_scope_t* s = d->scope;
  tn_array_t* k = at_time(d, d->k, time);
  tn_array_t* gamma = expand(d, expand(d, at_time(d, d->gamma, time), -1), -1);
  tn_array_t* next = tn_array_multiply(s, *state, gamma);
  tn_array_t* error = tn_array_subtract(s, at_time(d, d->v, time), read_state(d, next, k));
  error = tn_array_multiply(s, error, expand(d, at_time(d, d->beta, time), -1));
  next = tn_array_add(s, next, tn_array_multiply(s, expand(d, error, -1), expand(d, k, -2)));
  tn_array_t* output = read_state(d, next, at_time(d, d->q, time));
  if (d->mask) {
    tn_array_t* mask = expand(d, expand(d, at_time(d, d->mask, time), -1), -1);
    output = tn_array_where(s, mask, output, tn_array_scalar(s, TN_DTYPE_F32, 0));
    next = tn_array_where(s, expand(d, mask, -1), next, *state);
  }
  *state = next;
  return output;
}

static tn_array_t* do_all(const tn_delta_t* d, tn_dtype_t dtype, tn_array_t** state) {
  const int64_t dims[] = {d->batch, d->times, d->value_heads, d->value_size};
  const tn_allocator_t* allocator = tn__scope_evaluator(d->scope)->allocator;
  void* memory = NULL;
  if (d->times == 0) return tn_array_zeros(d->scope, dtype, 4, dims);
  tn_status_t status =
      tn__allocate_array(allocator, (size_t)d->times, sizeof(tn_array_t*), &memory);
  if (status) return tn_array_error(d->scope, status);
  tn_array_t** outputs = memory;
  for (int64_t time = 0; time < d->times; ++time) outputs[time] = do_time(d, time, state);
  tn_array_t* all = tn_array_stack(d->scope, (size_t)d->times, outputs, 1);
  tn__free(allocator, outputs, (size_t)d->times * sizeof *outputs);
  return tn_array_astype(d->scope, all, dtype);
}

static tn_array_t* check(tn_delta_t* d, tn_array_t* state) {
  tn_array_t* operands[] = {d->q, d->k, d->v, d->gamma, d->beta, state, d->mask};
  size_t count = 5;
  if (state) operands[count++] = state;
  if (d->mask) operands[count++] = d->mask;
  TN__RETURN_IF_FAILED(tn__check_operands(d->scope, count, operands));
  for (size_t i = 0; i < 3; ++i) {
    if (operands[i]->rank == 4 && tn_issubdtype(operands[i]->dtype, TN_CATEGORY_FLOATING)) continue;
    return tn__scope_fail(d->scope, TN_CODE_INVALID_ARGUMENT,
                          "operand %zu is %s of shape %s; expected floats of 4 dimensions", i,
                          tn_dtype_name(operands[i]->dtype),
                          TN_SHAPE_TEXT(operands[i]->rank, operands[i]->dims));
  }
  d->batch = d->k->dims[0];
  d->times = d->k->dims[1];
  d->key_heads = d->k->dims[2];
  d->key_size = d->k->dims[3];
  d->value_heads = d->v->dims[2];
  d->value_size = d->v->dims[3];
  const char* mistake = find_mistake(d->q, d->k, d->v, state, d->mask, d);
  if (!mistake) return NULL;
  return tn__scope_fail(d->scope, TN_CODE_INVALID_ARGUMENT, "%s (q %s, k %s, v %s)", mistake,
                        TN_SHAPE_TEXT(4, d->q->dims), TN_SHAPE_TEXT(4, d->k->dims),
                        TN_SHAPE_TEXT(4, d->v->dims));
}

void tn_array_gated_delta_update(tn_scope_t* scope, tn_array_t* q, tn_array_t* k, tn_array_t* v,
                                 tn_array_t* gamma, tn_array_t* beta, tn_array_t* initial_state,
                                 tn_array_t* mask, tn_array_t** out_outputs,
                                 tn_array_t** out_state) {
  TN__OPERATION(scope, "gated_delta_update");
  tn_delta_t d = {
      .scope = scope, .q = q, .k = k, .v = v, .gamma = gamma, .beta = beta, .mask = mask};
  *out_outputs = *out_state = check(&d, initial_state);
  if (*out_outputs) return;
  const tn_dtype_t dtypes[] = {q->dtype, k->dtype, v->dtype};
  const int64_t rates[] = {d.batch, d.times, d.value_heads};
  const int64_t state_dims[] = {d.batch, d.value_heads, d.value_size, d.key_size};
  d.q = repeat_heads(&d, tn_array_astype(scope, q, TN_DTYPE_F32));
  d.k = repeat_heads(&d, tn_array_astype(scope, k, TN_DTYPE_F32));
  d.v = tn_array_astype(scope, v, TN_DTYPE_F32);
  d.gamma = tn_array_broadcast_to(scope, tn_array_astype(scope, gamma, TN_DTYPE_F32), 3, rates);
  d.beta = tn_array_broadcast_to(scope, tn_array_astype(scope, beta, TN_DTYPE_F32), 3, rates);
  *out_state = initial_state ? tn_array_astype(scope, initial_state, TN_DTYPE_F32)
                             : tn_array_zeros(scope, TN_DTYPE_F32, 4, state_dims);
  *out_outputs = do_all(&d, tn_result_type(3, dtypes), out_state);
}
