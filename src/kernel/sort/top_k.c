// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A heap of the k best so far, the worst of them on top, which is then taken apart from the worst
// on. Equal elements come in the order of their indices; floats in the total order, NaN first.
#include "kernel/sort/top_k.h"

#include "base/pool.h"
#include "kernel/common/body.h"
#include "kernel/common/site.h"
#include "kernel/sort/sort_key.h"

enum { SLOT_LIMIT = 16 };

typedef struct ranked {
  uint64_t key;  // the best has the least
  int32_t index;
} ranked_t;

typedef struct top_k {
  tn_key_map_t map;
  size_t element_size;
  int64_t k, length, line_count;
  int64_t slots;  // lines at a time, each with a heap in scratch
} top_k_t;

static bool find_map(const tn_op_use_t* use, tn_key_map_t* out_map) {
  const tn_sort_key_t key = {.descending = true};
  return tn__key_map(&key, use->operand_types[0]->dtype, out_map);
}

bool tn__cpu_top_k_supports(const tn_op_use_t* use) {
  tn_key_map_t map;
  const tn_type_t* type = use->operand_types[0];
  return find_map(use, &map) && type->dims[type->rank - 1] <= INT32_MAX;
}

tn_status_t tn__cpu_top_k_prepare(tn_kernel_site_t* site) {
  top_k_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const tn_type_t* operand = tn__site_operand(site, 0);
  if (!find_map(site->use, &state->map)) {
    return tn_status_create(TN_CODE_INTERNAL, "top_k: no order of %s",
                            tn_dtype_name(operand->dtype));
  }
  state->element_size = tn_dtype_byte_size(operand->dtype);
  state->length = operand->dims[operand->rank - 1];
  state->k = tn__attr_get_integer(&site->use->attrs, "k", 0);
  if (state->k == 0) return TN_OK;
  state->line_count = tn__type_size(operand) / state->length;
  state->slots = state->line_count < SLOT_LIMIT ? state->line_count : SLOT_LIMIT;
  site->scratch_byte_size = (size_t)(state->slots * state->k) * sizeof(ranked_t);
  return TN_OK;
}

static bool is_worse(const ranked_t* a, const ranked_t* b) {
  return a->key != b->key ? a->key > b->key : a->index > b->index;
}

// Puts `item` where the top of the heap was.
static void sift_down(ranked_t* heap, int64_t count, ranked_t item) {
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_worse(&heap[child + 1], &heap[child])) ++child;
    if (!is_worse(&heap[child], &item)) break;
    heap[at] = heap[child];
  }
  heap[at] = item;
}

static void sift_up(ranked_t* heap, int64_t at, ranked_t item) {
  for (; at > 0 && is_worse(&item, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
    heap[at] = heap[(at - 1) / 2];
  }
  heap[at] = item;
}

static void run_line(const tn_kernel_call_t* call, int64_t line, ranked_t* heap) {
  const top_k_t* state = call->state;
  const size_t size = state->element_size;
  const char* elements = (const char*)call->operands[0] + (size_t)(line * state->length) * size;
  char* values = (char*)call->results[0] + (size_t)(line * state->k) * size;
  int32_t* indices = (int32_t*)call->results[1] + line * state->k;
  for (int64_t i = 0; i < state->length; ++i) {
    const ranked_t item = {tn__key_of(&state->map, elements + (size_t)i * size), (int32_t)i};
    if (i < state->k) {
      sift_up(heap, i, item);
    } else if (is_worse(&heap[0], &item)) {
      sift_down(heap, state->k, item);
    }
  }
  for (int64_t count = state->k; count-- > 0;) {
    const int32_t index = heap[0].index;
    indices[count] = index;
    tn__element_copy(size, values + (size_t)count * size, elements + (size_t)index * size);
    sift_down(heap, count, heap[count]);
  }
}

// A slot does every slots-th line.
static tn_status_t run_slots(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const top_k_t* state = call->state;
  for (int64_t slot = begin; slot < end; ++slot) {
    ranked_t* heap = (ranked_t*)call->scratch + slot * state->k;
    for (int64_t line = slot; line < state->line_count; line += state->slots) {
      run_line(call, line, heap);
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_top_k_run(const tn_kernel_call_t* call) {
  const top_k_t* state = call->state;
  return tn__pool_parallel_for(call->context->pool, state->slots, 1, run_slots,
                               (void*)(uintptr_t)call);
}
