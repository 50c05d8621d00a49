// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A command queue, to which kernels encode their launches.
#include <string.h>

#include "device/opencl/opencl_device.h"
#include "kernel/encoder.h"

enum { MOST_HELD = 16 };  // launches that are given to the device together

typedef struct opencl_queue {
  tn_discrete_queue_t base;  // first
  tn_opencl_device_t* device;
  tn_cl_queue_t commands;  // in order
  uint32_t held_count;     // launches since the last flush
} opencl_queue_t;

static opencl_queue_t* cast_queue(void* queue) {
  return queue;
}

static tn_status_t create_kernel(tn_opencl_device_t* device, const tn_device_code_t* code,
                                 tn_known_kernel_t* out_kernel) {
  const tn_opencl_t* cl = device->cl;
  const char* entry = code->entry ? code->entry : TN_ENTRY;
  int32_t error = TN_CL_SUCCESS;
  TN_RETURN_IF_ERROR(tn__code_cache_find(&device->programs, code, &out_kernel->program));
  out_kernel->code = code;
  out_kernel->kernel =
      cl->CreateKernel(tn__cached_code_program(out_kernel->program), entry, &error);
  if (error == TN_CL_INVALID_KERNEL_NAME) return tn__code_missing(code);
  TN_RETURN_IF_ERROR(tn__opencl_status("clCreateKernel", error));
  tn_status_t status =
      TN_OPENCL_CALL(cl, GetKernelInfo, out_kernel->kernel, TN_CL_KERNEL_NUM_ARGS,
                     sizeof out_kernel->parameter_count, &out_kernel->parameter_count, NULL);
  if (!status) {
    status = TN_OPENCL_CALL(cl, GetKernelWorkGroupInfo, out_kernel->kernel, device->id,
                            TN_CL_KERNEL_WORK_GROUP_SIZE, sizeof out_kernel->greatest_group_size,
                            &out_kernel->greatest_group_size, NULL);
  }
  if (status) cl->ReleaseKernel(out_kernel->kernel);
  return status;
}

static tn_status_t find_kernel(opencl_queue_t* queue, const tn_device_code_t* code,
                               const tn_known_kernel_t** out_kernel) {
  tn_opencl_device_t* device = queue->device;
  tn_known_kernel_t* next = NULL;
  *out_kernel = tn__code_list_find(&queue->base.kernels, code);
  if (*out_kernel) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__code_list_grow(&queue->base.kernels, device->discrete.base.allocator, &next));
  next->program = NULL;
  tn_status_t status = create_kernel(device, code, next);
  if (status) {
    tn__cached_code_release(&device->programs, next->program);
    return status;
  }
  ++queue->base.kernels.count;
  *out_kernel = next;
  return TN_OK;
}

// Drivers may hold commands until they are flushed, or waited for.
static tn_status_t flush(opencl_queue_t* queue) {
  queue->held_count = 0;
  return TN_OPENCL_CALL(queue->device->cl, Flush, queue->commands);
}

static tn_status_t set_argument(const tn_opencl_t* cl, tn_cl_kernel_t kernel, uint32_t index,
                                const tn_launch_argument_t* argument) {
  return argument->bytes
             ? TN_OPENCL_CALL(cl, SetKernelArg, kernel, index, argument->byte_size, argument->bytes)
             : TN_OPENCL_CALL(cl, SetKernelArgSVMPointer, kernel, index, argument->address);
}

static tn_status_t set_arguments(const tn_opencl_t* cl, const tn_known_kernel_t* kernel,
                                 const tn_dispatch_t* dispatch) {
  // What an earlier launch has set would serve for what is missing.
  TN_RETURN_IF_ERROR(tn__known_kernel_check(kernel, dispatch));
  for (uint32_t i = 0; i < kernel->parameter_count; ++i) {
    const tn_launch_argument_t* argument = &dispatch->arguments[i];
    TN_RETURN_IF_ERROR(tn_status_prefix(set_argument(cl, kernel->kernel, i, argument),
                                        "parameter %u, set to %zu bytes", i,
                                        argument->bytes ? argument->byte_size : sizeof(void*)));
  }
  return TN_OK;
}

static tn_status_t launch(opencl_queue_t* queue, const tn_known_kernel_t* kernel,
                          const tn_dispatch_t* dispatch, const size_t* item_count) {
  const tn_opencl_t* cl = queue->device->cl;
  TN_RETURN_IF_ERROR(tn__known_kernel_check_group(kernel, dispatch));
  const uint32_t rank = item_count[2] > 1 ? 3 : item_count[1] > 1 ? 2 : 1;
  TN_RETURN_IF_ERROR(set_arguments(cl, kernel, dispatch));
  TN_RETURN_IF_ERROR(TN_OPENCL_CALL(cl, EnqueueNDRangeKernel, queue->commands, kernel->kernel, rank,
                                    NULL, item_count, dispatch->group_size, 0, NULL, NULL));
  return ++queue->held_count < MOST_HELD ? TN_OK : flush(queue);
}

