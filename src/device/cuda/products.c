// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of matrices by cuBLAS, on the stream of a queue. A handle takes long to create and has
// memory of its own: queues leave theirs to later ones.
#include "device/cuda/cuda_device.h"
#include "kernel/lib/cublas.h"

struct tn_cuda_handle {
  tn_cuda_handle_t* next;
  tn_cublas_handle_t cublas;
};

static tn_status_t check(const char* function, int32_t error) {
  if (error == TN_CUBLAS_SUCCESS) return TN_OK;
  return tn_status_create(
      error == TN_CUBLAS_ALLOC_FAILED ? TN_CODE_RESOURCE_EXHAUSTED : TN_CODE_INTERNAL,
      "%s: %s (%d)", function, tn__cublas(NULL)->GetStatusName(error), (int)error);
}
#define CHECK(function, ...) check("cublas" #function, tn__cublas(NULL)->function(__VA_ARGS__))

// --- handles

void tn__cuda_handles_init(tn_cuda_handles_t* handles) {
  pthread_mutex_init(&handles->mutex, NULL);
  handles->first = NULL;
}

void tn__cuda_handles_deinit(tn_cuda_device_t* device) {
  tn_cuda_handles_t* handles = &device->handles;
  const bool is_alive = handles->first && tn__cuda_enter_to_free(device);
  while (handles->first) {
    tn_cuda_handle_t* handle = handles->first;
    handles->first = handle->next;
    if (is_alive) tn__cublas(NULL)->Destroy(handle->cublas);
    tn__free(device->discrete.base.allocator, handle, sizeof *handle);
  }
  if (is_alive) tn__cuda_leave(device);
  pthread_mutex_destroy(&handles->mutex);
}

static tn_cuda_handle_t* take_handle(tn_cuda_handles_t* handles) {
  pthread_mutex_lock(&handles->mutex);
  tn_cuda_handle_t* handle = handles->first;
  if (handle) handles->first = handle->next;
  pthread_mutex_unlock(&handles->mutex);
  return handle;
}

void tn__cuda_products_give_back(tn_cuda_device_t* device, tn_cuda_products_t* products) {
  tn_cuda_handle_t* handle = products->handle;
  if (!handle) return;
  pthread_mutex_lock(&device->handles.mutex);
  handle->next = device->handles.first;
  device->handles.first = handle;
  pthread_mutex_unlock(&device->handles.mutex);
  *products = (tn_cuda_products_t){.handle = NULL};
}

static tn_status_t create_handle(const tn_cuda_device_t* device, tn_cuda_handle_t** out_handle) {
  const tn_allocator_t* allocator = device->discrete.base.allocator;
  void* memory = NULL;
  *out_handle = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_cuda_handle_t), &memory));
  tn_cuda_handle_t* handle = memory;
  tn_status_t status = CHECK(Create, &handle->cublas);
  if (status) {
    tn__free(allocator, handle, sizeof *handle);
    return status;
  }
  *out_handle = handle;
  return TN_OK;
}

// The library has memory of its own, for where there is no other.
static tn_status_t set_workspace(const tn_cuda_device_t* device, tn_cuda_products_t* products,
                                 tn_encoder_t* encoder) {
  enum { ALIGNMENT = 256, MEBIBYTE = 1 << 20, HOPPER = 9 };
  const size_t byte_size = (size_t)(device->major >= HOPPER ? 32 : 4) * MEBIBYTE;
  tn_status_t status = encoder->allocate(encoder, byte_size, ALIGNMENT, &products->workspace);
  if (!status) {
    return CHECK(SetWorkspace, products->handle->cublas, products->workspace, byte_size);
  }
  tn_status_release(status);
  return TN_OK;
}

