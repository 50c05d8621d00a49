// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The custom calls of kernels.c for CUDA, as nvcc compiles them: the kernel is launched on the
// stream of the call, whose context is current. They are called in the place of the host's, by the
// same programs:
//   nvcc -O3 -shared -Xcompiler -fPIC -I <tenon>/include cuda.cu -o libbroadcast_add_cuda.so
//
// nvrtc.c is the same without nvcc. To have Tenon compile kernels, for CUDA and OpenCL, see
// ../axpby.
#include <tenon/custom.h>

static const int threads = 64;

static __global__ void add_kernel(const float* b, const float* c, float* a, int64_t b_size,
                                  int64_t c_size) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < c_size) a[i] = b[i % b_size] + c[i];
}

static cudaError_t add(void* stream, const void* b, const void* c, void* a, int64_t b_size,
                       int64_t c_size) {
  const unsigned groups = (unsigned)((c_size + threads - 1) / threads);
  if (groups == 0) return cudaSuccess;
  add_kernel<<<groups, threads, 0, (cudaStream_t)stream>>>((const float*)b, (const float*)c,
                                                           (float*)a, b_size, c_size);
  return cudaGetLastError();
}

// Untyped: operands and results are in one list, and the sizes are part of the function: 32 groups
// of 64 threads. It has no way to say that it failed: add_sized would take a status
// (TN_UNTYPED_STATUS_ON).
TN_UNTYPED_ON("CUDA", "add_fixed", add_fixed_cuda, "a[i] = b[i % 128] + c[i]")
void add_fixed_cuda(void* stream, void** buffers, const char*, size_t) {
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
  const cudaError_t error = add(stream, call->b.data, call->c.data, call->a.data, b_size, c_size);
  return error ? TN_ERROR(call, INTERNAL, "%s", cudaGetErrorName(error)) : TN_OK;
}

TN_LIBRARY(add_fixed_cuda, broadcast_add_cuda)
