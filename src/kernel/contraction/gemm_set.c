// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/contraction/gemm_set.h"

#include <stddef.h>
#include <string.h>

#include "kernel/common/half.h"
#include "kernel/common/half_vectors.h"
#include "kernel/common/loop.h"
#include "kernel/common/transpose_block.h"

// Every instruction set has its vectors and as large a tile as its registers hold. All of them do
// the same operations in the same order on each element. Where there is fused multiply-add, a
// product and its sum are one operation here, as the specification allows; all sets that have it
// give the same bits.
#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("-ffp-contract=fast")
#endif

// What every x86-64 and 64-bit ARM processor has.
#define SET base
#ifdef __FP_FAST_FMAF
#define FUSES 1
#else
#define FUSES 0
#endif
#define TARGET
#if TN_ISA_X86
#define PLUS_PAIRS(sums, a, b) \
  ((sums) + (tn_words_4_t)_mm_madd_epi16(_mm_set1_epi32((int)(a)), (__m128i)(b)))
#endif
#define VECTOR_BYTES 16
#define LOAD_BF16 TN_LOAD_BF16_4
#define ROWS 4
#define VECTORS 2
#include "kernel/contraction/gemm_target.inc"

#if TN_ISA_X86
#define SET avx2
#define FUSES 1
#define TARGET TN_ISA_TARGET_FMA
#define PLUS_PAIRS(sums, a, b) \
  ((sums) + (tn_words_8_t)_mm256_madd_epi16(_mm256_set1_epi32((int)(a)), (__m256i)(b)))
#define VECTOR_BYTES 32
#define LOAD_BF16 TN_LOAD_BF16_8
#define ROWS 6
#define VECTORS 2
#include "kernel/contraction/gemm_target.inc"

#define SET avx512
#define FUSES 1
#define TARGET TN_ISA_TARGET_AVX512
#define PLUS_PAIRS(sums, a, b) \
  ((sums) + (tn_words_16_t)_mm512_madd_epi16(_mm512_set1_epi32((int)(a)), (__m512i)(b)))
#define VECTOR_BYTES 64
#define LOAD_BF16 TN_LOAD_BF16_16
#define ROWS 12
#define VECTORS 2
#include "kernel/contraction/gemm_target.inc"
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif

#define SETS(type) TN_ISA_SETS(&base_##type##_set, &avx2_##type##_set, &avx512_##type##_set)
static const tn_gemm_set_t* const sets[TN_GEMM_SCALAR_COUNT][TN_ISA_COUNT] = {
    [TN_GEMM_SCALAR_F32] = SETS(f32), [TN_GEMM_SCALAR_F64] = SETS(f64),
    [TN_GEMM_SCALAR_I32] = SETS(i32), [TN_GEMM_SCALAR_I64] = SETS(i64),
#if TN_ISA_X86
    [TN_GEMM_SCALAR_I16] = SETS(i16),
#endif
};
#undef SETS

const tn_gemm_set_t* tn__gemm_set_of(tn_isa_t isa, tn_gemm_scalar_t scalar) {
  return tn__isa_has(isa) ? sets[scalar][isa] : NULL;
}

const tn_gemm_set_t* tn__gemm_set(tn_gemm_scalar_t scalar) {
  return sets[scalar][tn__isa_best(TN_ISA_AVX512)];
}
