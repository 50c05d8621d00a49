// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The result starts as the initial value everywhere. Every element of the source goes to the
// element of its window that was selected; padding is never selected.
//
// With known bodies, the windows of a row of sources choose together: one comparison for each
// element of the window. Sources arrive in their order either way.
#include "kernel/reduction/select_and_scatter.h"

#include "base/pool.h"
#include "kernel/common/body.h"
#include "kernel/common/site.h"
#include "kernel/common/sliding.h"
#include "kernel/common/strided.h"
#include "kernel/elementwise/binary.h"

enum { SELECT, SCATTER };  // the regions
enum { BLOCK = 256, ELEMENT_LIMIT = 8 };

typedef struct select_and_scatter {
  tn_sliding_t window;           // with merged trailing dimensions
  int64_t strides[TN_MAX_RANK];  // of the operand, elements
  int64_t operand_count, window_count;
  int64_t slices, slice_operand, slice_source;  // parts that do not touch each other; their sizes
  size_t operand_size, source_size, result_size;
  tn_element_path_t operand, source, init;  // to the dtypes of the bodies' arguments
  bool is_known;                            // both bodies; else they are run
  tn_map_t select;                          // a comparison
  tn_binary_t scatter;
} select_and_scatter_t;

static int enum_of(const tn_attr_dictionary_t* attrs, const char* attr_name,
                   const char* enum_name) {
  const tn_attr_t* attr = attrs ? tn__attr_find(attrs, attr_name) : NULL;
  return attr && attr->kind == TN_ATTR_ENUM ? tn__enum_value(enum_name, attr->string) : -1;
}

static bool find_known(const tn_kernel_site_t* site, select_and_scatter_t* state) {
  const tn_dtype_t dtype = tn__site_result(site, 0)->dtype;
  const tn_body_shape_t *select = &site->bodies[SELECT], *scatter = &site->bodies[SCATTER];
  for (size_t i = 0; i < 3; ++i) {
    if (tn__site_operand(site, i)->dtype != dtype) return false;
  }
  if (select->binary != TN__OP(compare) || !scatter->binary) return false;
  if (tn_dtype_byte_size(dtype) > ELEMENT_LIMIT) return false;
  const int direction =
      enum_of(select->binary_attrs, "comparison_direction", "comparison_direction");
  const bool total = enum_of(select->binary_attrs, "compare_type", "comparison_type") ==
                     tn__enum_value("comparison_type", tn__sv("TOTALORDER"));
  return direction >= 0 &&
         tn__map_compare((tn_direction_t)direction, total, dtype, &state->select) &&
         tn__binary_find(tn__op_short_name(scatter->binary), dtype, &state->scatter);
}

tn_status_t tn__cpu_select_and_scatter_prepare(tn_kernel_site_t* site) {
  const tn_type_t *operand = tn__site_operand(site, 0), *source = tn__site_operand(site, 1);
  const tn_dtype_t result = tn__site_result(site, 0)->dtype;
  select_and_scatter_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  TN_RETURN_IF_ERROR(tn__sliding_read(site, operand, source, &state->window));
  tn__sliding_merge(&state->window);
  state->operand_count = tn__type_size(operand);
  state->operand_size = tn_dtype_byte_size(operand->dtype);
  state->source_size = tn_dtype_byte_size(source->dtype);
  state->result_size = tn_dtype_byte_size(result);
  // The select body compares elements of the operand; the scatter body takes results.
  state->operand = tn__element_path(operand->dtype, operand->dtype);
  state->source = tn__element_path(source->dtype, result);
  state->init = tn__element_path(tn__site_operand(site, 2)->dtype, result);
  state->window_count = 1;
  state->slices = 1;
  int64_t stride = 1;
  for (size_t i = state->window.rank; i-- > 0;) {
    state->strides[i] = stride;
    stride *= state->window.dims[i].input;
    state->window_count *= state->window.dims[i].size;
  }
  // Rows are not cut.
  for (size_t i = 0; i + 1 < state->window.rank; ++i) {
    if (!tn__sliding_is_trivial(&state->window.dims[i])) break;
    state->slices *= state->window.dims[i].output;
  }
  if (state->slices) {
    state->slice_operand = state->operand_count / state->slices;
    state->slice_source = tn__type_size(source) / state->slices;
  }
  state->is_known = find_known(site, state);
  return TN_OK;
}

