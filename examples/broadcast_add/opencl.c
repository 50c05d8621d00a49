// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The custom calls of kernels.c for devices of OpenCL, where the stream is a command queue and
// buffers are pointers to shared virtual memory. They are called in the place of the host's, by the
// same programs:
//   cc -O3 -shared -fPIC -I <tenon>/include opencl.c -lOpenCL -o libbroadcast_add_opencl.so
//
// A library may as well launch kernels by any other way that puts work on the stream. To have Tenon
// compile them, for CUDA and OpenCL, see ../axpby.
#include <tenon/custom.h>

#include "../opencl.h"

static const char source[] =
    "__kernel void add(__global const float* b, __global const float* c, __global float* a,"
    "                  long b_size, long c_size) {"
    "  const long i = get_global_id(0);"
    "  if (i < c_size) a[i] = b[i % b_size] + c[i];"
    "}";

static cl_int add(cl_command_queue queue, const void* b, const void* c, void* a, int64_t b_size,
                  int64_t c_size) {
  static _Thread_local opencl_kernel_t known;
  const size_t group = 64, items = ((size_t)c_size + group - 1) / group * group;
  const void* const pointers[] = {b, c, a};
  const int64_t sizes[] = {b_size, c_size};
  cl_int error = opencl_find_kernel(&known, queue, source, "add");
  for (cl_uint i = 0; i < 3 && !error; ++i) {
    error = clSetKernelArgSVMPointer(known.kernel, i, pointers[i]);
  }
  for (cl_uint i = 0; i < 2 && !error; ++i) {
    error = clSetKernelArg(known.kernel, 3 + i, sizeof sizes[i], &sizes[i]);
  }
  return error ? error : opencl_launch(&known, queue, items, group);
}

// Untyped: operands and results are in one list, and the sizes are part of the function. It has no
// way to say that it failed: add_sized would take a status (TN_UNTYPED_STATUS_ON).
TN_UNTYPED_ON("OpenCL", "add_fixed", add_fixed_opencl, "a[i] = b[i % 128] + c[i]")
void add_fixed_opencl(void* stream, void** buffers, const char* opaque, size_t opaque_size) {
  (void)opaque, (void)opaque_size;
  (void)add(stream, buffers[0], buffers[1], buffers[2], 128, 2048);
}

// Typed: by the signature of kernels.c.
#define BROADCAST_ADD(ARG, ATTR, RET)      \
  ARG(b, f32, rank(1), "is repeated")      \
  ARG(c, f32, rank(1), "gives the length") \
  RET(a, f32, like(c))

TN_OP_ON("OpenCL", "broadcast_add", 0, broadcast_add_opencl, BROADCAST_ADD,
         "a[i] = b[i % size of b] + c[i]") {
  void* stream = NULL;
  const int64_t b_size = tn_size(call->b), c_size = tn_size(call->c);
  if (b_size == 0 || c_size % b_size) {
    return TN_ERROR(call, INVALID_ARGUMENT, "c has %d elements, which %d of b do not divide",
                    (int)c_size, (int)b_size);
  }
  TN_TRY(tn_stream(call, &stream));
  const cl_int error = add(stream, call->b.data, call->c.data, call->a.data, b_size, c_size);
  return error ? TN_ERROR(call, INTERNAL, "OpenCL's error %d", (int)error) : TN_OK;
}

TN_LIBRARY(add_fixed_opencl, broadcast_add_opencl)
