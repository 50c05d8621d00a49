// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What Tenon uses of OpenCL, which is found at run time: neither a header nor a library of it is
// needed to build. Types and numbers are those of the OpenCL 3.0 specification.
#ifndef TENON_DEVICE_OPENCL_OPENCL_H_
#define TENON_DEVICE_OPENCL_OPENCL_H_

#include <stdint.h>
#include <tenon/detail/status.h>

// Objects of OpenCL, by what they are.
typedef struct tn_cl_platform_object* tn_cl_platform_t;
typedef struct tn_cl_device_object* tn_cl_device_t;
typedef struct tn_cl_context_object* tn_cl_context_t;
typedef struct tn_cl_queue_object* tn_cl_queue_t;
typedef struct tn_cl_event_object* tn_cl_event_t;
typedef struct tn_cl_program_object* tn_cl_program_t;
typedef struct tn_cl_kernel_object* tn_cl_kernel_t;

enum {
  TN_CL_SUCCESS = 0,
  TN_CL_DEVICE_NOT_FOUND = -1,
  TN_CL_BUILD_PROGRAM_FAILURE = -11,
  TN_CL_INVALID_KERNEL_NAME = -46,
  TN_CL_PLATFORM_NOT_FOUND = -1001,  // of the loader: no driver is installed

  TN_CL_DEVICE_TYPE = 0x1000,
  TN_CL_TYPE_CPU = 1 << 1,
  TN_CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  TN_CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
  TN_CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,
  TN_CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  TN_CL_DEVICE_NAME = 0x102B,
  TN_CL_DEVICE_SVM_CAPABILITIES = 0x1053,
  TN_CL_SVM_BUFFERS = 1 << 0,  // coarse-grained
  TN_CL_MEM_READ_WRITE = 1 << 0,
  TN_CL_PROGRAM_BUILD_LOG = 0x1183,
  TN_CL_KERNEL_NUM_ARGS = 0x1191,
  TN_CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
};
#define TN_CL_DEVICE_TYPE_ALL UINT64_C(0xFFFFFFFF)

// The functions, by their names without "cl".
typedef struct tn_opencl {
#define TN_OPENCL_FUNCTION(result, name, ...) result (*name)(__VA_ARGS__);
#include "device/opencl/functions.def"
#undef TN_OPENCL_FUNCTION
} tn_opencl_t;

// Loads the library, once and for good. NULL when it is not there: *out_reason, static text, says
// what was looked for.
const tn_opencl_t* tn__opencl_load(const char** out_reason);

// OK for TN_CL_SUCCESS; RESOURCE_EXHAUSTED where memory is short, else INTERNAL. Names the function
// and the error.
TN_MUST_USE tn_status_t tn__opencl_status(const char* function, int32_t error);
// Calls a function that returns an error.
#define TN_OPENCL_CALL(cl, function, ...) \
  tn__opencl_status("cl" #function, (cl)->function(__VA_ARGS__))

#endif  // TENON_DEVICE_OPENCL_OPENCL_H_
