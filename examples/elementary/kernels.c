// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elementary functions over arrays: as fast as built-in operations, with the same bits.
#include <math.h>
#include <tenon/custom.h>

typedef struct softplus {
  const tn_call_t* call;
  const float* x;
  float* y;
} softplus_t;

// log(1 + exp(x)) as max(x, 0) + log(1 + exp(-|x|)), which does not overflow. A piece at a time, so
// that it is in the cache from one function to the next.
static void softplus_range(void* user, int64_t begin, int64_t end) {
  const softplus_t* work = (const softplus_t*)user;
  enum { PIECE = 1024 };
  for (int64_t start = begin; start < end; start += PIECE) {
    const int64_t n = end - start < PIECE ? end - start : PIECE;
    const float* x = work->x + start;
    float* y = work->y + start;
    for (int64_t i = 0; i < n; ++i) y[i] = -fabsf(x[i]);
    tn_map(work->call, exp, f32, n, y, y);
    tn_map(work->call, log1p, f32, n, y, y);
    for (int64_t i = 0; i < n; ++i) y[i] += x[i] > 0 ? x[i] : 0;
  }
}

#define SOFTPLUS(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
TN_OP(softplus, SOFTPLUS, "y = log(1 + exp(x))") {
  softplus_t work = {call->tn, call->x.data, call->y.data};
  tn_parallel_for(call, tn_size(call->x), 16384, softplus_range, &work);
  return TN_OK;
}

TN_LIBRARY(softplus)
