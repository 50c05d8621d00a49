// The door out: custom calls, seen from the inside of the runtime.
#ifndef TENON_CALL_CALL_H_
#define TENON_CALL_CALL_H_

#include <tenon/call.h>

#include "base/interrupt.h"
#include "call/attributes.h"
#include "call/keeper.h"
#include "ir/ir.h"
#include "kernel/kernel.h"

// What a run tells handlers, behind tn_kernel_context_t.environment. Lives as long as the run.
typedef struct tn_call_environment {
  int64_t run_id;
  int32_t device_ordinal;
  struct tn_device* device;  // for scratch memory; NULL: malloc's
  struct tn_stream* stream;  // NULL: the calling thread
  size_t user_data_count;
  const tn_user_data_t* user_data;  // objects for handlers that ask for their type
  const tn_interrupt_t* interrupt;  // NULL: nothing ends the run early
  tn_call_keeper_t* keeper;         // of all that the handlers see; NULL: nothing outlives a call
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

// Finds the target of a stablehlo.custom_call in the registry, checks the call against the
// handler's signature, runs its instantiate stage, and fills the site: state (which retains the
// entry and its library until state_deinit), memory of the activation for the call frame, and
// *out_kernel. Errors name the target and the argument; the caller adds the place.
// `cache` NULL: the call is on its own.
TN_MUST_USE tn_status_t tn__call_prepare(const char* platform, tn_call_cache_t* cache,
                                         const tn_node_t* node, tn_kernel_site_t* site,
                                         const tn_kernel_t** out_kernel);

#endif  // TENON_CALL_CALL_H_
