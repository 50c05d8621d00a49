// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A debug mode of handlers that say they are compatible with command buffers: whether they are.
//
// A handler of such a trait only enqueues work on its stream, the same for every call, so that a
// capture of it can be launched in its place. It is called twice: as always, and while its stream
// is captured. What the graph computes must have the bits of the direct call.
#ifndef TENON_CALL_CAPTURED_H_
#define TENON_CALL_CAPTURED_H_

#include "base/type.h"
#include "kernel/kernel.h"

typedef struct tn_captured_call {
  const tn_kernel_call_t* call;  // of a device with graphs
  size_t operand_count, result_count;
  const tn_type_t* const* types;  // operands, then results
  tn_string_view_t name;          // of the target
  tn_status_t (*execute)(void* user);
  void* user;
} tn_captured_call_t;

// Executes the call, and again; INTERNAL where it does not keep its word.
TN_MUST_USE tn_status_t tn__captured_run(const tn_captured_call_t* captured);

#endif  // TENON_CALL_CAPTURED_H_
