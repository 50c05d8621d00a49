// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// stablehlo.clamp: minimum(maximum(min, x), max); min and max may be scalars.
#include <string.h>

#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/elementwise/elementwise.h"
#include "kernel/elementwise/map.h"

enum { GRAIN = 65536, MIN = 0, OPERAND = 1, MAX = 2 };

typedef struct clamp_state {
  tn_conversion_t load, store;
  tn_binary_fn maximum, minimum;
  bool is_scalar[3];
  int64_t count;
} clamp_state_t;

// A chunk of what is computed in: up to 16 bytes an element.
typedef struct chunk {
  _Alignas(16) char bytes[TN_CHUNK * 16];
} chunk_t;

bool tn__cpu_clamp_supports(const tn_op_use_t* use) {
  tn_map_t map;
  return use->operand_count == 3 && tn__map_binary("maximum", use->operand_types[OPERAND]->dtype,
                                                   use->result_types[0]->dtype, &map);
}

tn_status_t tn__cpu_clamp_prepare(tn_kernel_site_t* site) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(clamp_state_t), &memory));
  clamp_state_t* state = memory;
  tn_dtype_t dtype = tn__site_operand(site, OPERAND)->dtype;
  tn_dtype_t carrier = tn__carrier(dtype, TN_DTYPE_F32);
  const tn_loops_t* loops = tn__loops(tn__native(carrier));
  state->load = tn__conversion(dtype, carrier);
  state->store = tn__conversion(carrier, dtype);
  state->maximum = loops->binary[TN_BINARY_maximum];
  state->minimum = loops->binary[TN_BINARY_minimum];
  state->count = tn__type_size(tn__site_result(site, 0));
  for (size_t i = 0; i < 3; ++i) {
    state->is_scalar[i] = tn__site_operand(site, i)->rank == 0 && state->count != 1;
  }
  return TN_OK;
}

// One element, `count` times.
static void fill(const clamp_state_t* state, const void* scalar, size_t count, chunk_t* chunk) {
  const size_t size = tn_dtype_byte_size(state->load.to), end = count * size;
  state->load.run(&state->load, scalar, chunk, 1);
  for (size_t filled = size, part = 0; filled < end; filled += part) {
    part = filled < end - filled ? filled : end - filled;
    memcpy(chunk->bytes + filled, chunk->bytes, part);
  }
}

// Elements as they are computed in: in place where they need no conversion, else in `chunk`.
static const void* load(const clamp_state_t* state, const tn_kernel_call_t* call, size_t operand,
                        size_t begin, size_t length, chunk_t* chunk) {
  if (state->is_scalar[operand]) return chunk;
  const char* elements =
      (const char*)call->operands[operand] + begin * tn_dtype_byte_size(state->load.from);
  if (state->load.from == state->load.to) return elements;
  state->load.run(&state->load, elements, chunk, length);
  return chunk;
}

tn_status_t tn__cpu_clamp_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const clamp_state_t* state = call->state;
  const size_t longest = end - begin < TN_CHUNK ? (size_t)(end - begin) : TN_CHUNK;
  chunk_t chunks[3], raised;
  for (size_t i = 0; i < 3; ++i) {
    if (state->is_scalar[i]) fill(state, call->operands[i], longest, &chunks[i]);
  }
  for (size_t at = (size_t)begin; at < (size_t)end; at += TN_CHUNK) {
    size_t length = (size_t)end - at < TN_CHUNK ? (size_t)end - at : TN_CHUNK;
    char* result = (char*)call->results[0] + at * tn_dtype_byte_size(state->store.to);
    const void* low = load(state, call, MIN, at, length, &chunks[MIN]);
    const void* operand = load(state, call, OPERAND, at, length, &chunks[OPERAND]);
    const void* high = load(state, call, MAX, at, length, &chunks[MAX]);
    state->maximum(low, operand, &raised, length);
    if (state->store.from == state->store.to) {
      state->minimum(&raised, high, result, length);
    } else {
      state->minimum(&raised, high, &raised, length);
      state->store.run(&state->store, &raised, result, length);
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_clamp_run(const tn_kernel_call_t* call) {
  const clamp_state_t* state = call->state;
  return tn__pool_parallel_for(call->context->pool, state->count, GRAIN, tn__cpu_clamp_range,
                               (void*)call);
}
