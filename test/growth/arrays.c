// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "arrays.h"

#include <stdlib.h>

static tn_array_t* ones(tn_scope_t* s) {
  static const float data[4] = {1, 1, 1, 1};
  return tn_array_from_host(s, TN_DTYPE_F32, 1, (const int64_t[]){4}, data, sizeof data);
}

static tn_status_t doubled(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                           size_t output_count, tn_array_t** out) {
  const int n = *(const int*)user;
  tn_array_t* x = inputs[0];
  (void)input_count;
  (void)output_count;
  for (int i = 0; i < n; ++i) x = tn_array_add(s, x, x);
  out[0] = x;
  return TN_OK;
}

static tn_status_t chain_of_arrays(tn_scope_t* s, int n) {
  tn_array_t *x = ones(s), *y = NULL;
  tn_status_t status = doubled(&n, s, 1, &x, 1, &y);
  return status ? status : tn_array_eval(1, &y);
}

static tn_status_t out_of_memory(void) {
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
}

static tn_status_t arrays_made_from_one(tn_scope_t* s, int n) {
  tn_array_t** arrays = calloc((size_t)n, sizeof *arrays);
  tn_array_t* x = ones(s);
  if (!arrays) return out_of_memory();
  for (int i = 0; i < n; ++i) arrays[i] = tn_array_multiply(s, x, x);
  tn_status_t status = tn_array_eval((size_t)n, arrays);
  free(arrays);
  return status;
}

static tn_status_t arrays_that_make_one(tn_scope_t* s, int n) {
  tn_array_t** arrays = calloc((size_t)n, sizeof *arrays);
  tn_array_t* x = ones(s);
  if (!arrays) return out_of_memory();
  for (int i = 0; i < n; ++i) arrays[i] = tn_array_add(s, x, x);
  tn_array_t* y = tn_array_concatenate(s, (size_t)n, arrays, 0);
  tn_status_t status = tn_array_eval(1, &y);
  free(arrays);
  return status;
}

static tn_status_t gradient_of_chain(tn_scope_t* s, int n) {
  const tn_closure_t function = {.call = doubled, .user = &n};
  tn_array_t *x = ones(s), *y = NULL, *gradient = NULL;
  tn_status_t status = tn_vjp(s, &function, 1, &x, 1, &x, &y, &gradient);
  return status ? status : tn_array_eval(1, &gradient);
}

const arrays_shape_t arrays_shapes[] = {
    {"chain_of_arrays", chain_of_arrays, 500},
    {"arrays_made_from_one", arrays_made_from_one, 500},
    {"arrays_that_make_one", arrays_that_make_one, 500},
    {"gradient_of_chain", gradient_of_chain, 500},
    {NULL, NULL, 0},
};