static tn_status_t dispatch(tn_encoder_t* encoder, const tn_dispatch_t* dispatch) {
  opencl_queue_t* queue = cast_queue(encoder);
  const tn_device_code_t* code = dispatch->code;
  const tn_known_kernel_t* kernel = NULL;
  size_t item_count[3];
  for (size_t d = 0; d < 3; ++d) {
    item_count[d] = dispatch->group_count[d] * dispatch->group_size[d];
    if (item_count[d] == 0) return TN_OK;
  }
  TN_RETURN_IF_ERROR(find_kernel(queue, code, &kernel));
  return tn__code_locate(code, launch(queue, kernel, dispatch, item_count));
}

static tn_status_t greatest_group_size(tn_encoder_t* encoder, const tn_device_code_t* code,
                                       size_t* out_size) {
  const tn_known_kernel_t* kernel = NULL;
  TN_RETURN_IF_ERROR(find_kernel(cast_queue(encoder), code, &kernel));
  *out_size = kernel->greatest_group_size;
  return TN_OK;
}

static tn_status_t copy(tn_encoder_t* encoder, void* to, const void* from, size_t byte_size) {
  opencl_queue_t* queue = cast_queue(encoder);
  if (byte_size == 0 || to == from) return TN_OK;
  return TN_OPENCL_CALL(queue->device->cl, EnqueueSVMMemcpy, queue->commands, 0, to, from,
                        byte_size, 0, NULL, NULL);
}

static tn_status_t wait_for_queue(tn_encoder_t* encoder) {
  const opencl_queue_t* queue = cast_queue(encoder);
  return TN_OPENCL_CALL(queue->device->cl, Finish, queue->commands);
}

tn_status_t tn__opencl_queue_create(tn_device_t* device, tn_queue_t** out_queue) {
  void* memory = NULL;
  int32_t error = TN_CL_SUCCESS;
  *out_queue = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(opencl_queue_t), &memory));
  opencl_queue_t* queue = memory;
  *queue =
      (opencl_queue_t){.base = tn__discrete_queue(device), .device = (tn_opencl_device_t*)device};
  queue->base.encoder.dispatch = dispatch;
  queue->base.encoder.greatest_group_size = greatest_group_size;
  queue->base.encoder.copy = copy;
  queue->base.encoder.wait = wait_for_queue;
  queue->commands = queue->device->cl->CreateCommandQueueWithProperties(
      queue->device->context, queue->device->id, NULL, &error);
  if (error != TN_CL_SUCCESS) {
    tn__free(device->allocator, queue, sizeof *queue);
    return tn__opencl_status("clCreateCommandQueueWithProperties", error);
  }
  queue->base.encoder.stream = queue->commands;
  *out_queue = memory;
  return TN_OK;
}

void tn__opencl_queue_destroy(tn_queue_t* queue) {
  opencl_queue_t* it = cast_queue(queue);
  const tn_opencl_t* cl = it->device->cl;
  const tn_allocator_t* allocator = it->device->discrete.base.allocator;
  for (size_t i = 0; i < it->base.kernels.count; ++i) {
    cl->ReleaseKernel(it->base.kernels.kernels[i].kernel);
    tn__cached_code_release(&it->device->programs, it->base.kernels.kernels[i].program);
  }
  cl->ReleaseCommandQueue(it->commands);
  tn__discrete_queue_deinit(&it->base);
  tn__free(allocator, it, sizeof *it);
}

tn_status_t tn__opencl_queue_launch(tn_queue_t* queue, const tn_launch_t* launch) {
  opencl_queue_t* it = cast_queue(queue);
  return tn__discrete_queue_run(&it->base, launch);
}

tn_status_t tn__opencl_queue_finish(tn_queue_t* queue, uint32_t* out_tag) {
  opencl_queue_t* it = cast_queue(queue);
  *out_tag = TN_LAUNCH_UNKNOWN;
  tn_status_t status = wait_for_queue(&it->base.encoder);
  tn__queue_memory_clear(&it->base.memory);
  return status;
}

// ---- marks are events

// Flushed, or the queues that wait for it would wait indefinitely.
tn_status_t tn__opencl_queue_record(tn_queue_t* queue, void** out_mark) {
  opencl_queue_t* it = cast_queue(queue);
  const tn_opencl_t* cl = it->device->cl;
  tn_cl_event_t event = NULL;
  *out_mark = NULL;
  TN_RETURN_IF_ERROR(TN_OPENCL_CALL(cl, EnqueueMarkerWithWaitList, it->commands, 0, NULL, &event));
  tn_status_t status = flush(it);
  if (status) {
    cl->ReleaseEvent(event);
    return status;
  }
  *out_mark = event;
  return TN_OK;
}

tn_status_t tn__opencl_queue_wait(tn_queue_t* queue, void* mark) {
  const opencl_queue_t* it = cast_queue(queue);
  const tn_cl_event_t event = mark;
  return TN_OPENCL_CALL(it->device->cl, EnqueueBarrierWithWaitList, it->commands, 1, &event, NULL);
}

void tn__opencl_mark_destroy(tn_device_t* device, void* mark) {
  ((tn_opencl_device_t*)device)->cl->ReleaseEvent(mark);
}
