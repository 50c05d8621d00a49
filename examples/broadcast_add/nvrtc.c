// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The custom calls of kernels.c for CUDA, in C: NVRTC compiles the kernel, and CUDA's driver
// launches it on the stream of the call, whose context is current. They are called in the place of
// the host's, by the same programs:
//   cc -O3 -shared -fPIC -I <tenon>/include -I $CUDA_HOME/include nvrtc.c -lnvrtc -lcuda
//
// cuda.cu is the same for nvcc. To have Tenon compile kernels, for CUDA and OpenCL, see ../axpby.
#include <tenon/custom.h>

#include "../cuda.h"

enum { THREADS = 64 };

static cuda_kernel_t kernel = CUDA_KERNEL(
    "extern \"C\" __global__ void add(const float* b, const float* c, float* a, long long b_size,\n"
    "                               long long c_size) {\n"
    "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < c_size) a[i] = b[i % b_size] + c[i];\n"
    "}\n",
    "add");

static CUresult add(CUstream stream, const void* b, const void* c, void* a, int64_t b_size,
                    int64_t c_size) {
  void* parameters[] = {&b, &c, &a, &b_size, &c_size};
  return cuda_launch(&kernel, stream, (unsigned)((c_size + THREADS - 1) / THREADS), THREADS,
                     parameters);
}

// Untyped: operands and results are in one list, and the sizes are part of the function: 32 groups
// of 64 threads. It has no way to say that it failed: add_sized would take a status
// (TN_UNTYPED_STATUS_ON).
TN_UNTYPED_ON("CUDA", "add_fixed", add_fixed_cuda, "a[i] = b[i % 128] + c[i]")
void add_fixed_cuda(void* stream, void** buffers, const char* opaque, size_t opaque_size) {
  (void)opaque, (void)opaque_size;
  (void)add(stream, buffers[0], buffers[1], buffers[2], 128, 2048);
}

// Typed: by the signature of kernels.c.
#define BROADCAST_ADD(ARG, ATTR, RET)      \
  ARG(b, f32, rank(1), "is repeated")      \
  ARG(c, f32, rank(1), "gives the length") \
  RET(a, f32, like(c))

TN_OP_ON("CUDA", "broadcast_add", 0, broadcast_add_cuda, BROADCAST_ADD,
         "a[i] = b[i % size of b] + c[i]") {
  void* stream = NULL;
  const int64_t b_size = tn_size(call->b), c_size = tn_size(call->c);
  if (b_size == 0 || c_size % b_size) {
    return TN_ERROR(call, INVALID_ARGUMENT, "c has %d elements, which %d of b do not divide",
                    (int)c_size, (int)b_size);
  }
  TN_TRY(tn_stream(call, &stream));
  const CUresult error = add(stream, call->b.data, call->c.data, call->a.data, b_size, c_size);
  return error ? TN_ERROR(call, INTERNAL, "%s", cuda_error_name(error)) : TN_OK;
}

TN_LIBRARY(add_fixed_cuda, broadcast_add_cuda)
