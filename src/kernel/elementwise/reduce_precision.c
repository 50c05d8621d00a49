// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// stablehlo.reduce_precision: rounds the mantissa to nearest even, then checks the exponent: what
// is too large becomes infinite, what would be subnormal zero. Works on the bits of formats with
// infinities; others are computed in f32.
#include <string.h>

#include "base/float_format.h"
#include "base/pool.h"
#include "kernel/common/element.h"
#include "kernel/common/loop.h"
#include "kernel/common/site.h"
#include "kernel/elementwise/elementwise.h"

enum { GRAIN = 16384 };

typedef struct precision_state {
  tn_conversion_t load, store;
  size_t carrier_size;
  uint64_t sign, exponent;     // masks of the carrier's bits
  uint64_t one;                // exponent 1
  uint32_t dropped;            // mantissa bits to round away
  uint64_t largest, smallest;  // exponents that are kept, in place
  bool has_nan;                // a mantissa without bits has none
  int64_t count;
} precision_state_t;

bool tn__cpu_reduce_precision_supports(const tn_op_use_t* use) {
  return use->operand_count == 1 && tn__float_format(use->operand_types[0]->dtype);
}

tn_status_t tn__cpu_reduce_precision_prepare(tn_kernel_site_t* site) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(precision_state_t), &memory));
  precision_state_t* state = memory;
  const tn_attr_dictionary_t* attrs = &site->use->attrs;
  int64_t exponent_bits = tn__attr_get_integer(attrs, "exponent_bits", 0);
  int64_t mantissa_bits = tn__attr_get_integer(attrs, "mantissa_bits", 0);
  if (exponent_bits < 1 || mantissa_bits < 0) {
    return tn_status_create(TN_CODE_INTERNAL, "reduce_precision: e%lldm%lld is not a format",
                            (long long)exponent_bits, (long long)mantissa_bits);
  }
  tn_dtype_t dtype = tn__site_operand(site, 0)->dtype;
  bool has_infinity = tn__float_format(dtype)->specials == TN_FLOAT_IEEE;
  tn_dtype_t carrier = has_infinity ? dtype : TN_DTYPE_F32;
  const tn_float_format_t* format = tn__float_format(carrier);
  state->load = tn__conversion(dtype, carrier);
  state->store = tn__conversion(carrier, dtype);
  state->carrier_size = tn_dtype_byte_size(carrier);
  state->sign = UINT64_C(1) << (format->bits - 1);
  state->one = UINT64_C(1) << format->mantissa_bits;
  state->exponent = state->sign - state->one;
  if (mantissa_bits < format->mantissa_bits) {
    state->dropped = format->mantissa_bits - (uint32_t)mantissa_bits;
  }
  state->has_nan = mantissa_bits > 0;
  state->largest = state->exponent;
  if (exponent_bits < format->exponent_bits) {
    uint64_t bias = (UINT64_C(1) << (format->exponent_bits - 1)) - 1;
    uint64_t kept_bias = (UINT64_C(1) << (exponent_bits - 1)) - 1;
    state->largest = (bias + kept_bias) << format->mantissa_bits;
    state->smallest = (bias - kept_bias + 1) << format->mantissa_bits;
  }
  state->count = tn__type_size(tn__site_result(site, 0));
  return TN_OK;
}

static uint64_t reduce(const precision_state_t* state, uint64_t bits) {
  uint64_t sign = bits & state->sign, magnitude = bits ^ sign;
  if (magnitude > state->exponent) return state->has_nan ? bits : sign | state->exponent;
  if (state->dropped) {
    uint64_t half = UINT64_C(1) << (state->dropped - 1), odd = (magnitude >> state->dropped) & 1;
    magnitude = (magnitude + half - 1 + odd) & ~(2 * half - 1);
  }
  uint64_t exponent = magnitude & state->exponent;
  if (exponent > state->largest) return sign | state->exponent;
  return exponent < state->smallest ? sign : sign | magnitude;
}

static void reduce_all(const precision_state_t* state, const void* from, void* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    switch (state->carrier_size) {
      case 1: ((uint8_t*)to)[i] = (uint8_t)reduce(state, ((const uint8_t*)from)[i]); break;
      case 2: ((uint16_t*)to)[i] = (uint16_t)reduce(state, ((const uint16_t*)from)[i]); break;
      case 4: ((uint32_t*)to)[i] = (uint32_t)reduce(state, ((const uint32_t*)from)[i]); break;
      default: ((uint64_t*)to)[i] = reduce(state, ((const uint64_t*)from)[i]); break;
    }
  }
}

tn_status_t tn__cpu_reduce_precision_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const precision_state_t* state = call->state;
  size_t size = tn_dtype_byte_size(state->load.from), count = (size_t)(end - begin);
  const char* from = (const char*)call->operands[0] + (size_t)begin * size;
  char* to = (char*)call->results[0] + (size_t)begin * size;
  if (state->load.from == state->load.to) {
    reduce_all(state, from, to, count);
    return TN_OK;
  }
  uint32_t chunk[TN_CHUNK];
  for (size_t at = 0; at < count; at += TN_CHUNK) {
    size_t length = count - at < TN_CHUNK ? count - at : TN_CHUNK;
    state->load.run(&state->load, from + at * size, chunk, length);
    reduce_all(state, chunk, chunk, length);
    state->store.run(&state->store, chunk, to + at * size, length);
  }
  return TN_OK;
}

tn_status_t tn__cpu_reduce_precision_run(const tn_kernel_call_t* call) {
  const precision_state_t* state = call->state;
  return tn__pool_parallel_for(call->context->pool, state->count, GRAIN,
                               tn__cpu_reduce_precision_range, (void*)call);
}
