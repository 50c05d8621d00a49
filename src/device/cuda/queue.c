// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A stream of CUDA, to which kernels encode their launches.
#include "device/cuda/cuda_device.h"

enum { MOST_ARGUMENTS = 64 };

typedef struct cuda_kernel {
  tn_cu_function_t function;
  uint32_t sizes[MOST_ARGUMENTS];  // of its parameters, where they are known
} cuda_kernel_t;

typedef struct cuda_queue {
  tn_discrete_queue_t base;  // first
  tn_cuda_device_t* device;
  tn_cu_stream_t stream;
  bool is_behind;  // something was launched and not waited for
  tn_cuda_products_t products;
} cuda_queue_t;

static cuda_queue_t* cast_queue(void* queue) {
  return queue;
}

// Drivers before CUDA 12.4 do not tell the parameters.
static tn_status_t read_parameters(tn_cuda_device_t* device, cuda_kernel_t* kernel,
                                   uint32_t* out_count) {
  *out_count = TN_CUDA_UNKNOWN_COUNT;
  if (!device->cuda->FuncGetParamInfo) return TN_OK;
  for (uint32_t i = 0;; ++i) {
    size_t offset = 0, size = 0;
    const int32_t error = device->cuda->FuncGetParamInfo(kernel->function, i, &offset, &size);
    *out_count = i;
    if (error == TN_CU_INVALID_VALUE) return TN_OK;
    TN_RETURN_IF_ERROR(tn__cuda_check(device, "cuFuncGetParamInfo", error));
    if (i < MOST_ARGUMENTS) kernel->sizes[i] = (uint32_t)size;
  }
}

static tn_status_t create_kernel(tn_cuda_device_t* device, const tn_device_code_t* code,
                                 cuda_kernel_t* kernel, tn_known_kernel_t* known) {
  int32_t most_threads = 0;
  TN_RETURN_IF_ERROR(tn__code_cache_find(&device->programs, code, &known->program));
  const int32_t error =
      device->cuda->ModuleGetFunction(&kernel->function, tn__cached_code_program(known->program),
                                      code->entry ? code->entry : TN_ENTRY);
  if (error == TN_CU_NOT_FOUND) return tn__code_missing(code);
  TN_RETURN_IF_ERROR(tn__cuda_check(device, "cuModuleGetFunction", error));
  TN_RETURN_IF_ERROR(TN_CUDA_CHECK(device, FuncGetAttribute, &most_threads,
                                   TN_CU_MOST_THREADS_OF_BLOCK, kernel->function));
  known->greatest_group_size = (size_t)most_threads;
  return read_parameters(device, kernel, &known->parameter_count);
}

static tn_status_t find_kernel(cuda_queue_t* queue, const tn_device_code_t* code,
                               const tn_known_kernel_t** out_kernel) {
  tn_cuda_device_t* device = queue->device;
  const tn_allocator_t* allocator = device->discrete.base.allocator;
  tn_known_kernel_t* next = NULL;
  *out_kernel = tn__code_list_find(&queue->base.kernels, code);
  if (*out_kernel) return TN_OK;
  TN_RETURN_IF_ERROR(tn__code_list_grow(&queue->base.kernels, allocator, &next));
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(cuda_kernel_t), &next->kernel));
  next->code = code;
  next->program = NULL;
  tn_status_t status = create_kernel(device, code, next->kernel, next);
  if (status) {
    tn__cached_code_release(&device->programs, next->program);
    tn__free(allocator, next->kernel, sizeof(cuda_kernel_t));
    return status;
  }
  ++queue->base.kernels.count;
  *out_kernel = next;
  return TN_OK;
}

// As CUDA has it on every device; the driver refuses what is too much for this one.
static tn_status_t check_size(const tn_dispatch_t* dispatch) {
  enum { MOST_BLOCKS_X = INT32_MAX, MOST_BLOCKS = UINT16_MAX, MOST_THREADS = 1024 };
  const size_t *blocks = dispatch->group_count, *threads = dispatch->group_size;
  bool is_small =
      blocks[0] <= MOST_BLOCKS_X && blocks[1] <= MOST_BLOCKS && blocks[2] <= MOST_BLOCKS;
  for (size_t d = 0; d < 3; ++d) is_small &= threads[d] <= MOST_THREADS;
  if (is_small && threads[0] * threads[1] * threads[2] <= MOST_THREADS) return TN_OK;
  return tn_status_create(
      TN_CODE_INVALID_ARGUMENT,
      "the kernel of %s is launched with %zu x %zu x %zu groups of %zu x %zu x %zu items; CUDA has "
      "at most %d x %d x %d groups of %d items",
      dispatch->code->operation, blocks[0], blocks[1], blocks[2], threads[0], threads[1],
      threads[2], (int)MOST_BLOCKS_X, (int)MOST_BLOCKS, (int)MOST_BLOCKS, (int)MOST_THREADS);
}

