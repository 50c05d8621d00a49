// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations that are strided copies: the whole difference between them is in the strides.
#include "kernel/movement/movement.h"

#include <string.h>

#include "kernel/common/index.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"

enum { QUICK_BYTES = 16 << 10, QUICK_ARRAY_BYTES = 1 << 20 };
enum {
  PAIR_GRAIN = 16 << 10,
  LINE_BYTES = 64,
  LEAST_ASKED_BYTES = 512,
  MOST_ASKED_BYTES = 32 << 10
};

// A strided copy from somewhere in an operand to somewhere in a result.
typedef struct move {
  tn_strided_copy_t copy;
  int64_t target_offset, source_offset;  // bytes
} move_t;

// --- plain copies

tn_status_t tn__cpu_copy_prepare(tn_kernel_site_t* site) {
  size_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  *state = tn__type_byte_size(tn__site_result(site, 0));
  return TN_OK;
}

tn_status_t tn__cpu_copy_run(const tn_kernel_call_t* call) {
  const size_t* byte_size = call->state;
  return tn__copy_bytes(call->context->pool, call->results[0], call->operands[0], *byte_size);
}

// --- views that are stored

static tn_status_t run_small_view(const tn_kernel_call_t* call) {
  const move_t* move = call->state;
  return tn__strided_copy_run(&move->copy, NULL, call->results[0],
                              (const char*)call->operands[0] + move->source_offset);
}

tn_status_t tn__cpu_view_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = tn__site_result(site, 0);
  const size_t element_size = tn_dtype_byte_size(type->dtype);
  const tn_view_t operand = {.strides = site->views ? site->views[0].strides : NULL};
  int64_t target_strides[TN_MAX_RANK], source_strides[TN_MAX_RANK];
  bool is_view = false;
  move_t* move;
  tn_view_t view;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *move, (void**)&move));
  TN_RETURN_IF_ERROR(tn__view_of_result(site->use, &operand, &view, &is_view));
  if (!is_view) return TN_OK;  // there are no elements
  move->source_offset = view.byte_offset;
  tn__view_strides(&view, type, source_strides);
  tn__dense_strides(type->rank, type->dims, element_size, target_strides);
  TN_RETURN_IF_ERROR(tn__strided_copy_prepare(site->arena, element_size, type->rank, type->dims,
                                              target_strides, source_strides, &move->copy));
  if (move->copy.target_byte_size <= QUICK_BYTES) site->run_quick = run_small_view;
  return TN_OK;
}

tn_status_t tn__cpu_view_run(const tn_kernel_call_t* call) {
  const move_t* move = call->state;
  return tn__strided_copy_run(&move->copy, call->context->pool, call->results[0],
                              (const char*)call->operands[0] + move->source_offset);
}

// --- concatenate

typedef struct concatenation {
  size_t count;
  int64_t pair_count;  // of two columns, as rows and columns of indices are; 0: something else
  size_t element_size;
  move_t moves[];
} concatenation_t;

// Two dense arrays, whose elements are taken by turns.
static bool are_columns(const tn_kernel_site_t* site, size_t dimension) {
  int64_t dense[TN_MAX_RANK], strides[TN_MAX_RANK];
  if (site->use->operand_count != 2) return false;
  for (size_t i = 0; i < 2; ++i) {
    const tn_type_t* operand = tn__site_operand(site, i);
    tn__dense_strides(operand->rank, operand->dims, tn_dtype_byte_size(operand->dtype), dense);
    tn__site_strides(site, i, strides);
    for (size_t d = 0; d < operand->rank; ++d) {
      if (operand->dims[d] != 1 && (d >= dimension || strides[d] != dense[d])) return false;
    }
  }
  return true;
}

static tn_status_t put_by_turns(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const concatenation_t* state = call->state;
#define PAIRS(type)                                            \
  {                                                            \
    const type *a = call->operands[0], *b = call->operands[1]; \
    type* restrict pairs = call->results[0];                   \
    for (int64_t i = begin; i < end; ++i) {                    \
      pairs[2 * i] = a[i];                                     \
      pairs[2 * i + 1] = b[i];                                 \
    }                                                          \
  }
  if (state->element_size == 4) {
    PAIRS(uint32_t)
  } else {
    PAIRS(uint64_t)
  }
#undef PAIRS
  return TN_OK;
}

static bool takes_turns(const concatenation_t* state) {
  return state->pair_count && (state->element_size == 4 || state->element_size == 8);
}

static tn_status_t put_one_by_one(const tn_kernel_call_t* call, tn_pool_t* pool) {
  const concatenation_t* state = call->state;
  for (size_t i = 0; i < state->count; ++i) {
    const move_t* move = &state->moves[i];
    TN_RETURN_IF_ERROR(tn__strided_copy_run(
        &move->copy, pool, (char*)call->results[0] + move->target_offset, call->operands[i]));
  }
  return TN_OK;
}

