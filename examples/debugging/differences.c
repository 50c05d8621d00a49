// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A kernel with a mistake, for docs/debugging.md: its loop ends one element too late.
#include <tenon/custom.h>

#define DIFFERENCES(ARG, ATTR, RET) \
  ARG(x, f32, rank(1))              \
  RET(y, f32, rank(1))

TN_OP(differences, DIFFERENCES, "y[i] = x[i + 1] - x[i], one element less than x") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->y.data[i] = call->x.data[i + 1] - call->x.data[i];
  }
  return TN_OK;
}

TN_LIBRARY(differences)
