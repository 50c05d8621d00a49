// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Contexts: what the devices, programs and arrays of one user of the library share, such as
// registered custom calls, the default device, and settings. Functions without a context use the
// default one, which lives as long as the process. docs/context.md lists what else exists once per
// process.
#ifndef TENON_DETAIL_CONTEXT_H_
#define TENON_DETAIL_CONTEXT_H_

#include <stdint.h>
#include <tenon/detail/allocator.h>
#include <tenon/detail/status.h>

TN_EXTERN_C_BEGIN

// Reference counted; thread-safe. A device retains its context. When the last reference that is not
// a device's is released, the context releases its default device and default streams. NULL means
// the default context in every function that takes one.
typedef struct tn_context tn_context_t;

// Zero always means the default.
typedef struct tn_context_options {
  size_t struct_size;               // sizeof(tn_context_options_t)
  const tn_allocator_t* allocator;  // for the context itself; must outlive it; NULL: malloc
  // "NAME=VALUE" strings, terminated by NULL, to use instead of the process's environment. NULL:
  // the process's. Read once, by tn_context_create.
  const char* const* environment;
  // Defaults for the options of its devices; see tn_device_options_t.
  int32_t thread_count;
  uint64_t memory_limit_byte_size;
  uint64_t cache_limit_byte_size;
} tn_context_options_t;

// `options` may be NULL. Environment variables:
//   TENON_DEVICE       name of the default device; default "cpu"
//   TENON_NUM_THREADS  threads of a device's parallel loops, 1 to 1024; default: the cores that the
//                      thread that creates the device may use
//   TENON_LIBRARIES    optional libraries to use ("openblas,cublas", "none"); default: all
//   TENON_FUSION       minimum number of elements for elementwise operations to be fused, or "none"
// INVALID_ARGUMENT for an invalid value.
TN_API TN_MUST_USE tn_status_t tn_context_create(const tn_context_options_t* options,
                                                 tn_context_t** out_context);
TN_API tn_context_t* tn_context_retain(tn_context_t* context);
TN_API void tn_context_release(tn_context_t* context);

// A view. Its environment is the process's, read when its first device is created; an invalid value
// is reported by the creation of devices. References to it are not counted.
TN_API tn_context_t* tn_context_default(void);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_CONTEXT_H_
