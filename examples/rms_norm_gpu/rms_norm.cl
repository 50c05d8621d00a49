// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A group for each row: its items sum parts of it, and then one another's sums.
#include <tenon/gpu.h>

#define GROUP_SIZE 256

TN_KERNEL void rms_norm(TN_GLOBAL const float* x, TN_GLOBAL float* y, float eps, tn_i64 columns) {
  TN_SHARED float sums[GROUP_SIZE];
  const tn_i64 lane = tn_lane(0), row = tn_group(0) * columns;
  float sum = 0;
  for (tn_i64 i = lane; i < columns; i += GROUP_SIZE) sum += x[row + i] * x[row + i];
  sums[lane] = sum;
  tn_barrier();
  for (int width = GROUP_SIZE / 2; width > 0; width /= 2) {
    if (lane < width) sums[lane] += sums[lane + width];
    tn_barrier();
  }
  const float scale = 1 / sqrt(sums[0] / columns + eps);
  for (tn_i64 i = lane; i < columns; i += GROUP_SIZE) y[row + i] = x[row + i] * scale;
}
