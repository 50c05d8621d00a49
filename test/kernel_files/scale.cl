// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/gpu.h>

#include "numbers.h"

TN_KERNEL void scale(TN_GLOBAL const float* x, TN_GLOBAL float* y, tn_i64 size) {
  const tn_i64 i = tn_item(0);
  if (i < size) y[i] = FACTOR * x[i];
}
