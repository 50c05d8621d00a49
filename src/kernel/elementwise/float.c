// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#define TN_TARGET
#define TN_VARIANT(name) name
#define TN_HAS_THREADED 1
#define TN_VECTOR_MATH 0
#include "kernel/elementwise/float_dtypes.inc"