// --- one window

// The indices of the first `rank` dimensions.
static void split(const tn_sliding_t* window, size_t rank, int64_t index, bool of_source,
                  int64_t* out_indices) {
  for (size_t i = rank; i-- > 0;) {
    const int64_t count = of_source ? window->dims[i].output : window->dims[i].size;
    out_indices[i] = index % count;
    index /= count;
  }
}

static tn_status_t select_element(const tn_kernel_call_t* call, int64_t source,
                                  int64_t* out_element) {
  const select_and_scatter_t* state = call->state;
  const tn_body_t* body = &call->bodies[SELECT];
  const char* operand = call->operands[0];
  int64_t selected = -1;
  for (int64_t w = 0; w < state->window_count; ++w) {
    const int64_t element = tn__sliding_element(&state->window, state->strides, source, w);
    if (element < 0) continue;
    bool stays = false;
    if (selected >= 0) {
      tn__element_move(&state->operand, body->arguments[0],
                       operand + (size_t)selected * state->operand_size);
      tn__element_move(&state->operand, body->arguments[1],
                       operand + (size_t)element * state->operand_size);
      TN_RETURN_IF_ERROR(body->run(body));
      stays = *(const uint8_t*)body->results[0] != 0;
    }
    if (!stays) selected = element;
  }
  *out_element = selected;
  return TN_OK;
}

static tn_status_t run_window(const tn_kernel_call_t* call, int64_t index) {
  const select_and_scatter_t* state = call->state;
  const tn_body_t* body = &call->bodies[SCATTER];
  int64_t element = -1;
  TN_RETURN_IF_ERROR(select_element(call, index, &element));
  if (element < 0) return TN_OK;
  char* target = (char*)call->results[0] + (size_t)element * state->result_size;
  tn__element_copy(state->result_size, body->arguments[0], target);
  tn__element_move(&state->source, body->arguments[1],
                   (const char*)call->operands[1] + (size_t)index * state->source_size);
  TN_RETURN_IF_ERROR(body->run(body));
  tn__element_copy(state->result_size, target, body->results[0]);
  return TN_OK;
}

// --- a row of windows, known bodies

// What some windows of a row have selected so far.
typedef struct choices {
  int64_t selected[BLOCK];  // elements of the operand; -1: none
  uint8_t stays[BLOCK];
  char best[BLOCK * ELEMENT_LIMIT], picked[BLOCK * ELEMENT_LIMIT];
} choices_t;

// The elements `element`, `element + step`... take the places in which nothing stays. Which ones
// cannot be predicted: there are no branches. Known bodies have elements of 8 bytes at most.
static inline __attribute__((always_inline)) void take_of(size_t size, choices_t* restrict choices,
                                                          int64_t first, int64_t count,
                                                          int64_t element, int64_t step,
                                                          const char* restrict candidates) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t selected = choices->selected[first + i];
    const bool stays = (choices->stays[first + i] != 0) & (selected >= 0);
    char* place = choices->best + (size_t)(first + i) * size;
    uint64_t best = 0, candidate = 0;
    memcpy(&best, place, size);
    memcpy(&candidate, candidates + (size_t)i * size, size);
    best = stays ? best : candidate;
    memcpy(place, &best, size);
    choices->selected[first + i] = stays ? selected : element + i * step;
  }
}

