// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The loops of floats for processors with vectors and fused multiply-add.
#include "kernel/common/isa.h"

#if TN_ISA_HAS_FMA
#define TN_TARGET TN_ISA_TARGET_FMA
#define TN_VARIANT(name) name##_fma
#define TN_HAS_THREADED 0
#define TN_VECTOR_MATH 1
#include "kernel/elementwise/float_dtypes.inc"
#endif
