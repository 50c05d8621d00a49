// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What devices and their queues have in common whose memory a driver allocates and the host cannot
// see, and whose streams are threads of the host.
#ifndef TENON_DEVICE_DISCRETE_H_
#define TENON_DEVICE_DISCRETE_H_

#include "device/code_cache.h"
#include "device/copy.h"
#include "device/cpu/stream.h"
#include "device/driver.h"
#include "device/memory_cache.h"
#include "device/queue_memory.h"

// The beginning of such a device.
typedef struct tn_discrete_device {
  tn_device_t base;
  tn_memory_cache_t* memory;
  tn_copy_fn copy_now;  // from and to any memory
} tn_discrete_device_t;

// A new one of `byte_size` bytes, number `number` of its driver; what is the driver's own is zeros.
TN_MUST_USE tn_status_t tn__discrete_create(size_t byte_size, const tn_device_vtable_t* vtable,
                                            const tn_compile_target_t* target,
                                            const tn_device_driver_t* driver, unsigned number,
                                            const tn_device_options_t* options, tn_copy_fn copy_now,
                                            tn_discrete_device_t** out_device);

// The beginning of such a device's queue.
typedef struct tn_discrete_queue {
  tn_encoder_t encoder;    // first
  tn_code_list_t kernels;  // of this queue alone
  tn_queue_memory_t memory;
  tn_queue_memory_t earlier;  // while it is captured: of what was encoded before
} tn_discrete_queue_t;

// One whose encoder lacks only its stream, dispatch and copy.
tn_discrete_queue_t tn__discrete_queue(tn_device_t* device);
void tn__discrete_queue_deinit(tn_discrete_queue_t* queue);
tn_encoder_t* tn__discrete_queue_encoder(tn_queue_t* queue);
// The vtable's functions of the same names, in whatever the driver needs around them.
TN_MUST_USE tn_status_t tn__discrete_queue_copy_from_host(tn_queue_t* queue, tn_memory_t to,
                                                          const void* from, size_t byte_size);
TN_MUST_USE tn_status_t tn__discrete_queue_copy_to_host(tn_queue_t* queue, void* to,
                                                        tn_memory_t from, size_t byte_size);
// Runs the kernel, which encodes its launches.
TN_MUST_USE tn_status_t tn__discrete_queue_run(tn_discrete_queue_t* queue,
                                               const tn_launch_t* launch);

TN_MUST_USE tn_status_t tn__discrete_allocate(tn_device_t* device, size_t byte_size,
                                              size_t alignment, tn_memory_t* out_memory);
void tn__discrete_free(tn_device_t* device, tn_memory_t memory);
void tn__discrete_statistics(const tn_device_t* device, tn_memory_statistics_t* out_statistics);
void tn__discrete_reset_peak(tn_device_t* device);
void tn__discrete_set_memory_limit(tn_device_t* device, size_t byte_size);
void tn__discrete_set_cache_limit(tn_device_t* device, size_t byte_size);
void tn__discrete_trim(tn_device_t* device, size_t keep_byte_size);
void* tn__discrete_host_pointer(tn_device_t* device, tn_memory_t memory);
TN_MUST_USE tn_status_t tn__discrete_wrap_host(tn_device_t* device, void* data, size_t byte_size,
                                               tn_memory_t* out_memory);
void tn__discrete_unwrap_host(tn_device_t* device, tn_memory_t memory);
TN_MUST_USE tn_status_t tn__discrete_copy_from_host(tn_device_t* device, tn_stream_t* stream,
                                                    tn_memory_t to, const void* from,
                                                    size_t byte_size);
TN_MUST_USE tn_status_t tn__discrete_copy_to_host(tn_device_t* device, tn_stream_t* stream,
                                                  void* to, tn_memory_t from, size_t byte_size);
TN_MUST_USE tn_status_t tn__discrete_copy(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                                          tn_memory_t from, size_t byte_size);
void* tn__discrete_stream_native(tn_stream_t* stream);

// All of the vtable but destroy and the functions of queues.
#define TN_DISCRETE_FUNCTIONS                                                             \
  .allocate = tn__discrete_allocate, .free = tn__discrete_free,                           \
  .statistics = tn__discrete_statistics, .reset_peak = tn__discrete_reset_peak,           \
  .set_memory_limit = tn__discrete_set_memory_limit,                                      \
  .set_cache_limit = tn__discrete_set_cache_limit, .trim = tn__discrete_trim,             \
  .host_pointer = tn__discrete_host_pointer, .wrap_host = tn__discrete_wrap_host,         \
  .unwrap_host = tn__discrete_unwrap_host, .copy_from_host = tn__discrete_copy_from_host, \
  .copy_to_host = tn__discrete_copy_to_host, .copy = tn__discrete_copy,                   \
  .stream_create = tn__cpu_stream_create, .stream_destroy = tn__cpu_stream_destroy,       \
  .stream_enqueue = tn__cpu_stream_enqueue, .stream_record = tn__cpu_stream_record,       \
  .stream_wait = tn__cpu_stream_wait, .stream_synchronize = tn__cpu_stream_synchronize,   \
  .stream_is_idle = tn__cpu_stream_is_idle, .stream_native = tn__discrete_stream_native

#endif  // TENON_DEVICE_DISCRETE_H_
