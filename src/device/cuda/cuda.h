// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What Tenon uses of CUDA, which is found at run time: neither a header nor a library of it is
// needed to build. Types and numbers are those of the driver API's documentation.
#ifndef TENON_DEVICE_CUDA_CUDA_H_
#define TENON_DEVICE_CUDA_CUDA_H_

#include <stddef.h>
#include <stdint.h>
#include <tenon/detail/status.h>

// Objects of CUDA, by what they are.
typedef struct tn_cu_context_object* tn_cu_context_t;
typedef struct tn_cu_stream_object* tn_cu_stream_t;
typedef struct tn_cu_event_object* tn_cu_event_t;
typedef struct tn_cu_graph_object* tn_cu_graph_t;
typedef struct tn_cu_graph_exec_object* tn_cu_graph_exec_t;
typedef struct tn_cu_module_object* tn_cu_module_t;
typedef struct tn_cu_function_object* tn_cu_function_t;
typedef struct tn_nvrtc_program_object* tn_nvrtc_program_t;

enum {
  TN_CU_SUCCESS = 0,
  TN_CU_INVALID_VALUE = 1,
  TN_CU_OUT_OF_MEMORY = 2,
  TN_CU_NOT_FOUND = 500,
  TN_CU_COMPUTE_CAPABILITY_MAJOR = 75,
  TN_CU_COMPUTE_CAPABILITY_MINOR = 76,
  TN_CU_MOST_THREADS_OF_BLOCK = 0,  // of a function
  TN_CU_CAPTURE_RELAXED = 2,        // not even what this thread does
  TN_CU_CAPTURE_THREAD_LOCAL = 1,   // what other threads do does not matter
  TN_CU_EVENT_WITHOUT_TIME = 2,
  TN_CU_HOST_PORTABLE = 1,        // pinned for every context
  TN_CU_STREAM_NON_BLOCKING = 1,  // does not wait for the default stream
  TN_NVRTC_COMPILATION = 6,       // the source has errors, which the log tells
};

// The functions, by their names without "cu" and "nvrtc".
typedef struct tn_cuda {
#define TN_CUDA_FUNCTION(name, suffix, ...) int32_t (*name)(__VA_ARGS__);
#include "device/cuda/driver.def"
#undef TN_CUDA_FUNCTION
} tn_cuda_t;

typedef struct tn_nvrtc {
#define TN_NVRTC_FUNCTION(result, name, ...) result (*name)(__VA_ARGS__);
#include "device/cuda/nvrtc.def"
#undef TN_NVRTC_FUNCTION
} tn_nvrtc_t;

// Loads the driver and starts it, once and for good. NULL when that fails: *out_reason, static
// text, says what was looked for, or the driver's error.
const tn_cuda_t* tn__cuda_load(const char** out_reason);
// The compiler, of a version that the driver takes; the same. After tn__cuda_load.
const tn_nvrtc_t* tn__nvrtc_load(const char** out_reason);

// OK for TN_CU_SUCCESS; RESOURCE_EXHAUSTED where memory is short, else INTERNAL. Names the function
// and the error.
TN_MUST_USE tn_status_t tn__cuda_status(const tn_cuda_t* cuda, const char* function, int32_t error);
const char* tn__cuda_error_name(const tn_cuda_t* cuda, int32_t error);
// Calls a function that returns an error.
#define TN_CUDA_CALL(cuda, function, ...) \
  tn__cuda_status(cuda, "cu" #function, (cuda)->function(__VA_ARGS__))

#endif  // TENON_DEVICE_CUDA_CUDA_H_
