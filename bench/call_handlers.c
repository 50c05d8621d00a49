// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Two handlers that decode their frames and do nothing else, for bench/call.py.
#include <tenon/custom.h>

#define SMALL(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, any_rank)

#define LARGE(ARG, ATTR, RET)   \
  ARG(a, f32, any_rank)         \
  ARG(b, f32, any_rank)         \
  ARG(c, f32, any_rank)         \
  ARG(d, f32, any_rank)         \
  ARG(e, f32, any_rank)         \
  ARG(f, f32, any_rank)         \
  ATTR(eps, float, TN_REQUIRED) \
  ATTR(n, int64_t, TN_REQUIRED) \
  RET(y, f32, any_rank)         \
  RET(z, f32, any_rank)

TN_OP(small, SMALL, "nothing") {
  return call->y.data ? TN_OK : TN_ERROR(call, INTERNAL, "no result");
}

TN_OP(large, LARGE, "nothing, with more to decode") {
  return call->y.data && call->n ? TN_OK : TN_ERROR(call, INTERNAL, "no result");
}

TN_LIBRARY(small, large)
