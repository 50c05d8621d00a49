// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/movement/generate.h"

#include "kernel/common/element.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"

// --- iota

// The numbers 0, 1, ... are written once, and broadcast along the other dimensions.
typedef struct iota {
  tn_dtype_t dtype;
  size_t element_size;
  int64_t count;
  bool is_flat;  // the result is the numbers themselves
  tn_strided_copy_t spread;
} iota_t;

enum { IOTA_CHUNK = 512, IOTA_GRAIN = 16 * IOTA_CHUNK };

tn_status_t tn__cpu_iota_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = tn__site_result(site, 0);
  const size_t dimension = (size_t)tn__attr_get_integer(&site->use->attrs, "iota_dimension", 0);
  iota_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->dtype = type->dtype;
  state->element_size = tn_dtype_byte_size(type->dtype);
  const int64_t size = tn__type_size(type);
  if (size == 0) return TN_OK;
  state->count = type->dims[dimension];
  state->is_flat = size == state->count;
  if (state->is_flat) return TN_OK;
  site->scratch_byte_size = (size_t)state->count * state->element_size;
  int64_t target_strides[TN_MAX_RANK], source_strides[TN_MAX_RANK] = {0};
  tn__dense_strides(type->rank, type->dims, state->element_size, target_strides);
  source_strides[dimension] = (int64_t)state->element_size;
  return tn__strided_copy_prepare(site->arena, state->element_size, type->rank, type->dims,
                                  target_strides, source_strides, &state->spread);
}

typedef struct iota_run {
  const iota_t* state;
  char* target;
} iota_run_t;

static tn_status_t count_range(int64_t begin, int64_t end, void* user) {
  const iota_run_t* run = user;
  const tn_conversion_t conversion = tn__conversion(TN_DTYPE_S64, run->state->dtype);
  int64_t numbers[IOTA_CHUNK];
  while (begin < end) {
    const int64_t count = end - begin < IOTA_CHUNK ? end - begin : IOTA_CHUNK;
    for (int64_t i = 0; i < count; ++i) numbers[i] = begin + i;
    conversion.run(&conversion, numbers, run->target + (size_t)begin * run->state->element_size,
                   (size_t)count);
    begin += count;
  }
  return TN_OK;
}

tn_status_t tn__cpu_iota_run(const tn_kernel_call_t* call) {
  const iota_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  if (state->count == 0) return TN_OK;
  iota_run_t run = {state, state->is_flat ? call->results[0] : call->scratch};
  TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, state->count, IOTA_GRAIN, count_range, &run));
  if (state->is_flat) return TN_OK;
  return tn__strided_copy_run(&state->spread, pool, call->results[0], call->scratch);
}

// --- single numbers

typedef struct number {
  size_t byte_size;
  uint8_t bytes[16];
} number_t;

static tn_status_t prepare_number(tn_kernel_site_t* site, int64_t value) {
  const tn_dtype_t dtype = tn__site_result(site, 0)->dtype;
  number_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->byte_size = tn_dtype_byte_size(dtype);
  tn__convert_elements(TN_DTYPE_S64, &value, dtype, state->bytes, 1);
  return TN_OK;
}

tn_status_t tn__cpu_get_dimension_size_prepare(tn_kernel_site_t* site) {
  const int64_t dimension = tn__attr_get_integer(&site->use->attrs, "dimension", 0);
  return prepare_number(site, tn__site_operand(site, 0)->dims[dimension]);
}

tn_status_t tn__cpu_process_id_prepare(tn_kernel_site_t* site) {
  return prepare_number(site, 0);
}

tn_status_t tn__cpu_number_run(const tn_kernel_call_t* call) {
  const number_t* state = call->state;
  memcpy(call->results[0], state->bytes, state->byte_size);
  return TN_OK;
}

tn_status_t tn__cpu_token_run(const tn_kernel_call_t* call) {
  (void)call;
  return TN_OK;
}