static tn_status_t check_arguments(const tn_known_kernel_t* kernel, const tn_dispatch_t* dispatch) {
  const cuda_kernel_t* it = kernel->kernel;
  if (dispatch->argument_count > MOST_ARGUMENTS) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "%zu arguments are set; expected at most %d",
                            dispatch->argument_count, (int)MOST_ARGUMENTS);
  }
  if (kernel->parameter_count == TN_CUDA_UNKNOWN_COUNT) return TN_OK;
  TN_RETURN_IF_ERROR(tn__known_kernel_check(kernel, dispatch));
  for (uint32_t i = 0; i < kernel->parameter_count; ++i) {
    const tn_launch_argument_t* argument = &dispatch->arguments[i];
    const size_t size = argument->bytes ? argument->byte_size : sizeof argument->address;
    if (size == it->sizes[i]) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "parameter %u, set to %zu bytes: expected %u",
                            i, size, it->sizes[i]);
  }
  return TN_OK;
}

static tn_status_t start(cuda_queue_t* queue, const tn_known_kernel_t* kernel,
                         const tn_dispatch_t* dispatch) {
  static const char zeros[4096];  // as much as a kernel may take
  const cuda_kernel_t* it = kernel->kernel;
  const size_t *blocks = dispatch->group_count, *threads = dispatch->group_size;
  void* arguments[MOST_ARGUMENTS];
  TN_RETURN_IF_ERROR(check_size(dispatch));
  TN_RETURN_IF_ERROR(tn__known_kernel_check_group(kernel, dispatch));
  TN_RETURN_IF_ERROR(check_arguments(kernel, dispatch));
  // The driver reads as many as there are parameters.
  for (size_t i = 0; i < MOST_ARGUMENTS; ++i) {
    arguments[i] = (void*)zeros;
    if (i >= dispatch->argument_count) continue;
    const tn_launch_argument_t* argument = &dispatch->arguments[i];
    arguments[i] = (void*)(argument->bytes ? argument->bytes : (const void*)&argument->address);
  }
  return TN_CUDA_CHECK(queue->device, LaunchKernel, it->function, (uint32_t)blocks[0],
                       (uint32_t)blocks[1], (uint32_t)blocks[2], (uint32_t)threads[0],
                       (uint32_t)threads[1], (uint32_t)threads[2], 0, queue->stream, arguments,
                       NULL);
}

// The device's context is current.
static tn_status_t dispatch(tn_encoder_t* encoder, const tn_dispatch_t* dispatch) {
  cuda_queue_t* queue = cast_queue(encoder);
  const tn_known_kernel_t* kernel = NULL;
  for (size_t d = 0; d < 3; ++d) {
    if (dispatch->group_count[d] == 0 || dispatch->group_size[d] == 0) return TN_OK;
  }
  TN_RETURN_IF_ERROR(find_kernel(queue, dispatch->code, &kernel));
  return tn__code_locate(dispatch->code, start(queue, kernel, dispatch));
}

static tn_status_t greatest_group_size(tn_encoder_t* encoder, const tn_device_code_t* code,
                                       size_t* out_size) {
  const tn_known_kernel_t* kernel = NULL;
  TN_RETURN_IF_ERROR(find_kernel(cast_queue(encoder), code, &kernel));
  *out_size = kernel->greatest_group_size;
  return TN_OK;
}

static tn_status_t copy(tn_encoder_t* encoder, void* to, const void* from, size_t byte_size) {
  const cuda_queue_t* queue = cast_queue(encoder);
  if (byte_size == 0 || to == from) return TN_OK;
  return TN_CUDA_CHECK(queue->device, MemcpyAsync, (uintptr_t)to, (uintptr_t)from, byte_size,
                       queue->stream);
}

static tn_status_t wait_for_queue(tn_encoder_t* encoder) {
  const cuda_queue_t* queue = cast_queue(encoder);
  TN_RETURN_IF_ERROR(tn__cuda_enter(queue->device));
  tn_status_t status = TN_CUDA_CHECK(queue->device, StreamSynchronize, queue->stream);
  tn__cuda_leave(queue->device);
  return status;
}

static tn_status_t multiply_by_library(tn_encoder_t* encoder, const tn_product_t* product,
                                       const void* lhs, const void* rhs, void* result) {
  cuda_queue_t* queue = cast_queue(encoder);
  return tn__cuda_multiply(queue->device, &queue->products, encoder, product, lhs, rhs, result);
}

tn_status_t tn__cuda_queue_create(tn_device_t* device, tn_queue_t** out_queue) {
  tn_cuda_device_t* it = (tn_cuda_device_t*)device;
  void* memory = NULL;
  *out_queue = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(cuda_queue_t), &memory));
  cuda_queue_t* queue = memory;
  *queue = (cuda_queue_t){.base = tn__discrete_queue(device), .device = it};
  queue->base.encoder.dispatch = dispatch;
  queue->base.encoder.greatest_group_size = greatest_group_size;
  queue->base.encoder.copy = copy;
  queue->base.encoder.wait = wait_for_queue;
  tn__cuda_add_graphs(&queue->base.encoder);
  queue->base.encoder.multiply = multiply_by_library;
  tn_status_t status = tn__cuda_enter(it);
  if (!status) {
    status = TN_CUDA_CHECK(it, StreamCreate, &queue->stream, TN_CU_STREAM_NON_BLOCKING);
    tn__cuda_leave(it);
  }
  if (status) {
    tn__free(device->allocator, queue, sizeof *queue);
    return status;
  }
  queue->base.encoder.stream = queue->stream;
  *out_queue = memory;
  return TN_OK;
}

