// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The body runs once for each place along the dimension, on slices of the inputs and what it
// carries on.
#include "kernel/reduction/scan_region.h"

#include <string.h>

#include "kernel/common/site.h"

// An array that is cut along the dimension: `outer` runs of `run_byte_size` for each place.
typedef struct sliced {
  int64_t outer;
  size_t run_byte_size;
} sliced_t;

typedef struct carried {
  size_t byte_size, scratch_offset;
} carried_t;

typedef struct scan_region {
  int64_t length;
  bool is_reverse;
  size_t input_count, output_count, carry_count;
  const sliced_t *inputs, *outputs;
  const carried_t* carries;
} scan_region_t;

static sliced_t slice_of(const tn_type_t* type, size_t dimension) {
  sliced_t sliced = {1, tn_dtype_byte_size(type->dtype)};
  for (size_t i = 0; i < type->rank; ++i) {
    if (i < dimension) sliced.outer *= type->dims[i];
    if (i > dimension) sliced.run_byte_size *= (size_t)type->dims[i];
  }
  return sliced;
}

static tn_status_t read_slices(tn_kernel_site_t* site, const tn_type_t* const* types, size_t count,
                               size_t dimension, const sliced_t** out) {
  sliced_t* slices;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, count, &slices));
  for (size_t i = 0; i < count; ++i) slices[i] = slice_of(types[i], dimension);
  *out = slices;
  return TN_OK;
}

tn_status_t tn__cpu_scan_region_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const int64_t* segments;
  TN_RETURN_IF_ERROR(tn__site_list(site, "operandSegmentSizes", 2, &segments));
  scan_region_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const size_t dimension = (size_t)tn__attr_get_integer(&use->attrs, "dimension", 0);
  state->is_reverse = tn__attr_get_bool(&use->attrs, "is_reverse", false);
  state->input_count = (size_t)segments[0];
  state->carry_count = (size_t)segments[1];
  state->output_count = use->result_count - state->carry_count;
  const tn_type_t* scanned = state->input_count ? use->operand_types[0] : use->result_types[0];
  state->length = scanned->dims[dimension];
  TN_RETURN_IF_ERROR(
      read_slices(site, use->operand_types, state->input_count, dimension, &state->inputs));
  TN_RETURN_IF_ERROR(
      read_slices(site, use->result_types, state->output_count, dimension, &state->outputs));
  carried_t* carries;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, state->carry_count, &carries));
  for (size_t i = 0; i < state->carry_count; ++i) {
    carries[i].byte_size = tn__type_byte_size(use->operand_types[state->input_count + i]);
    carries[i].scratch_offset = site->scratch_byte_size;
    site->scratch_byte_size += (carries[i].byte_size + 63) / 64 * 64;
  }
  state->carries = carries;
  return TN_OK;
}

static void read_slice(const sliced_t* sliced, int64_t length, int64_t at, const char* array,
                       char* slice) {
  const size_t run = sliced->run_byte_size;
  for (int64_t i = 0; i < sliced->outer; ++i) {
    memcpy(slice + (size_t)i * run, array + (size_t)(i * length + at) * run, run);
  }
}

static void write_slice(const sliced_t* sliced, int64_t length, int64_t at, const char* slice,
                        char* array) {
  const size_t run = sliced->run_byte_size;
  for (int64_t i = 0; i < sliced->outer; ++i) {
    memcpy(array + (size_t)(i * length + at) * run, slice + (size_t)i * run, run);
  }
}

static tn_status_t run_step(const tn_kernel_call_t* call, int64_t at) {
  const scan_region_t* state = call->state;
  const tn_body_t* body = &call->bodies[0];
  for (size_t i = 0; i < state->input_count; ++i) {
    read_slice(&state->inputs[i], state->length, at, call->operands[i], body->arguments[i]);
  }
  TN_RETURN_IF_ERROR(body->run(body));
  for (size_t i = 0; i < state->output_count; ++i) {
    write_slice(&state->outputs[i], state->length, at, body->results[i], call->results[i]);
  }
  // A result may be where another argument is: all of them go by way of scratch memory.
  for (size_t i = 0; i < state->carry_count; ++i) {
    const carried_t* carry = &state->carries[i];
    memcpy((char*)call->scratch + carry->scratch_offset, body->results[state->output_count + i],
           carry->byte_size);
  }
  for (size_t i = 0; i < state->carry_count; ++i) {
    const carried_t* carry = &state->carries[i];
    memcpy(body->arguments[state->input_count + i], (char*)call->scratch + carry->scratch_offset,
           carry->byte_size);
  }
  return TN_OK;
}

tn_status_t tn__cpu_scan_region_run(const tn_kernel_call_t* call) {
  const scan_region_t* state = call->state;
  const tn_body_t* body = &call->bodies[0];
  for (size_t i = 0; i < state->carry_count; ++i) {
    memcpy(body->arguments[state->input_count + i], call->operands[state->input_count + i],
           state->carries[i].byte_size);
  }
  for (int64_t i = 0; i < state->length; ++i) {
    TN_RETURN_IF_ERROR(run_step(call, state->is_reverse ? state->length - 1 - i : i));
  }
  for (size_t i = 0; i < state->carry_count; ++i) {
    memcpy(call->results[state->output_count + i], body->arguments[state->input_count + i],
           state->carries[i].byte_size);
  }
  return TN_OK;
}