static tn_status_t concatenate_small(const tn_kernel_call_t* call) {
  const concatenation_t* state = call->state;
  if (takes_turns(state)) return put_by_turns(0, state->pair_count, (void*)call);
  return put_one_by_one(call, NULL);
}

tn_status_t tn__cpu_concatenate_prepare(tn_kernel_site_t* site) {
  const tn_type_t* result = tn__site_result(site, 0);
  const size_t element_size = tn_dtype_byte_size(result->dtype);
  const size_t dimension = (size_t)tn__attr_get_integer(&site->use->attrs, "dimension", 0);
  const size_t count = site->use->operand_count;
  concatenation_t* state;
  TN_RETURN_IF_ERROR(
      tn__site_state(site, sizeof *state + count * sizeof *state->moves, (void**)&state));
  int64_t target_strides[TN_MAX_RANK], source_strides[TN_MAX_RANK], start = 0;
  tn__dense_strides(result->rank, result->dims, element_size, target_strides);
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* operand = tn__site_operand(site, i);
    move_t* move = &state->moves[i];
    move->target_offset = start * target_strides[dimension];
    start += operand->dims[dimension];
    tn__site_strides(site, i, source_strides);
    TN_RETURN_IF_ERROR(tn__strided_copy_prepare(site->arena, element_size, operand->rank,
                                                operand->dims, target_strides, source_strides,
                                                &move->copy));
  }
  state->count = count;
  state->element_size = element_size;
  if (are_columns(site, dimension)) state->pair_count = tn__type_size(result) / 2;
  if (tn__type_byte_size(result) <= QUICK_BYTES) site->run_quick = concatenate_small;
  return TN_OK;
}

tn_status_t tn__cpu_concatenate_run(const tn_kernel_call_t* call) {
  const concatenation_t* state = call->state;
  if (takes_turns(state)) {
    return tn__pool_parallel_for(call->context->pool, state->pair_count, PAIR_GRAIN, put_by_turns,
                                 (void*)call);
  }
  return put_one_by_one(call, call->context->pool);
}

// --- pad

typedef struct padding {
  move_t move;
  bool covers_all;  // no element of the result is padding
  size_t element_size;
  int64_t result_size;
} padding_t;

tn_status_t tn__cpu_pad_prepare(tn_kernel_site_t* site) {
  const tn_type_t* operand = tn__site_operand(site, 0);
  const tn_type_t* result = tn__site_result(site, 0);
  const size_t rank = operand->rank;
  const int64_t *low, *interior;
  TN_RETURN_IF_ERROR(tn__site_list(site, "edge_padding_low", rank, &low));
  TN_RETURN_IF_ERROR(tn__site_list(site, "interior_padding", rank, &interior));
  padding_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->element_size = tn_dtype_byte_size(result->dtype);
  state->result_size = tn__type_size(result);
  if (state->result_size == 0) return TN_OK;
  int64_t dims[TN_MAX_RANK], target_strides[TN_MAX_RANK], source_strides[TN_MAX_RANK];
  tn__dense_strides(rank, result->dims, state->element_size, target_strides);
  tn__site_strides(site, 0, source_strides);
  int64_t covered = 1;
  for (size_t i = 0; i < rank; ++i) {
    // Element k of the operand is at low + k * step; those inside the result are first..last.
    const int64_t step = operand->dims[i] > 1 ? interior[i] + 1 : 1;
    const int64_t first = low[i] < 0 ? -(low[i] + 1) / step + 1 : 0;
    int64_t room;
    if (__builtin_sub_overflow(result->dims[i] - 1, low[i], &room)) room = INT64_MAX;
    int64_t last = room < 0 ? -1 : room / step;
    if (last > operand->dims[i] - 1) last = operand->dims[i] - 1;
    dims[i] = last >= first ? last - first + 1 : 0;
    covered *= dims[i];
    if (dims[i] == 0) continue;
    state->move.target_offset += (low[i] + first * step) * target_strides[i];
    state->move.source_offset += first * source_strides[i];
    if (dims[i] > 1) target_strides[i] *= step;
  }
  state->covers_all = covered == state->result_size;
  return tn__strided_copy_prepare(site->arena, state->element_size, rank, dims, target_strides,
                                  source_strides, &state->move.copy);
}

tn_status_t tn__cpu_pad_run(const tn_kernel_call_t* call) {
  const padding_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  if (state->result_size == 0) return TN_OK;
  if (!state->covers_all) {
    TN_RETURN_IF_ERROR(tn__fill(pool, call->results[0], call->operands[1], state->element_size,
                                state->result_size));
  }
  if (state->move.copy.form == TN_STRIDED_NOTHING) return TN_OK;
  return tn__strided_copy_run(&state->move.copy, pool,
                              (char*)call->results[0] + state->move.target_offset,
                              (const char*)call->operands[0] + state->move.source_offset);
}

// --- dynamic_slice and dynamic_update_slice

