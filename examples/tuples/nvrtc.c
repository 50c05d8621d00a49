// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// sum_tuple of kernels.c for CUDA, in C, as in ../broadcast_add/nvrtc.c. On a GPU a tuple is flat:
// there are six buffers, one for each array, operands first.
#include <tenon/custom.h>

#include "../cuda.h"

enum { BUFFERS = 6, SUM_COUNT = 512 };

// One group: thread i sums up to number i, in nine steps from one half of the scratch to the other.
static cuda_kernel_t kernel = CUDA_KERNEL(
    "extern \"C\" __global__ void sum_tuple(const float* a, const float* b, const float* c,\n"
    "                                     const float* d, float* sums, float* scratch) {\n"
    "  const int i = threadIdx.x, n = blockDim.x;\n"
    "  float *from = scratch, *to = scratch + n;\n"
    "  from[i] = i < 32 ? a[i] : i < 96 ? b[i - 32] : i < 224 ? c[i - 96] : i < 480 ? d[i - 224]\n"
    "                                                                               : 0;\n"
    "  for (int distance = 1; distance < n; distance *= 2) {\n"
    "    __syncthreads();\n"
    "    to[i] = from[i] + (i < distance ? 0 : from[i - distance]);\n"
    "    float* const full = to;\n"
    "    to = from;\n"
    "    from = full;\n"
    "  }\n"
    "  sums[i] = from[i];\n"
    "}\n",
    "sum_tuple");

TN_UNTYPED_ON("CUDA", "sum_tuple", sum_tuple_cuda, "running sums of a nested tuple")
void sum_tuple_cuda(void* stream, void** buffers, const char* opaque, size_t opaque_size) {
  void* parameters[BUFFERS];
  (void)opaque, (void)opaque_size;
  for (int i = 0; i < BUFFERS; ++i) parameters[i] = &buffers[i];
  (void)cuda_launch(&kernel, stream, 1, SUM_COUNT, parameters);
}

TN_LIBRARY(sum_tuple_cuda)
