// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/discrete.h"

#include <stdio.h>

static tn_memory_cache_t* memory_of(const tn_device_t* device) {
  return ((const tn_discrete_device_t*)device)->memory;
}

tn_status_t tn__discrete_allocate(tn_device_t* device, size_t byte_size, size_t alignment,
                                  tn_memory_t* out_memory) {
  return tn__memory_cache_allocate(memory_of(device), byte_size, alignment, out_memory);
}

void tn__discrete_free(tn_device_t* device, tn_memory_t memory) {
  tn__memory_cache_free(memory_of(device), memory);
}

void tn__discrete_statistics(const tn_device_t* device, tn_memory_statistics_t* out_statistics) {
  tn__memory_cache_statistics(memory_of(device), out_statistics);
}

void tn__discrete_reset_peak(tn_device_t* device) {
  tn__memory_cache_reset_peak(memory_of(device));
}

void tn__discrete_set_memory_limit(tn_device_t* device, size_t byte_size) {
  tn__memory_cache_set_limit(memory_of(device), byte_size);
}

void tn__discrete_set_cache_limit(tn_device_t* device, size_t byte_size) {
  tn__memory_cache_set_cache_limit(memory_of(device), byte_size);
}

void tn__discrete_trim(tn_device_t* device, size_t keep_byte_size) {
  tn__memory_cache_trim(memory_of(device), keep_byte_size);
}

void* tn__discrete_host_pointer(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
  return NULL;
}

tn_status_t tn__discrete_wrap_host(tn_device_t* device, void* data, size_t byte_size,
                                   tn_memory_t* out_memory) {
  (void)data;
  (void)byte_size;
  *out_memory = (tn_memory_t){NULL, 0};
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "device %s: its memory is not the host's",
                          device->name);
}

void tn__discrete_unwrap_host(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
}

static tn_status_t copy_in_turn(tn_device_t* device, tn_stream_t* stream, void* to,
                                const void* from, size_t byte_size) {
  const tn_copy_fn copy_now = ((tn_discrete_device_t*)device)->copy_now;
  if (byte_size == 0 || to == from) return TN_OK;
  return tn__copy_in_turn(device, stream, copy_now, to, from, byte_size);
}

tn_status_t tn__discrete_copy_from_host(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                                        const void* from, size_t byte_size) {
  return copy_in_turn(device, stream, tn__memory_address(to), from, byte_size);
}

tn_status_t tn__discrete_copy_to_host(tn_device_t* device, tn_stream_t* stream, void* to,
                                      tn_memory_t from, size_t byte_size) {
  return copy_in_turn(device, stream, to, tn__memory_address(from), byte_size);
}

tn_status_t tn__discrete_copy(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                              tn_memory_t from, size_t byte_size) {
  return copy_in_turn(device, stream, tn__memory_address(to), tn__memory_address(from), byte_size);
}

void* tn__discrete_stream_native(tn_stream_t* stream) {
  (void)stream;
  return NULL;
}

tn_status_t tn__discrete_create(size_t byte_size, const tn_device_vtable_t* vtable,
                                const tn_compile_target_t* target, const tn_device_driver_t* driver,
                                unsigned number, const tn_device_options_t* options,
                                tn_copy_fn copy_now, tn_discrete_device_t** out_device) {
  enum { ALIGNMENT = 128 };  // a line of a GPU's cache; drivers give more
  const tn_pool_config_t pool_config = {.thread_count = options->thread_count};
  tn_pool_t* pool = NULL;
  void* memory = NULL;
  char name[32];
  *out_device = NULL;
  TN_RETURN_IF_ERROR(tn__pool_create(&pool_config, options->allocator, &pool));
  tn_status_t status = tn__allocate(options->allocator, byte_size, &memory);
  if (status) {
    tn__pool_release(pool);
    return status;
  }
  tn_discrete_device_t* device = memory;
  snprintf(name, sizeof name, "%s:%u", driver->name, number);
  tn__device_init(&device->base, vtable, name, target, options, pool);
  device->base.memory_alignment = ALIGNMENT;
  device->base.ordinal = (int32_t)number;
  device->copy_now = copy_now;
  *out_device = device;
  return TN_OK;
}

// ---- queues

static tn_status_t allocate_behind(tn_encoder_t* encoder, size_t byte_size, size_t alignment,
                                   void** out_address) {
  tn_discrete_queue_t* queue = (tn_discrete_queue_t*)(void*)encoder;  // its first member
  return tn__queue_memory_allocate(&queue->memory, byte_size, alignment, out_address);
}

static void give_up_behind(tn_encoder_t* encoder, const void* address) {
  tn_discrete_queue_t* queue = (tn_discrete_queue_t*)(void*)encoder;
  tn__queue_memory_give_up(&queue->memory, address);
}

tn_discrete_queue_t tn__discrete_queue(tn_device_t* device) {
  return (tn_discrete_queue_t){
      .encoder = {.allocate = allocate_behind, .give_up = give_up_behind},
      .memory = {.device = device},
  };
}

void tn__discrete_queue_deinit(tn_discrete_queue_t* queue) {
  tn__queue_memory_deinit(&queue->memory);
  tn__code_list_deinit(&queue->kernels, queue->memory.device->allocator);
}

tn_encoder_t* tn__discrete_queue_encoder(tn_queue_t* queue) {
  return (tn_encoder_t*)(void*)queue;  // its first member's first
}

tn_status_t tn__discrete_queue_copy_from_host(tn_queue_t* queue, tn_memory_t to, const void* from,
                                              size_t byte_size) {
  tn_encoder_t* encoder = tn__discrete_queue_encoder(queue);
  return encoder->copy(encoder, tn__memory_address(to), from, byte_size);
}

tn_status_t tn__discrete_queue_copy_to_host(tn_queue_t* queue, void* to, tn_memory_t from,
                                            size_t byte_size) {
  tn_encoder_t* encoder = tn__discrete_queue_encoder(queue);
  return encoder->copy(encoder, to, tn__memory_address(from), byte_size);
}

tn_status_t tn__discrete_queue_run(tn_discrete_queue_t* queue, const tn_launch_t* launch) {
  tn_kernel_context_t context = *launch->call->context;
  tn_kernel_call_t call = *launch->call;
  context.encoder = &queue->encoder;
  call.context = &context;
  return launch->kernel->run(&call);
}
