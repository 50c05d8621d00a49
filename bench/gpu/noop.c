// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A handler on the stream of a GPU that enqueues nothing: what remains is the cost of the call.
#include <tenon/custom.h>

#define NOOP(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, like(x))

TN_OP_ON(PLATFORM, "noop", 0, noop, NOOP, "leaves y as it is") {
  void* stream = NULL;
  return tn_stream(call, &stream);
}
TN_LIBRARY(noop)
