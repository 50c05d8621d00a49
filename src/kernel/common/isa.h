// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The instruction sets that loops are compiled for, and which of them the processor has. A family
// of kernels has a table by instruction set and takes the best that is there. All of them compute
// the same bits, but that those of the base have no fused multiply-add, and its loops no functions
// of vector_math.inc.
#ifndef TENON_KERNEL_COMMON_ISA_H_
#define TENON_KERNEL_COMMON_ISA_H_

#include <stdbool.h>

// Code for others than the base can be compiled: TN_ISA_TARGET_FMA, _AVX2 and _AVX512 say so of a
// function. Only what writes fused multiply-add itself has it: gcc 12 makes others of it where
// vectors are added and subtracted by turns, also with -ffp-contract=off.
#if defined(__x86_64__) && defined(__GNUC__)
#define TN_ISA_X86 1
#define TN_ISA_HAS_FMA 1
#define TN_ISA_TARGET_FMA __attribute__((target("avx2,f16c,fma")))
#define TN_ISA_TARGET_AVX2 __attribute__((target("avx2,f16c")))
#define TN_ISA_TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,f16c")))
#elif defined(__aarch64__) && defined(__GNUC__)
#define TN_ISA_X86 0
#define TN_ISA_HAS_FMA 1
#define TN_ISA_TARGET_FMA
#else
#define TN_ISA_X86 0
#define TN_ISA_HAS_FMA 0
#endif

// Worst first.
typedef enum tn_isa {
  TN_ISA_BASE,    // what the compiler was told of
  TN_ISA_FMA,     // x86-64: AVX2, F16C, FMA; 64-bit ARM: it itself
  TN_ISA_AVX512,  // F, DQ, BW, VL
  TN_ISA_COUNT,
} tn_isa_t;

// What a family has for each instruction set: that of the base for all where it has no others.
#if TN_ISA_X86
#define TN_ISA_SETS(base, avx2, avx512) \
  { base, avx2, avx512 }
#else
#define TN_ISA_SETS(base, avx2, avx512) \
  { base, base, base }
#endif

bool tn__isa_has(tn_isa_t isa);
// The best that the processor has, up to `most`.
tn_isa_t tn__isa_best(tn_isa_t most);
// For tests, while nothing else runs: as if the processor had no better one than `most`.
void tn__isa_limit(tn_isa_t most);

#endif  // TENON_KERNEL_COMMON_ISA_H_
