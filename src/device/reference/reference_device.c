// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// `reference`: the device that the others are compared with. Its kernels are written to be read,
// its memory has addresses that the host cannot follow, and it runs beside the host: whatever is
// right by luck on the CPU is an error here. It is also the example for new devices.
#include <string.h>

#include "device/copy.h"
#include "device/cpu/stream.h"
#include "device/driver.h"
#include "device/reference/memory.h"
#include "device/reference/queue.h"

typedef struct reference_device {
  tn_device_t base;
  tn_reference_memory_t memory;
} reference_device_t;

static tn_reference_memory_t* memory_of(tn_device_t* device) {
  return &((reference_device_t*)device)->memory;
}

static void destroy(tn_device_t* device) {
  const tn_allocator_t* allocator = device->allocator;
  tn__device_deinit(device);
  tn__free(allocator, device, sizeof(reference_device_t));
}

// ---- memory

static tn_status_t allocate(tn_device_t* device, size_t byte_size, size_t alignment,
                            tn_memory_t* out_memory) {
  *out_memory = (tn_memory_t){NULL, 0};
  return tn__reference_memory_allocate(memory_of(device), byte_size, alignment,
                                       &out_memory->handle);
}

static void free_memory(tn_device_t* device, tn_memory_t memory) {
  tn__reference_memory_free(memory_of(device), memory.handle);
}

static void statistics(const tn_device_t* device, tn_memory_statistics_t* out_statistics) {
  tn__reference_memory_statistics(&((const reference_device_t*)device)->memory, out_statistics);
}

static void reset_peak(tn_device_t* device) {
  tn__reference_memory_reset_peak(memory_of(device));
}

static void set_memory_limit(tn_device_t* device, size_t byte_size) {
  tn__reference_memory_set_limit(memory_of(device), byte_size);
}

// What is freed is gone: nothing is cached.
static void set_cache_limit(tn_device_t* device, size_t byte_size) {
  (void)device;
  (void)byte_size;
}

static void trim(tn_device_t* device, size_t keep_byte_size) {
  (void)device;
  (void)keep_byte_size;
}

static void* host_pointer(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
  return NULL;
}

static tn_status_t wrap_host(tn_device_t* device, void* data, size_t byte_size,
                             tn_memory_t* out_memory) {
  (void)device;
  (void)data;
  (void)byte_size;
  *out_memory = (tn_memory_t){NULL, 0};
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "device reference: its memory is not the host's");
}

static void unwrap_host(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
}

// ---- copies

static tn_status_t copy_bytes(const void* to, const void* from, bool to_device, bool from_device,
                              size_t byte_size) {
  void *target = (void*)to, *source = (void*)from;
  if (to_device) TN_RETURN_IF_ERROR(tn__reference_memory_find(to, &target));
  if (from_device) TN_RETURN_IF_ERROR(tn__reference_memory_find(from, &source));
  if (byte_size) memmove(target, source, byte_size);
  return TN_OK;
}

static tn_status_t to_device_now(tn_device_t* device, void* to, const void* from,
                                 size_t byte_size) {
  (void)device;
  return copy_bytes(to, from, true, false, byte_size);
}

static tn_status_t to_host_now(tn_device_t* device, void* to, const void* from, size_t byte_size) {
  (void)device;
  return copy_bytes(to, from, false, true, byte_size);
}

static tn_status_t within_now(tn_device_t* device, void* to, const void* from, size_t byte_size) {
  (void)device;
  return copy_bytes(to, from, true, true, byte_size);
}

static tn_status_t copy_from_host(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                                  const void* from, size_t byte_size) {
  return tn__copy_in_turn(device, stream, to_device_now, tn__memory_address(to), from, byte_size);
}

static tn_status_t copy_to_host(tn_device_t* device, tn_stream_t* stream, void* to,
                                tn_memory_t from, size_t byte_size) {
  return tn__copy_in_turn(device, stream, to_host_now, to, tn__memory_address(from), byte_size);
}

static tn_status_t copy(tn_device_t* device, tn_stream_t* stream, tn_memory_t to, tn_memory_t from,
                        size_t byte_size) {
  return tn__copy_in_turn(device, stream, within_now, tn__memory_address(to),
                          tn__memory_address(from), byte_size);
}

static void* stream_native(tn_stream_t* stream) {
  (void)stream;
  return NULL;
}

// What takes its turn on a stream is work of the host, as on the CPU.
static const tn_device_vtable_t vtable = {
    .destroy = destroy,
    .allocate = allocate,
    .free = free_memory,
    .statistics = statistics,
    .reset_peak = reset_peak,
    .set_memory_limit = set_memory_limit,
    .set_cache_limit = set_cache_limit,
    .trim = trim,
    .host_pointer = host_pointer,
    .wrap_host = wrap_host,
    .unwrap_host = unwrap_host,
    .copy_from_host = copy_from_host,
    .copy_to_host = copy_to_host,
    .copy = copy,
    .queue_create = tn__reference_queue_create,
    .queue_destroy = tn__reference_queue_destroy,
    .launch = tn__reference_queue_launch,
    .finish = tn__reference_queue_finish,
    .queue_copy_from_host = tn__reference_queue_copy_from_host,
    .queue_copy_to_host = tn__reference_queue_copy_to_host,
    .queue_record = tn__reference_queue_record,
    .queue_wait = tn__reference_queue_wait,
    .mark_destroy = tn__reference_mark_destroy,
    .stream_create = tn__cpu_stream_create,
    .stream_destroy = tn__cpu_stream_destroy,
    .stream_enqueue = tn__cpu_stream_enqueue,
    .stream_record = tn__cpu_stream_record,
    .stream_wait = tn__cpu_stream_wait,
    .stream_synchronize = tn__cpu_stream_synchronize,
    .stream_is_idle = tn__cpu_stream_is_idle,
    .stream_native = stream_native,
};

// ---- driver

static tn_status_t enumerate(tn_device_visit_fn visit, void* user, bool* out_go_on) {
  tn_device_info_t info = {
      .struct_size = sizeof info,
      .name = "reference",
      .platform = tn__compile_target_reference.platform,
      .description = "simple kernels, the reference for other devices",
  };
  *out_go_on = visit(user, &info);
  return TN_OK;
}

static tn_status_t create(unsigned number, const tn_device_options_t* options,
                          tn_device_t** out_device) {
  *out_device = NULL;
  if (number > 0) return tn_status_create(TN_CODE_NOT_FOUND, "there is one reference device");
  tn_status_t status = TN_OK;
  void* storage = NULL;
  tn_pool_t* pool = NULL;
  tn_pool_config_t pool_config = {.thread_count = options->thread_count};
  TN_DONE_IF_ERROR(tn__pool_create(&pool_config, options->allocator, &pool));
  TN_DONE_IF_ERROR(tn__allocate(options->allocator, sizeof(reference_device_t), &storage));
  reference_device_t* device = storage;
  tn__device_init(&device->base, &vtable, "reference", &tn__compile_target_reference, options,
                  pool);
  device->base.memory_alignment = 64;
  tn__reference_memory_init(&device->memory, options->allocator, options->memory_limit_byte_size);
  pool = NULL;
  *out_device = &device->base;
done:
  tn__pool_release(pool);
  return status;
}

const tn_device_driver_t tn__reference_driver = {
    .name = "reference", .enumerate = enumerate, .create = create};
