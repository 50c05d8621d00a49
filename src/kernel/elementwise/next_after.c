// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// chlo.next_after, on the bits of any float format: magnitudes are neighbours as integers are.
#include <math.h>
#include <string.h>

#include "base/float_format.h"
#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/elementwise/elementwise.h"

enum { GRAIN = 16384 };

typedef struct next_after {
  const tn_float_format_t* format;
  size_t size;
  int64_t count;
} next_after_t;

bool tn__cpu_next_after_supports(const tn_op_use_t* use) {
  return use->operand_count == 2 && tn__float_format(use->operand_types[0]->dtype);
}

tn_status_t tn__cpu_next_after_prepare(tn_kernel_site_t* site) {
  next_after_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const tn_type_t* type = tn__site_result(site, 0);
  state->format = tn__float_format(type->dtype);
  state->size = tn_dtype_byte_size(type->dtype);
  state->count = tn__type_size(type);
  return TN_OK;
}

static uint64_t load(const char* element, size_t size) {
  uint64_t bits = 0;
  memcpy(&bits, element, size);
  return bits;
}

static uint64_t next(const tn_float_format_t* format, uint64_t a, uint64_t b) {
  if (tn__float_bits_are_nan(format, a)) return a;
  if (tn__float_bits_are_nan(format, b)) return b;
  const double from = tn__float_decode(format, a), to = tn__float_decode(format, b);
  if (from == to) return b;  // of zeros, the other one
  if (format->specials == TN_FLOAT_POWERS) return from < to ? a + 1 : a - 1;
  const uint64_t sign = UINT64_C(1) << (format->bits - 1);
  if (from == 0) return to < 0 ? sign | 1 : 1;
  const bool grows = (from < to) == (from > 0);
  const uint64_t bits = grows ? a + 1 : a - 1;
  // On the way up to zero there may be no negative one.
  return format->specials == TN_FLOAT_NAN_IS_ZERO && bits == sign ? 0 : bits;
}

tn_status_t tn__cpu_next_after_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const next_after_t* state = call->state;
  const size_t size = state->size;
  const uint64_t mask = UINT64_MAX >> (64 - state->format->bits);
  for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
    const uint64_t a = load((const char*)call->operands[0] + i * size, size) & mask;
    const uint64_t b = load((const char*)call->operands[1] + i * size, size) & mask;
    const uint64_t bits = next(state->format, a, b);
    memcpy((char*)call->results[0] + i * size, &bits, size);
  }
  return TN_OK;
}

tn_status_t tn__cpu_next_after_run(const tn_kernel_call_t* call) {
  const next_after_t* state = call->state;
  return tn__pool_parallel_for(call->context->pool, state->count, GRAIN, tn__cpu_next_after_range,
                               (void*)(uintptr_t)call);
}
