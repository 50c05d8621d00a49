// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Root-mean-square normalisation over the last axis, as a custom operation for JAX and Tenon:
//   cc -O3 -shared -fPIC -I <tenon>/include rms_norm.c -o librms_norm.so -lm
#include <math.h>
#include <tenon/custom.h>

#define RMS_NORM(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)          \
  ATTR(eps, float, 1e-5f)        \
  RET(y, f32, like(x))

TN_OP(rms_norm, RMS_NORM, "y = x / sqrt(mean(x * x) + eps) over the last axis") {
  const int64_t size = tn_size(call->x), columns = tn_last_dim(call->x);
  for (int64_t start = 0; start < size; start += columns) {
    const float* x = call->x.data + start;
    float* y = call->y.data + start;
    float sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += x[i] * x[i];
    const float scale = 1 / sqrtf(sum / (float)columns + call->eps);
    for (int64_t i = 0; i < columns; ++i) y[i] = x[i] * scale;
  }
  return TN_OK;
}

TN_LIBRARY(rms_norm)
