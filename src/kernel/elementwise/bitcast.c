// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// stablehlo.bitcast_convert: a wider element is several narrower ones, the least significant first.
#include <string.h>

#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/elementwise/elementwise.h"

enum { GRAIN = 65536 };

typedef struct side {
  size_t bits;  // of the value
  size_t size;  // in memory
  bool is_signed;
} side_t;

typedef struct bitcast_state {
  side_t from, to;
  // Groups of elements of the same bits: one of the wider dtype, `*_group` of each.
  size_t from_group, to_group;
  int64_t group_count;
} bitcast_state_t;

static side_t side_of(tn_dtype_t dtype) {
  return (side_t){tn_dtype_bit_width(dtype), tn_dtype_byte_size(dtype),
                  tn_dtype_kind(dtype) == TN_KIND_SIGNED};
}

tn_status_t tn__cpu_bitcast_prepare(tn_kernel_site_t* site) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(bitcast_state_t), &memory));
  bitcast_state_t* state = memory;
  const tn_type_t *from = tn__site_operand(site, 0), *to = tn__site_result(site, 0);
  state->from = side_of(from->dtype);
  state->to = side_of(to->dtype);
  size_t wide = state->from.bits > state->to.bits ? state->from.bits : state->to.bits;
  state->from_group = wide / state->from.bits;
  state->to_group = wide / state->to.bits;
  state->group_count = tn__type_size(from) / (int64_t)state->from_group;
  return TN_OK;
}

// Elements of whole bytes are in memory as their bits are; narrower ones are taken apart here.
static void gather_bits(const side_t* side, const uint8_t* elements, size_t count,
                        uint8_t* out_bits) {
  if (side->bits % 8 == 0) {
    memcpy(out_bits, elements, count * side->size);
    return;
  }
  memset(out_bits, 0, (count * side->bits + 7) / 8);
  for (size_t i = 0; i < count; ++i) {
    for (size_t bit = 0; bit < side->bits; ++bit) {
      size_t at = i * side->bits + bit;
      out_bits[at / 8] = (uint8_t)(out_bits[at / 8] | ((elements[i] >> bit) & 1) << (at % 8));
    }
  }
}

static void scatter_bits(const side_t* side, const uint8_t* bits, size_t count,
                         uint8_t* out_elements) {
  if (side->bits % 8 == 0) {
    memcpy(out_elements, bits, count * side->size);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    uint32_t value = 0;
    for (size_t bit = 0; bit < side->bits; ++bit) {
      size_t at = i * side->bits + bit;
      value |= (uint32_t)((bits[at / 8] >> (at % 8)) & 1) << bit;
    }
    if (side->is_signed && value >> (side->bits - 1)) value |= ~0u << side->bits;
    out_elements[i] = (uint8_t)value;
  }
}

// Of groups, which are elements where both dtypes have the same width.
tn_status_t tn__cpu_bitcast_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const bitcast_state_t* state = call->state;
  size_t from_length = state->from_group * state->from.size;
  size_t to_length = state->to_group * state->to.size;
  const uint8_t* from = (const uint8_t*)call->operands[0] + (size_t)begin * from_length;
  uint8_t* to = (uint8_t*)call->results[0] + (size_t)begin * to_length;
  if (state->from.bits % 8 == 0 && state->to.bits % 8 == 0) {
    if (from != to) memcpy(to, from, (size_t)(end - begin) * from_length);
    return TN_OK;
  }
  for (int64_t i = begin; i < end; ++i, from += from_length, to += to_length) {
    uint8_t bits[16];
    gather_bits(&state->from, from, state->from_group, bits);
    scatter_bits(&state->to, bits, state->to_group, to);
  }
  return TN_OK;
}

tn_status_t tn__cpu_bitcast_run(const tn_kernel_call_t* call) {
  const bitcast_state_t* state = call->state;
  return tn__pool_parallel_for(call->context->pool, state->group_count, GRAIN,
                               tn__cpu_bitcast_range, (void*)call);
}
