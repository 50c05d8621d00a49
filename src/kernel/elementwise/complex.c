// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#define TN_TARGET
#define TN_VARIANT(name) name
#include "kernel/elementwise/complex_dtypes.inc"
