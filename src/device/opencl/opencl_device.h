// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of a device of OpenCL.
#ifndef TENON_DEVICE_OPENCL_OPENCL_DEVICE_H_
#define TENON_DEVICE_OPENCL_OPENCL_DEVICE_H_

#include "device/code_cache.h"
#include "device/discrete.h"
#include "device/opencl/opencl.h"

typedef struct tn_opencl_device {
  tn_discrete_device_t discrete;  // first
  const tn_opencl_t* cl;
  tn_cl_device_t id;
  tn_cl_context_t context;
  tn_cl_queue_t copies;  // in order; every copy is waited for
  tn_code_cache_t programs;
  const char* options;  // of the compiler
} tn_opencl_device_t;

// programs.c: the compiler of `programs`, which are a tn_cl_program_t. `user` is the device.
TN_MUST_USE tn_status_t tn__opencl_compile(void* user, const tn_device_code_t* code,
                                           void** out_program);
void tn__opencl_release(void* user, void* program);

// queue.c: the vtable's functions.
TN_MUST_USE tn_status_t tn__opencl_queue_create(tn_device_t* device, tn_queue_t** out_queue);
void tn__opencl_queue_destroy(tn_queue_t* queue);
TN_MUST_USE tn_status_t tn__opencl_queue_launch(tn_queue_t* queue, const tn_launch_t* launch);
TN_MUST_USE tn_status_t tn__opencl_queue_finish(tn_queue_t* queue, uint32_t* out_tag);
TN_MUST_USE tn_status_t tn__opencl_queue_record(tn_queue_t* queue, void** out_mark);
TN_MUST_USE tn_status_t tn__opencl_queue_wait(tn_queue_t* queue, void* mark);
void tn__opencl_mark_destroy(tn_device_t* device, void* mark);

#endif  // TENON_DEVICE_OPENCL_OPENCL_DEVICE_H_
