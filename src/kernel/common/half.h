// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays of the floats of 16 bits, to and from f32: loops for each instruction set that give the
// same bits, those of NaNs included. What computes with such floats converts them in these.
#ifndef TENON_KERNEL_COMMON_HALF_H_
#define TENON_KERNEL_COMMON_HALF_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/common/isa.h"

static inline uint32_t tn__float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float tn__bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// From 16 bits exactly; to 16 bits rounded once, to nearest even, with NaNs made quiet and cut off.
// The arrays do not overlap.
typedef struct tn_half_loops {
  void (*decode_f16)(const uint16_t* from, float* to, size_t count);
  void (*encode_f16)(const float* from, uint16_t* to, size_t count);
  void (*decode_bf16)(const uint16_t* from, float* to, size_t count);
  void (*encode_bf16)(const float* from, uint16_t* to, size_t count);
  // The first of values[begin] to values[count - 1] whose rounding an error of up to
  // TN_HALF_MARGIN ulps of f32 could change; `count`: there is none. NaNs may be among those found.
  size_t (*find_unsure_f16)(const float* values, size_t begin, size_t count);
  size_t (*find_unsure_bf16)(const float* values, size_t begin, size_t count);
} tn_half_loops_t;

enum { TN_HALF_MARGIN = 4 };

// The best that this processor can do.
const tn_half_loops_t* tn__half_loops(void);

// For tests: those of one instruction set; NULL when the processor has not got it, or there are
// none.
const tn_half_loops_t* tn__half_loops_of(tn_isa_t isa);

#endif  // TENON_KERNEL_COMMON_HALF_H_
