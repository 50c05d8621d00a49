// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The loops of complex numbers for processors with vectors of 32 bytes.
#include "kernel/common/isa.h"

#if TN_ISA_X86
#define TN_TARGET TN_ISA_TARGET_AVX2
#define TN_VARIANT(name) name##_avx2
#include "kernel/elementwise/complex_dtypes.inc"
#endif
