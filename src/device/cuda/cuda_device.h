// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of a device of CUDA.
#ifndef TENON_DEVICE_CUDA_CUDA_DEVICE_H_
#define TENON_DEVICE_CUDA_CUDA_DEVICE_H_

#include <pthread.h>

#include "device/code_cache.h"
#include "device/cuda/cuda.h"
#include "device/discrete.h"

// Handles of cuBLAS that no queue has (products.c).
typedef struct tn_cuda_handle tn_cuda_handle_t;
typedef struct tn_cuda_handles {
  pthread_mutex_t mutex;
  tn_cuda_handle_t* first;
} tn_cuda_handles_t;

typedef struct tn_cuda_device {
  tn_discrete_device_t discrete;  // first
  const tn_cuda_t* cuda;
  const tn_nvrtc_t* nvrtc;
  int32_t id;
  int32_t major, minor;       // its compute capability
  char architecture[24];      // that kernels are compiled for: "sm_90", or "compute_90" (PTX)
  tn_cu_context_t context;    // the primary one, which other libraries in the process use
  tn_cu_stream_t copies;      // every copy is waited for
  tn_memory_cache_t* pinned;  // of the host
  tn_code_cache_t programs;
  tn_cuda_handles_t handles;
  atomic_int lost;  // the error after which the context can do nothing more; 0: there was none
} tn_cuda_device_t;

// Makes the device's context the calling thread's, until leave, which follows success only. Refuses
// a device that is lost.
TN_MUST_USE tn_status_t tn__cuda_enter(const tn_cuda_device_t* device);
void tn__cuda_leave(const tn_cuda_device_t* device);
// The same, to give something back; false where there is no context, or it is lost with all of it.
bool tn__cuda_enter_to_free(const tn_cuda_device_t* device);
// Around calls that a capture of this thread forbids others.
void tn__cuda_relax(const tn_cuda_device_t* device, int32_t* mode);
// The status of a call. An error that the context does not survive is told here, once: from then on
// the device is lost.
TN_MUST_USE tn_status_t tn__cuda_check(tn_cuda_device_t* device, const char* function,
                                       int32_t error);
// Adds what an error means that the context did not survive. Takes and returns `status`.
tn_status_t tn__cuda_note_loss(const tn_cuda_device_t* device, tn_status_t status);
#define TN_CUDA_CHECK(device, function, ...) \
  tn__cuda_check(device, "cu" #function, (device)->cuda->function(__VA_ARGS__))

// Of parameters, where the driver does not say.
#define TN_CUDA_UNKNOWN_COUNT UINT32_MAX

// programs.c: the compiler of `programs`, which are a tn_cu_module_t, in the device's context.
// `user` is the device.
TN_MUST_USE tn_status_t tn__cuda_choose_architecture(tn_cuda_device_t* device);
TN_MUST_USE tn_status_t tn__cuda_compile(void* user, const tn_device_code_t* code,
                                         void** out_program);
void tn__cuda_release(void* user, void* program);

// products.c
void tn__cuda_handles_init(tn_cuda_handles_t* handles);
void tn__cuda_handles_deinit(tn_cuda_device_t* device);
// Of a queue: its handle, from the first product on, with memory of the queue as its workspace.
typedef struct tn_cuda_products {
  tn_cuda_handle_t* handle;
  void* workspace;
} tn_cuda_products_t;
void tn__cuda_products_give_back(tn_cuda_device_t* device, tn_cuda_products_t* products);
// The device's context is current.
TN_MUST_USE tn_status_t tn__cuda_multiply(tn_cuda_device_t* device, tn_cuda_products_t* products,
                                          tn_encoder_t* encoder, const tn_product_t* product,
                                          const void* lhs, const void* rhs, void* result);

// queue.c: the vtable's functions.
TN_MUST_USE tn_status_t tn__cuda_queue_create(tn_device_t* device, tn_queue_t** out_queue);
void tn__cuda_queue_destroy(tn_queue_t* queue);
TN_MUST_USE tn_status_t tn__cuda_queue_launch(tn_queue_t* queue, const tn_launch_t* launch);
TN_MUST_USE tn_status_t tn__cuda_queue_finish(tn_queue_t* queue, uint32_t* out_tag);
TN_MUST_USE tn_status_t tn__cuda_queue_copy_from_host(tn_queue_t* queue, tn_memory_t to,
                                                      const void* from, size_t byte_size);
TN_MUST_USE tn_status_t tn__cuda_queue_copy_to_host(tn_queue_t* queue, void* to, tn_memory_t from,
                                                    size_t byte_size);
TN_MUST_USE tn_status_t tn__cuda_queue_record(tn_queue_t* queue, void** out_mark);
TN_MUST_USE tn_status_t tn__cuda_queue_wait(tn_queue_t* queue, void* mark);
void tn__cuda_mark_destroy(tn_device_t* device, void* mark);

// graph.c: the functions of graphs, where the driver has them.
void tn__cuda_add_graphs(tn_encoder_t* encoder);

// pinned.c: memory of the host that is pinned. The device is in its context.
TN_MUST_USE tn_status_t tn__cuda_pinned_create(tn_cuda_device_t* device,
                                               const tn_device_options_t* options);
TN_MUST_USE tn_status_t tn__cuda_host_allocate(tn_device_t* device, size_t byte_size,
                                               void** out_data);
void tn__cuda_host_free(tn_device_t* device, void* data);

#endif  // TENON_DEVICE_CUDA_CUDA_DEVICE_H_
