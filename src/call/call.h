// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls, as the rest of the runtime uses them.
#ifndef TENON_CALL_CALL_H_
#define TENON_CALL_CALL_H_

#include <tenon/detail/call.h>

#include "base/interrupt.h"
#include "call/attributes.h"
#include "call/lifetime.h"
#include "ir/ir.h"
#include "kernel/kernel.h"

// What a run tells handlers, behind tn_kernel_context_t.environment. Lives as long as the run.
typedef struct tn_call_environment {
  int64_t run_id;
  int64_t timeout_ns;  // for handlers that finish later; negative: none
  int32_t device_ordinal;
  struct tn_device* device;  // for scratch memory; NULL: malloc's
  struct tn_stream* stream;  // NULL: the calling thread
  size_t user_data_count;
  const tn_user_data_t* user_data;  // objects for handlers that ask for their type
  const tn_interrupt_t* interrupt;  // NULL: nothing ends the run early
  tn_call_lifetime_t* lifetime;     // of all that the handlers see; NULL: nothing outlives a call
} tn_call_environment_t;

// What the calls of one program share while they are prepared. What it points to lives in the
// program's arena.
enum { TN_CALL_CACHE_SIZE = 16 };
typedef struct tn_call_cache {
  size_t count;
  const struct tn_typed_state* recent[TN_CALL_CACHE_SIZE];  // calls; the last one first
  tn_built_attributes_t attributes;
} tn_call_cache_t;
void tn__call_cache_init(tn_call_cache_t* cache, const tn_allocator_t* allocator);
void tn__call_cache_deinit(tn_call_cache_t* cache);

// Gives a stablehlo.custom_call the operation that it names: what is registered now, or what Tenon
// brings along. Where there is nothing of that name, that is an operation without a kernel, whose
// preparation says so, and which is looked for again the next time. Nodes of other operations are
// left alone. `ops` are those of the calls of the module before, by name: a name is one operation.
// Errors name the target and the node's place.
TN_MUST_USE tn_status_t tn__call_resolve(tn_node_t* node, tn_names_t* ops);

#endif  // TENON_CALL_CALL_H_
