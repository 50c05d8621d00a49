// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The custom call of kernels.c for CUDA: cuBLAS multiplies on the stream of the call, whose context
// is current. It is called in the place of the host's, by the same programs:
//   cc -O3 -shared -fPIC -I <tenon>/include -I $CUDA_HOME/include cublas.c -lcublas
#include <cublas_v2.h>
#include <pthread.h>
#include <tenon/custom.h>

// One for each device, which calls of all threads share: a call has it while it sets the stream and
// enqueues, not while the GPU computes.
enum { MOST_DEVICES = 16 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static cublasHandle_t handles[MOST_DEVICES];

// To cuBLAS rows are columns: it computes y transposed, which is w transposed times x transposed.
static cublasStatus_t multiply(int32_t device, void* stream, int rows, int columns, int depth,
                               const float* x, const float* w, float* y) {
  const float one = 1, zero = 0;
  cublasStatus_t status = handles[device] ? CUBLAS_STATUS_SUCCESS : cublasCreate(&handles[device]);
  if (!status) status = cublasSetStream(handles[device], (cudaStream_t)stream);
  if (status) return status;
  return cublasGemmEx(handles[device], CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, depth, &one, w,
                      CUDA_R_32F, columns, x, CUDA_R_32F, depth, &zero, y, CUDA_R_32F, columns,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

// By the signature of kernels.c.
#define PRODUCT(ARG, ATTR, RET) \
  ARG(x, f32, dims(n, k))       \
  ARG(w, f32, dims(k, m))       \
  RET(y, f32, dims(n, m))

TN_OP_ON("CUDA", "product", 0, product_cuda, PRODUCT, "y = x w") {
  const int64_t rows = tn_dim(call->x, 0), depth = tn_dim(call->x, 1), columns = tn_dim(call->w, 1);
  void* stream = NULL;
  int32_t device = 0;
  if (rows < 1 || columns < 1 || depth < 1 || rows > INT32_MAX || columns > INT32_MAX ||
      depth > INT32_MAX) {
    return TN_ERROR(call, INVALID_ARGUMENT, "x is %lldx%lld; expected sizes of 1 to 2147483647",
                    (long long)rows, (long long)depth);
  }
  TN_TRY(tn_stream(call, &stream));
  TN_TRY(tn_device_ordinal(call, &device));
  if (device >= MOST_DEVICES) return TN_ERROR(call, UNIMPLEMENTED, "device number %d", (int)device);
  pthread_mutex_lock(&mutex);
  const cublasStatus_t status = multiply(device, stream, (int)rows, (int)columns, (int)depth,
                                         call->x.data, call->w.data, call->y.data);
  pthread_mutex_unlock(&mutex);
  return status ? TN_ERROR(call, INTERNAL, "%s", cublasGetStatusName(status)) : TN_OK;
}

TN_LIBRARY(product_cuda)
