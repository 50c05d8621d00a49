// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/reference/queue.h"

#include "device/reference/memory.h"

struct tn_queue {
  tn_device_t* device;
  tn_stream_t* stream;  // of threads of the host, as every device's
  uint32_t failed_tag;  // of the first that failed; written by the stream's thread
};

// A launch, with lists of its own.
typedef struct command {
  tn_queue_t* queue;
  const tn_kernel_t* kernel;
  tn_kernel_call_t call;
  uint32_t operand_count, result_count, tag;
  void* places[];  // operands, then results: addresses, and pointers while the kernel runs
} command_t;

static size_t byte_size_of(uint32_t operand_count, uint32_t result_count) {
  return sizeof(command_t) + ((size_t)operand_count + result_count) * sizeof(void*);
}

static tn_status_t run(command_t* command) {
  tn_kernel_call_t call = command->call;
  for (size_t i = 0; i < (size_t)command->operand_count + command->result_count; ++i) {
    TN_RETURN_IF_ERROR(tn__reference_memory_find(command->places[i], &command->places[i]));
  }
  if (call.scratch) TN_RETURN_IF_ERROR(tn__reference_memory_find(call.scratch, &call.scratch));
  call.operands = (const void* const*)command->places;
  call.results = command->places + command->operand_count;
  return command->kernel->run(&call);
}

static tn_status_t work(void* user, tn_status_t poison) {
  command_t* command = user;
  tn_queue_t* queue = command->queue;
  tn_status_t status = poison ? TN_OK : run(command);
  if (status) queue->failed_tag = command->tag;
  tn__free(queue->device->allocator, command,
           byte_size_of(command->operand_count, command->result_count));
  return status;
}

tn_status_t tn__reference_queue_launch(tn_queue_t* queue, const tn_launch_t* launch) {
  const tn_allocator_t* allocator = queue->device->allocator;
  const size_t byte_size = byte_size_of(launch->operand_count, launch->result_count);
  void* storage = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, byte_size, &storage));
  command_t* command = storage;
  *command = (command_t){
      .queue = queue,
      .kernel = launch->kernel,
      .call = *launch->call,
      .operand_count = launch->operand_count,
      .result_count = launch->result_count,
      .tag = launch->tag,
  };
  for (uint32_t i = 0; i < launch->operand_count; ++i) {
    command->places[i] = (void*)launch->call->operands[i];
  }
  for (uint32_t i = 0; i < launch->result_count; ++i) {
    command->places[launch->operand_count + i] = launch->call->results[i];
  }
  tn_status_t status = tn__stream_enqueue(queue->stream, work, command, 0);
  if (status) tn__free(allocator, command, byte_size);
  return status;
}

tn_status_t tn__reference_queue_finish(tn_queue_t* queue, uint32_t* out_tag) {
  tn_status_t status = tn_stream_synchronize(queue->stream);
  *out_tag = queue->failed_tag;
  return status;
}

tn_status_t tn__reference_queue_copy_from_host(tn_queue_t* queue, tn_memory_t to, const void* from,
                                               size_t byte_size) {
  tn_device_t* device = queue->device;
  return device->vtable->copy_from_host(device, queue->stream, to, from, byte_size);
}

tn_status_t tn__reference_queue_copy_to_host(tn_queue_t* queue, void* to, tn_memory_t from,
                                             size_t byte_size) {
  tn_device_t* device = queue->device;
  return device->vtable->copy_to_host(device, queue->stream, to, from, byte_size);
}

tn_status_t tn__reference_queue_record(tn_queue_t* queue, void** out_mark) {
  tn_event_t* mark = NULL;
  *out_mark = NULL;
  TN_RETURN_IF_ERROR(tn_event_create(queue->device, &mark));
  tn_status_t status = tn_stream_record_event(queue->stream, mark);
  if (status) {
    tn_event_release(mark);
    return status;
  }
  *out_mark = mark;
  return TN_OK;
}

tn_status_t tn__reference_queue_wait(tn_queue_t* queue, void* mark) {
  return tn_stream_wait_event(queue->stream, mark);
}

void tn__reference_mark_destroy(tn_device_t* device, void* mark) {
  (void)device;
  tn_event_release(mark);
}

tn_status_t tn__reference_queue_create(tn_device_t* device, tn_queue_t** out_queue) {
  void* storage = NULL;
  *out_queue = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(tn_queue_t), &storage));
  tn_queue_t* queue = storage;
  *queue = (tn_queue_t){.device = device};
  tn_status_t status = tn_stream_create(device, &queue->stream);
  if (status) {
    tn__free(device->allocator, queue, sizeof *queue);
    return status;
  }
  *out_queue = queue;
  return TN_OK;
}

void tn__reference_queue_destroy(tn_queue_t* queue) {
  const tn_allocator_t* allocator = queue->device->allocator;
  tn_stream_release(queue->stream);
  tn__free(allocator, queue, sizeof *queue);
}
