// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of tn_context_t (public in <tenon/detail/context.h>). Whatever has a device reaches its
// context through it; modules that are compiled, through their target (kernel/target.h).
#ifndef TENON_DEVICE_CONTEXT_H_
#define TENON_DEVICE_CONTEXT_H_

#include <stdatomic.h>
#include <stdint.h>
#include <tenon/detail/device.h>

#include "base/visibility.h"
#include "device/environment.h"
#include "ops/op.h"

// Operations that custom calls name. The component `call` fills and searches it (call/registry.c).
typedef struct tn_op_list {
  const tn_op_t** ops;  // retained
  size_t count, capacity;
} tn_op_list_t;

// Under tn__process_lock. The list takes the operation, unless there is an error.
TN_MUST_USE tn_status_t tn__op_list_insert(tn_op_list_t* list, size_t at, const tn_op_t* op);
// The caller has the operation then.
void tn__op_list_remove(tn_op_list_t* list, size_t at);

struct tn_context {
  // Of users. With the last of them goes what keeps devices alive.
  atomic_uint references;
  // The same, and of devices. With the last of them goes the context.
  atomic_uint holders;
  const tn_allocator_t* allocator;  // NULL: of the default context, which takes no memory
  tn_environment_t environment;
  tn_status_t environment_error;  // of the default context; NULL: none
  tn_device_options_t devices;    // what they have whose options say nothing
  atomic_llong call_timeout_ns;   // see tn_call_set_timeout_ns
  atomic_llong next_run_id;
  // A const tn_run_observer_t*, of runs that name none; 0: none. See tn_context_set_run_observer.
  atomic_uintptr_t run_observer;
  // Guarded by tn__process_lock:
  struct tn_context* next;      // of all that there are, the default one first
  tn_device_t* default_device;  // retained; NULL: not asked for yet
  tn_device_t* chosen;          // the devices that were given a default stream; see defaults.c
  tn_op_list_t registered;      // sorted by name
  tn_op_list_t routines;        // Tenon's own that were asked for; see call/operation.c
};

// The context that is meant: NULL stands for the default one.
static inline tn_context_t* tn__context_of(tn_context_t* context) {
  return context ? context : tn_context_default();
}

// For devices: keeps the context, but not what the context itself keeps.
tn_context_t* tn__context_hold(tn_context_t* context);
void tn__context_let_go(tn_context_t* context);

// Reads the environment if that was not done yet. INVALID_ARGUMENT for values that make no sense.
TN_MUST_USE tn_status_t tn__context_read_environment(tn_context_t* context);

// Which optional libraries may be used (kernel/lib/library.h).
uint32_t tn__context_libraries(tn_context_t* context);

// Fills in what the options of a device leave open and its context says.
void tn__context_complete(const tn_context_t* context, tn_device_options_t* options);

// Gives up the default device and the default streams (defaults.c).
void tn__context_forget_defaults(tn_context_t* context);

#endif  // TENON_DEVICE_CONTEXT_H_
