// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// libtenon_xla: the symbols of XLA that kernels may leave undefined, and the one of Tenon that
// libraries which register their functions themselves do. A library of its own, because
// it is put where all libraries of the process look, which Tenon itself never should be.
#ifndef TENON_CALL_GLOBAL_XLA_H_
#define TENON_CALL_GLOBAL_XLA_H_

#include <stdbool.h>
#include <tenon/custom_call_status.h>
#include <tenon/detail/call.h>

// Zeroed: success. The message is malloc's; NULL with `has_failed` means that there was no memory
// for it.
struct XlaCustomCallStatus_ {
  bool has_failed;
  char* message;
  size_t message_length;
};

// What XLA_FFI_GetApi gives from now on, a const XLA_FFI_Api*. Thread-safe.
void tn__global_set_api(const void* api);

// NULL until it is set.
const void* XLA_FFI_GetApi(void);

// What tn_target_register_at_start (<tenon/detail/call.h>) does for libraries that find
// libtenon_xla's, as they do where Tenon itself was loaded for one library only. Until it is set,
// nothing. Thread-safe.
typedef void (*tn_global_register_fn)(const char* name, const char* platform,
                                      tn_target_function_t function);
void tn__global_set_register(tn_global_register_fn function);

#endif  // TENON_CALL_GLOBAL_XLA_H_