void tn__cuda_queue_destroy(tn_queue_t* queue) {
  cuda_queue_t* it = cast_queue(queue);
  const tn_allocator_t* allocator = it->device->discrete.base.allocator;
  tn__cuda_products_give_back(it->device, &it->products);
  if (tn__cuda_enter_to_free(it->device)) {
    it->device->cuda->StreamDestroy(it->stream);
    tn__cuda_leave(it->device);
  }
  for (size_t i = 0; i < it->base.kernels.count; ++i) {
    tn__free(allocator, it->base.kernels.kernels[i].kernel, sizeof(cuda_kernel_t));
    tn__cached_code_release(&it->device->programs, it->base.kernels.kernels[i].program);
  }
  tn__discrete_queue_deinit(&it->base);
  tn__free(allocator, it, sizeof *it);
}

tn_status_t tn__cuda_queue_launch(tn_queue_t* queue, const tn_launch_t* launch) {
  cuda_queue_t* it = cast_queue(queue);
  TN_RETURN_IF_ERROR(tn__cuda_enter(it->device));
  it->is_behind = true;
  tn_status_t status = tn__discrete_queue_run(&it->base, launch);
  tn__cuda_leave(it->device);
  return status;
}

tn_status_t tn__cuda_queue_finish(tn_queue_t* queue, uint32_t* out_tag) {
  cuda_queue_t* it = cast_queue(queue);
  const bool is_behind = it->is_behind;
  *out_tag = TN_LAUNCH_UNKNOWN;
  it->is_behind = false;
  tn_status_t status = wait_for_queue(&it->base.encoder);
  tn__queue_memory_clear(&it->base.memory);
  // Another thread may have seen the loss first; what was launched here is part of it.
  const int32_t lost = atomic_load(&it->device->lost);
  if (tn_status_code(status) != TN_CODE_UNAVAILABLE || !is_behind || !lost) return status;
  tn_status_release(status);
  return tn__cuda_note_loss(it->device,
                            tn__cuda_status(it->device->cuda, "cuStreamSynchronize", lost));
}

tn_status_t tn__cuda_queue_copy_from_host(tn_queue_t* queue, tn_memory_t to, const void* from,
                                          size_t byte_size) {
  cuda_queue_t* it = cast_queue(queue);
  TN_RETURN_IF_ERROR(tn__cuda_enter(it->device));
  it->is_behind = true;
  tn_status_t status = tn__discrete_queue_copy_from_host(queue, to, from, byte_size);
  tn__cuda_leave(it->device);
  return status;
}

tn_status_t tn__cuda_queue_copy_to_host(tn_queue_t* queue, void* to, tn_memory_t from,
                                        size_t byte_size) {
  cuda_queue_t* it = cast_queue(queue);
  TN_RETURN_IF_ERROR(tn__cuda_enter(it->device));
  it->is_behind = true;
  tn_status_t status = tn__discrete_queue_copy_to_host(queue, to, from, byte_size);
  tn__cuda_leave(it->device);
  return status;
}

// ---- marks are events

static tn_status_t record(const cuda_queue_t* queue, tn_cu_event_t* out_event) {
  tn_cuda_device_t* device = queue->device;
  tn_cu_event_t event = NULL;
  TN_RETURN_IF_ERROR(TN_CUDA_CHECK(device, EventCreate, &event, TN_CU_EVENT_WITHOUT_TIME));
  tn_status_t status = TN_CUDA_CHECK(device, EventRecord, event, queue->stream);
  if (status) {
    device->cuda->EventDestroy(event);
    return status;
  }
  *out_event = event;
  return TN_OK;
}

tn_status_t tn__cuda_queue_record(tn_queue_t* queue, void** out_mark) {
  const cuda_queue_t* it = cast_queue(queue);
  tn_cu_event_t event = NULL;
  *out_mark = NULL;
  TN_RETURN_IF_ERROR(tn__cuda_enter(it->device));
  tn_status_t status = record(it, &event);
  tn__cuda_leave(it->device);
  *out_mark = event;
  return status;
}

tn_status_t tn__cuda_queue_wait(tn_queue_t* queue, void* mark) {
  const cuda_queue_t* it = cast_queue(queue);
  TN_RETURN_IF_ERROR(tn__cuda_enter(it->device));
  tn_status_t status = TN_CUDA_CHECK(it->device, StreamWaitEvent, it->stream, mark, 0);
  tn__cuda_leave(it->device);
  return status;
}

void tn__cuda_mark_destroy(tn_device_t* device, void* mark) {
  const tn_cuda_device_t* it = (tn_cuda_device_t*)device;
  if (!tn__cuda_enter_to_free(it)) return;
  it->cuda->EventDestroy(mark);
  tn__cuda_leave(it);
}