// Element `at` of the last dimension, for the windows [first, first + count) of a row; `base` is
// where the row of the operand begins.
static void offer(const tn_kernel_call_t* call, int64_t base, int64_t at, int64_t first,
                  int64_t count, choices_t* choices) {
  const select_and_scatter_t* state = call->state;
  const tn_sliding_dim_t* dim = &state->window.dims[state->window.rank - 1];
  const size_t size = state->operand_size;
  int64_t begin, end;
  tn__sliding_inside(dim, at, &begin, &end);
  if (begin < first) begin = first;
  if (end > first + count) end = first + count;
  if (begin >= end) return;
  const int64_t element = base + begin * dim->stride + at * dim->dilation - dim->low;
  const char* candidates = (const char*)call->operands[0] + (size_t)element * size;
  if (dim->stride != 1) {
    for (int64_t i = 0; i < end - begin; ++i) {
      tn__element_copy(size, choices->picked + (size_t)i * size,
                       candidates + i * dim->stride * (int64_t)size);
    }
    candidates = choices->picked;
  }
  begin -= first;
  end -= first;
  tn__map_run(&state->select, choices->best + (size_t)begin * size, candidates,
              choices->stays + begin, (size_t)(end - begin));
  switch (size) {
    case 1: take_of(1, choices, begin, end - begin, element, dim->stride, candidates); break;
    case 2: take_of(2, choices, begin, end - begin, element, dim->stride, candidates); break;
    case 4: take_of(4, choices, begin, end - begin, element, dim->stride, candidates); break;
    default: take_of(8, choices, begin, end - begin, element, dim->stride, candidates); break;
  }
}

static void run_block(const tn_kernel_call_t* call, int64_t row, int64_t first, int64_t count) {
  const select_and_scatter_t* state = call->state;
  const tn_sliding_t* window = &state->window;
  const size_t outer_rank = window->rank - 1;
  const tn_sliding_dim_t* last = &window->dims[outer_rank];
  int64_t source[TN_MAX_RANK];
  choices_t choices;
  memset(choices.selected, -1, (size_t)count * sizeof *choices.selected);
  memset(choices.best, 0, (size_t)count * state->operand_size);
  split(window, outer_rank, row, true, source);
  for (int64_t w = 0; w < state->window_count / last->size; ++w) {
    int64_t at[TN_MAX_RANK], base = 0;
    split(window, outer_rank, w, false, at);
    for (size_t i = 0; i < outer_rank && base >= 0; ++i) {
      const int64_t place = tn__sliding_place(&window->dims[i], source[i], at[i]);
      base = place < 0 ? -1 : base + place * state->strides[i];
    }
    if (base < 0) continue;
    for (int64_t i = 0; i < last->size; ++i) offer(call, base, i, first, count, &choices);
  }
  const char* update =
      (const char*)call->operands[1] + (size_t)(row * last->output + first) * state->source_size;
  tn__binary_at(&state->scatter, call->results[0], choices.selected, update, (size_t)count);
}

// --- slices

static tn_status_t run_slices(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const select_and_scatter_t* state = call->state;
  char init[16];
  tn__element_move(&state->init, init, call->operands[2]);
  TN_RETURN_IF_ERROR(tn__fill(
      NULL, (char*)call->results[0] + (size_t)(begin * state->slice_operand) * state->result_size,
      init, state->result_size, (end - begin) * state->slice_operand));
  const int64_t first = begin * state->slice_source, last = end * state->slice_source;
  if (!state->is_known) {
    for (int64_t i = first; i < last; ++i) TN_RETURN_IF_ERROR(run_window(call, i));
    return TN_OK;
  }
  const int64_t width = state->window.dims[state->window.rank - 1].output;
  for (int64_t at = first; at < last;) {
    const int64_t column = at % width, left = width - column;
    const int64_t count = left < BLOCK ? left : BLOCK;
    run_block(call, at / width, column, count);
    at += count;
  }
  return TN_OK;
}

tn_status_t tn__cpu_select_and_scatter_run(const tn_kernel_call_t* call) {
  const select_and_scatter_t* state = call->state;
  if (state->operand_count == 0) return TN_OK;
  tn_pool_t* pool = state->is_known ? call->context->pool : NULL;
  return tn__pool_parallel_for(pool, state->slices, 1, run_slices, (void*)(uintptr_t)call);
}
