// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The loops of floats for processors with vectors of 64 bytes and fused multiply-add.
#include "kernel/common/isa.h"

#if TN_ISA_X86
#define TN_TARGET TN_ISA_TARGET_AVX512
#define TN_VARIANT(name) name##_avx512
#define TN_HAS_THREADED 0
#define TN_VECTOR_MATH 1
#include "kernel/elementwise/float_dtypes.inc"
#endif
