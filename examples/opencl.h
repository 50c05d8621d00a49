// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From OpenCL C text to a kernel, which several examples need.
#ifndef TENON_EXAMPLE_OPENCL_H_
#define TENON_EXAMPLE_OPENCL_H_

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

// A thread's own: arguments are set in it.
typedef struct opencl_kernel {
  cl_context context;  // retained; NULL: not yet
  cl_kernel kernel;
} opencl_kernel_t;

// Of the queue's context.
static inline cl_int opencl_find_kernel(opencl_kernel_t* it, cl_command_queue queue,
                                        const char* source, const char* name) {
  cl_context context;
  cl_device_id device;
  cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
  if (!error) {
    error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  }
  if (error || it->context == context) return error;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  if (!error) error = clBuildProgram(program, 1, &device, "", NULL, NULL);
  if (error) return error;
  it->kernel = clCreateKernel(program, name, &error);
  it->context = context;
  clRetainContext(context);
  return error;
}

// `items` in groups of `group`, which divides it.
static inline cl_int opencl_launch(const opencl_kernel_t* it, cl_command_queue queue, size_t items,
                                   size_t group) {
  if (!items) return CL_SUCCESS;
  return clEnqueueNDRangeKernel(queue, it->kernel, 1, NULL, &items, &group, 0, NULL, NULL);
}

#endif  // TENON_EXAMPLE_OPENCL_H_
