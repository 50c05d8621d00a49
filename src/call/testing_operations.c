// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/custom.h>

#define SCALE(ARG, ATTR, RET)   \
  ARG(x, f32, any_rank)         \
  ATTR(factor, float, 2.0f)     \
  ATTR(offset, int64_t, 0)      \
  ATTR(name, string, "nothing") \
  RET(y, f32, like(x))

TN_OP(scale, SCALE, "y = factor * x + offset") {
  if (call->factor == 13) return TN_ERROR(call, OUT_OF_RANGE, "factor is %g", 13.0);
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->y.data[i] = call->x.data[i] * call->factor + (float)call->offset;
  }
  return TN_OK;
}