typedef struct window {
  tn_strided_copy_t copy;
  size_t byte_size;  // of the whole array that is updated
  size_t rank;
  tn_dtype_t index_dtype;
  int64_t limits[TN_MAX_RANK];   // the largest start that keeps the window inside
  int64_t strides[TN_MAX_RANK];  // of the array that the window is in, in bytes
} window_t;

// The window is in operand 0, or in what is made of it.
static tn_status_t prepare_window(tn_kernel_site_t* site, const tn_type_t* window,
                                  size_t first_index, bool is_update) {
  const tn_type_t* array = tn__site_operand(site, 0);
  window_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const size_t element_size = tn_dtype_byte_size(array->dtype);
  state->byte_size = tn__type_byte_size(array);
  state->rank = array->rank;
  if (array->rank) state->index_dtype = tn__site_operand(site, first_index)->dtype;
  tn__site_strides(site, 0, state->strides);
  for (size_t i = 0; i < array->rank; ++i) state->limits[i] = array->dims[i] - window->dims[i];
  int64_t window_strides[TN_MAX_RANK];
  if (is_update) {
    tn__site_strides(site, 1, window_strides);
  } else {
    tn__dense_strides(array->rank, window->dims, element_size, window_strides);
  }
  return tn__strided_copy_prepare(site->arena, element_size, array->rank, window->dims,
                                  is_update ? state->strides : window_strides,
                                  is_update ? window_strides : state->strides, &state->copy);
}

static int64_t window_offset(const window_t* state, const void* const* indices) {
  int64_t offset = 0;
  for (size_t i = 0; i < state->rank; ++i) {
    const int64_t start = tn__index_load(state->index_dtype, indices[i]);
    offset += tn__index_clamp(start, state->limits[i]) * state->strides[i];
  }
  return offset;
}

static bool is_small_run(const window_t* state) {
  return tn__strided_is_run(&state->copy) && state->copy.target_byte_size <= QUICK_BYTES;
}

// Loops take windows in the order of memory: what is behind one comes into the cache while it is
// used.
static void ask_for_next(const window_t* state, const char* array, int64_t offset) {
  const int64_t length = state->copy.target_byte_size;
  const int64_t first = offset + length, end = first + length;
  if (length < LEAST_ASKED_BYTES || end > (int64_t)state->byte_size) return;
  for (int64_t at = first; at < end; at += LINE_BYTES) __builtin_prefetch(array + at);
}

static tn_status_t read_small_run(const tn_kernel_call_t* call) {
  const window_t* state = call->state;
  const char* array = call->operands[0];
  const int64_t offset = window_offset(state, call->operands + 1);
  memcpy(call->results[0], array + offset, (size_t)state->copy.target_byte_size);
  ask_for_next(state, array, offset);
  return TN_OK;
}

static tn_status_t write_small_run(const tn_kernel_call_t* call) {
  const window_t* state = call->state;
  char* array = call->results[0];
  if (array != call->operands[0]) memcpy(array, call->operands[0], state->byte_size);
  memcpy(array + window_offset(state, call->operands + 2), call->operands[1],
         (size_t)state->copy.target_byte_size);
  return TN_OK;
}

tn_status_t tn__cpu_dynamic_slice_prepare(tn_kernel_site_t* site) {
  TN_RETURN_IF_ERROR(prepare_window(site, tn__site_result(site, 0), 1, false));
  if (is_small_run(site->state)) site->run_quick = read_small_run;
  return TN_OK;
}

tn_status_t tn__cpu_dynamic_slice_run(const tn_kernel_call_t* call) {
  const window_t* state = call->state;
  if (state->copy.form == TN_STRIDED_NOTHING) return TN_OK;
  const char* source = (const char*)call->operands[0] + window_offset(state, call->operands + 1);
  return tn__strided_copy_run(&state->copy, call->context->pool, call->results[0], source);
}

bool tn__cpu_dynamic_update_slice_takes_view(const tn_op_use_t* use, size_t operand,
                                             const tn_view_t* view) {
  (void)use, (void)view;
  return operand == 1;
}

tn_status_t tn__cpu_dynamic_update_slice_prepare(tn_kernel_site_t* site) {
  TN_RETURN_IF_ERROR(prepare_window(site, tn__site_operand(site, 1), 2, true));
  const window_t* state = site->state;
  if (state->byte_size <= QUICK_ARRAY_BYTES && is_small_run(state)) {
    site->run_quick = write_small_run;
  }
  return TN_OK;
}

tn_status_t tn__cpu_dynamic_update_slice_run(const tn_kernel_call_t* call) {
  const window_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  // In place this does nothing, and the whole costs what the window costs.
  TN_RETURN_IF_ERROR(tn__copy_bytes(pool, call->results[0], call->operands[0], state->byte_size));
  if (state->copy.form == TN_STRIDED_NOTHING) return TN_OK;
  char* target = (char*)call->results[0] + window_offset(state, call->operands + 2);
  return tn__strided_copy_run(&state->copy, pool, target, call->operands[1]);
}