// The queue's memory goes when the queue has finished, and is another one while it is captured.
static tn_status_t get_ready(tn_cuda_device_t* device, tn_cuda_products_t* products,
                             tn_encoder_t* encoder) {
  const tn_discrete_queue_t* queue = (tn_discrete_queue_t*)(void*)encoder;  // its first member
  if (tn__queue_memory_has(&queue->memory, products->workspace)) return TN_OK;
  if (!products->handle) products->handle = take_handle(&device->handles);
  if (!products->handle) TN_RETURN_IF_ERROR(create_handle(device, &products->handle));
  tn_cublas_handle_t cublas = products->handle->cublas;
  TN_RETURN_IF_ERROR(CHECK(SetMathMode, cublas, TN_CUBLAS_NO_REDUCED_SUMS));
  TN_RETURN_IF_ERROR(CHECK(SetStream, cublas, encoder->stream));  // takes the workspace away
  return set_workspace(device, products, encoder);
}

// --- products

static int32_t type_of(tn_dtype_t dtype) {
  switch (dtype) {
    case TN_DTYPE_F16: return TN_CUBLAS_F16;
    case TN_DTYPE_BF16: return TN_CUBLAS_BF16;
    case TN_DTYPE_F64: return TN_CUBLAS_F64;
    case TN_DTYPE_C64: return TN_CUBLAS_C64;
    case TN_DTYPE_C128: return TN_CUBLAS_C128;
    default: return TN_CUBLAS_F32;
  }
}

// Rows are columns to cuBLAS, and so it multiplies the transposed matrices the other way round.
static tn_status_t multiply(tn_cublas_handle_t cublas, const tn_product_t* product, const void* lhs,
                            const void* rhs, void* result) {
  static const float one_f32[2] = {1, 0}, zero_f32[2] = {0, 0};
  static const double one_f64[2] = {1, 0}, zero_f64[2] = {0, 0};
  const int32_t type = type_of(product->dtype), result_type = type_of(product->result_dtype);
  const bool is_double = type == TN_CUBLAS_F64 || type == TN_CUBLAS_C128;
  const int32_t compute = is_double          ? TN_CUBLAS_COMPUTE_F64
                          : product->is_tf32 ? TN_CUBLAS_COMPUTE_TF32
                                             : TN_CUBLAS_COMPUTE_F32;
  const void* one = is_double ? (const void*)one_f64 : one_f32;
  const void* zero = is_double ? (const void*)zero_f64 : zero_f32;
  const tn_product_matrix_t *left = &product->lhs, *right = &product->rhs;
  const int32_t left_form = left->is_transposed ? TN_CUBLAS_TRANSPOSED : TN_CUBLAS_AS_IS;
  const int32_t right_form = right->is_transposed ? TN_CUBLAS_TRANSPOSED : TN_CUBLAS_AS_IS;
  if (product->batch == 1) {
    return CHECK(GemmEx, cublas, right_form, left_form, product->columns, product->rows,
                 product->depth, one, rhs, type, right->stride, lhs, type, left->stride, zero,
                 result, result_type, product->result.stride, compute, TN_CUBLAS_ANY_ALGORITHM);
  }
  return CHECK(GemmStridedBatchedEx, cublas, right_form, left_form, product->columns, product->rows,
               product->depth, one, rhs, type, right->stride, right->batch_stride, lhs, type,
               left->stride, left->batch_stride, zero, result, result_type, product->result.stride,
               product->result.batch_stride, product->batch, compute, TN_CUBLAS_ANY_ALGORITHM);
}

// What failed may be a kernel before, of which the driver knows more.
static tn_status_t explain(tn_cuda_device_t* device, tn_encoder_t* encoder, tn_status_t status) {
  tn_status_t cause = TN_CUDA_CHECK(device, StreamSynchronize, encoder->stream);
  if (!cause) return status;
  tn_status_release(status);
  return cause;
}

tn_status_t tn__cuda_multiply(tn_cuda_device_t* device, tn_cuda_products_t* products,
                              tn_encoder_t* encoder, const tn_product_t* product, const void* lhs,
                              const void* rhs, void* result) {
  tn_status_t status = get_ready(device, products, encoder);
  if (!status) status = multiply(products->handle->cublas, product, lhs, rhs, result);
  return status ? explain(device, encoder, status) : TN_OK;
}

#undef CHECK
