// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The handler of docs/from-xla-ffi.md, in C: the same symbol, operands and attributes as the one in
// C++ (test/client/foreign_handlers.cc).
#include <tenon/custom.h>

#define AXPBY(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  ARG(y, f32, shape_of(x))    \
  ATTR(a, float, TN_REQUIRED) \
  ATTR(b, float, TN_REQUIRED) \
  RET(out, f32, like(x))

TN_OP(axpby, AXPBY, "out = a * x + b * y") {
  const float *x = call->x.data, *y = call->y.data;
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->out.data[i] = call->a * x[i] + call->b * y[i];
  }
  return TN_OK;
}

TN_LIBRARY(axpby)
