// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// sum_tuple of kernels.c for OpenCL, as in ../broadcast_add/opencl.c. On a GPU a tuple is flat:
// there are six buffers, one for each array, operands first.
#include <tenon/custom.h>

#include "../opencl.h"

enum { BUFFERS = 6, SUM_COUNT = 512 };

// One group: item i sums up to number i, in nine steps from one half of the scratch to the other.
static const char source[] =
    "__kernel void sum_tuple(__global const float* a, __global const float* b,"
    "                        __global const float* c, __global const float* d,"
    "                        __global float* sums, __global float* scratch) {"
    "  const int i = get_local_id(0), n = get_local_size(0);"
    "  __global float *from = scratch, *to = scratch + n;"
    "  from[i] = i < 32 ? a[i] : i < 96 ? b[i - 32] : i < 224 ? c[i - 96] : i < 480 ? d[i - 224]"
    "                                                                               : 0;"
    "  for (int distance = 1; distance < n; distance *= 2) {"
    "    barrier(CLK_GLOBAL_MEM_FENCE);"
    "    to[i] = from[i] + (i < distance ? 0 : from[i - distance]);"
    "    __global float* const full = to;"
    "    to = from;"
    "    from = full;"
    "  }"
    "  sums[i] = from[i];"
    "}";

TN_UNTYPED_ON("OpenCL", "sum_tuple", sum_tuple_opencl, "running sums of a nested tuple")
void sum_tuple_opencl(void* stream, void** buffers, const char* opaque, size_t opaque_size) {
  static _Thread_local opencl_kernel_t known;
  cl_int error = opencl_find_kernel(&known, stream, source, "sum_tuple");
  (void)opaque, (void)opaque_size;
  for (cl_uint i = 0; i < BUFFERS && !error; ++i) {
    error = clSetKernelArgSVMPointer(known.kernel, i, buffers[i]);
  }
  if (!error) (void)opencl_launch(&known, stream, SUM_COUNT, SUM_COUNT);
}

TN_LIBRARY(sum_tuple_opencl)
