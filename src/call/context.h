// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a handler's frame points to as its execution context: the one thing through which the
// functions of the table learn who is calling.
#ifndef TENON_CALL_CONTEXT_H_
#define TENON_CALL_CONTEXT_H_

#include "call/abi.h"
#include "call/call.h"
#include "device/context.h"

// The object that a stage left. `deleter` NULL: there is none.
typedef struct tn_call_state {
  int64_t type_id;
  void* object;
  void (*deleter)(void* object);
} tn_call_state_t;

typedef struct tn_call_scratch tn_call_scratch_t;  // scratch.h

struct tn_ffi_context {
  const tn_kernel_context_t* kernel;  // NULL while a program is compiled
  // By stage; the last place stays empty. INSTANTIATE's belongs to the program and only points
  // there.
  tn_call_state_t* states[TN_FFI_EXECUTE + 1];
  tn_call_scratch_t* scratch;    // what the handler has not given back
  tn_call_lifetime_t* lifetime;  // while a program is compiled; the run's is in its environment
  const tn_context_t* owner;     // the same; whose time limit applies
  uint32_t libraries;            // that may be used (kernel/lib/library.h)
  bool brings_deleters;          // the handler sets states as version 0.1 of the ABI did
  bool is_late;                  // the handler may go on using all this; see lifetime.h
};

// What the run told the kernels; NULL while a program is compiled, or when it told nothing.
static inline const tn_call_environment_t* tn__context_environment(
    const tn_ffi_context_t* context) {
  return context->kernel ? context->kernel->environment : NULL;
}

// What may end the run; NULL: nothing.
static inline const tn_interrupt_t* tn__context_interrupt(const tn_ffi_context_t* context) {
  const tn_call_environment_t* environment = tn__context_environment(context);
  return environment ? environment->interrupt : NULL;
}

// NULL: there is none.
static inline tn_call_lifetime_t* tn__context_lifetime(const tn_ffi_context_t* context) {
  const tn_call_environment_t* environment = tn__context_environment(context);
  return environment ? environment->lifetime : context->lifetime;
}

// How long to wait for a handler that finishes later.
static inline int64_t tn__context_timeout_ns(const tn_ffi_context_t* context) {
  const tn_call_environment_t* environment = tn__context_environment(context);
  if (environment) return environment->timeout_ns;
  const tn_context_t* owner = context->owner ? context->owner : tn_context_default();
  return atomic_load(&owner->call_timeout_ns);
}

// Destroys the object, if there is one, and forgets it.
static inline void tn__call_state_clear(tn_call_state_t* state) {
  tn_call_state_t old = *state;
  *state = (tn_call_state_t){0};
  if (old.deleter) old.deleter(old.object);
}

#endif  // TENON_CALL_CONTEXT_H_
