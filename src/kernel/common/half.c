// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/half.h"

#include <string.h>

#include "kernel/common/half_vectors.h"
#include "kernel/common/loop.h"

enum { TOGETHER = 64 };  // elements that are looked at before the first of them is searched

// One element: integer arithmetic without branches, so that loops become vector code, and without
// subnormal floats, which a thread's settings may have the processor take for zero.

static inline float decode_bf16(uint16_t half) {
  return tn__bits_float((uint32_t)half << 16);
}

static inline uint16_t encode_bf16(float value) {
  const uint32_t bits = tn__float_bits(value);
  const uint32_t quiet = bits | 0x400000;
  return (uint16_t)(((bits & 0x7fffffff) > 0x7f800000 ? quiet : TN_ROUND_BF16(bits)) >> 16);
}

// The exponent's bias grows by 112. A subnormal half is the mantissa of a normal float whose
// leading bit is one too many.
static inline float decode_f16(uint16_t half) {
  const int32_t magnitude = (half & 0x7fff) << 13;
  const int32_t subnormal = -(magnitude < 1 << 23), special = -(magnitude >= 31 << 23);
  const uint32_t excess = (uint32_t)(subnormal & 113 << 23);  // 2^-14
  const float shifted = tn__bits_float((uint32_t)(magnitude + (112 << 23) + (subnormal & 1 << 23)));
  const uint32_t bits = tn__float_bits(shifted - tn__bits_float(excess));
  return tn__bits_float(bits | (uint32_t)(special & 255 << 23) | (uint32_t)(half & 0x8000) << 16);
}

// Adding a power of two that is 2^13 above the value's own rounds it to ten bits of mantissa, or
// fewer for what becomes subnormal. What the sum has beyond that power are the value's exponent and
// mantissa, in units of 2^-24 or more; a carry goes into the exponent by itself, and 2^16 becomes
// infinite.
static inline uint16_t encode_f16(float value) {
  const int32_t infinite = 255 << 23, least = 113 << 23, most = 143 << 23;  // 2^-14, 2^16
  const uint32_t bits = tn__float_bits(value);
  const int32_t magnitude = (int32_t)(bits & 0x7fffffff);
  const int32_t finite = magnitude < most ? magnitude : most;
  const int32_t exponent = finite & infinite;
  const int32_t anchor = (exponent > least ? exponent : least) + (13 << 23);
  const int32_t sum =
      (int32_t)tn__float_bits(tn__bits_float((uint32_t)finite) + tn__bits_float((uint32_t)anchor));
  const int32_t half = sum - anchor + ((anchor >> 13) - (126 << 10));
  const int32_t nan = -(magnitude > infinite) & (0x200 | (magnitude >> 13 & 0x1ff));
  return (uint16_t)((bits >> 16 & 0x8000) | (uint32_t)(half | nan));
}

static inline uint32_t is_unsure_f16(float value) {
  const int32_t infinite = 255 << 23, magnitude = (int32_t)(tn__float_bits(value) & 0x7fffffff);
  const int32_t less = magnitude > TN_HALF_MARGIN ? magnitude - TN_HALF_MARGIN : 0;
  const int32_t more = magnitude < infinite ? magnitude + TN_HALF_MARGIN : infinite;
  return encode_f16(tn__bits_float((uint32_t)less)) != encode_f16(tn__bits_float((uint32_t)more));
}

// A bf16 has the upper half of the bits; in the middle of two the lower one is 0x8000.
static inline uint32_t is_unsure_bf16(float value) {
  return ((tn__float_bits(value) + TN_HALF_MARGIN - 0x8000) & 0xffff) <= 2 * TN_HALF_MARGIN;
}

#undef TN_TARGET
#define TN_TARGET
#define TN_NAME plain
#define TN_F16C 0
#define TN_LANES 4
#include "kernel/common/half.inc"

#if TN_ISA_X86
#define TN_TARGET TN_ISA_TARGET_AVX2
#define TN_NAME avx2
#define TN_F16C 1
#define TN_LANES 8
#include "kernel/common/half.inc"

#endif

static const tn_half_loops_t* const sets[] = TN_ISA_SETS(&plain, &avx2, &avx2);

const tn_half_loops_t* tn__half_loops_of(tn_isa_t isa) {
  return tn__isa_has(isa) ? sets[isa] : NULL;
}

const tn_half_loops_t* tn__half_loops(void) {
  return sets[tn__isa_best(TN_ISA_FMA)];
}
