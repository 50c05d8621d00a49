// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/cpu_device.h"

#include <stdio.h>
#include <string.h>

#include "base/linux/machine_memory.h"
#include "device/cpu/stream.h"
#include "device/driver.h"

// Below this a copy is over before another thread has begun.
enum { COPY_GRAIN = 1 << 20 };

typedef struct cpu_device {
  tn_device_t base;
  tn_host_memory_t* memory;
} cpu_device_t;

static cpu_device_t* cast(tn_device_t* device) {
  return (cpu_device_t*)device;
}

static void destroy(tn_device_t* device) {
  const tn_allocator_t* allocator = device->allocator;
  tn__device_deinit(device);
  tn__host_memory_destroy(cast(device)->memory);
  tn__free(allocator, device, sizeof(cpu_device_t));
}

// ---- memory

static tn_status_t allocate(tn_device_t* device, size_t byte_size, size_t alignment,
                            tn_memory_t* out_memory) {
  *out_memory = (tn_memory_t){NULL, 0};
  return tn__host_memory_allocate(cast(device)->memory, byte_size, alignment, &out_memory->handle);
}

static void free_memory(tn_device_t* device, tn_memory_t memory) {
  tn__host_memory_free(cast(device)->memory, memory.handle);
}

static void statistics(const tn_device_t* device, tn_memory_statistics_t* out_statistics) {
  tn__host_memory_statistics(((const cpu_device_t*)device)->memory, out_statistics);
}

static void reset_peak(tn_device_t* device) {
  tn__host_memory_reset_peak(cast(device)->memory);
}

static void set_memory_limit(tn_device_t* device, size_t byte_size) {
  tn__host_memory_set_limit(cast(device)->memory, byte_size);
}

static void set_cache_limit(tn_device_t* device, size_t byte_size) {
  tn__host_memory_set_cache_limit(cast(device)->memory, byte_size);
}

static void trim(tn_device_t* device, size_t keep_byte_size) {
  tn__host_memory_trim(cast(device)->memory, keep_byte_size);
}

static void* host_pointer(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  return tn__memory_address(memory);
}

static tn_status_t wrap_host(tn_device_t* device, void* data, size_t byte_size,
                             tn_memory_t* out_memory) {
  (void)byte_size;
  *out_memory = (tn_memory_t){NULL, 0};
  if ((uintptr_t)data % device->memory_alignment != 0) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "memory at %p is not %zu-byte aligned", data,
                            device->memory_alignment);
  }
  out_memory->handle = data;
  return TN_OK;
}

static void unwrap_host(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
}

// ---- copies

typedef struct copy_job {
  char* to;
  const char* from;
  size_t byte_size;
  tn_device_t* device;  // retained while the job is enqueued
} copy_job_t;

static tn_status_t copy_range(int64_t begin, int64_t end, void* user) {
  const copy_job_t* job = user;
  memmove(job->to + begin, job->from + begin, (size_t)(end - begin));
  return TN_OK;
}

static tn_status_t copy_now(copy_job_t job) {
  if (job.byte_size == 0 || job.to == job.from) return TN_OK;
  bool overlap = job.to < job.from + job.byte_size && job.from < job.to + job.byte_size;
  tn_pool_t* pool = overlap ? NULL : job.device->pool;
  return tn__pool_parallel_for(pool, (int64_t)job.byte_size, COPY_GRAIN, copy_range, &job);
}

static tn_status_t copy_in_turn(void* user, tn_status_t poison) {
  copy_job_t* job = user;
  tn_status_t status = poison ? TN_OK : copy_now(*job);
  tn_device_t* device = job->device;
  tn__free(device->allocator, job, sizeof *job);
  tn_device_release(device);
  return status;
}

static tn_status_t copy_bytes(tn_device_t* device, tn_stream_t* stream, void* to, const void* from,
                              size_t byte_size) {
  copy_job_t job = {.to = to, .from = from, .byte_size = byte_size, .device = device};
  if (!stream) return copy_now(job);
  void* memory;
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof job, &memory));
  copy_job_t* enqueued = memory;
  *enqueued = job;
  tn_device_retain(device);
  tn_status_t status = tn__stream_enqueue(stream, copy_in_turn, enqueued,
                                          byte_size <= COPY_GRAIN ? TN_STREAM_MAY_RUN_INLINE : 0);
  if (status) {
    tn__free(device->allocator, enqueued, sizeof *enqueued);
    tn_device_release(device);
  }
  return status;
}

static tn_status_t copy_from_host(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                                  const void* from, size_t byte_size) {
  return copy_bytes(device, stream, tn__memory_address(to), from, byte_size);
}

static tn_status_t copy_to_host(tn_device_t* device, tn_stream_t* stream, void* to,
                                tn_memory_t from, size_t byte_size) {
  return copy_bytes(device, stream, to, tn__memory_address(from), byte_size);
}

static tn_status_t copy(tn_device_t* device, tn_stream_t* stream, tn_memory_t to, tn_memory_t from,
                        size_t byte_size) {
  return copy_bytes(device, stream, tn__memory_address(to), tn__memory_address(from), byte_size);
}

static void* stream_native(tn_stream_t* stream) {
  (void)stream;
  return NULL;
}

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
    .stream_create = tn__cpu_stream_create,
    .stream_destroy = tn__cpu_stream_destroy,
    .stream_enqueue = tn__cpu_stream_enqueue,
    .stream_record = tn__cpu_stream_record,
    .stream_wait = tn__cpu_stream_wait,
    .stream_synchronize = tn__cpu_stream_synchronize,
    .stream_is_idle = tn__cpu_stream_is_idle,
    .stream_native = stream_native,
};

tn_host_memory_t* tn__cpu_device_memory(tn_device_t* device) {
  return device->vtable == &vtable ? cast(device)->memory : NULL;
}

// ---- driver

static const char* architecture(void) {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "AArch64";
#else
  return "unknown architecture";
#endif
}

static tn_status_t enumerate(tn_device_visit_fn visit, void* user, bool* out_go_on) {
  tn_cores_t cores;
  tn__cores_init(&cores);
  char description[64];
  snprintf(description, sizeof description, "%d %s, %s", cores.count,
           cores.count == 1 ? "core" : "cores", architecture());
  tn_device_info_t info = {
      .struct_size = sizeof info,
      .name = "cpu",
      .platform = tn__compile_target_host.platform,
      .description = description,
      .memory_byte_size = tn__machine_memory(),
  };
  *out_go_on = visit(user, &info);
  return TN_OK;
}

static tn_status_t create(unsigned number, const tn_device_options_t* options,
                          tn_device_t** out_device) {
  *out_device = NULL;
  if (number > 0) return tn_status_create(TN_CODE_NOT_FOUND, "there is one CPU device");
  tn_status_t status = TN_OK;
  void* storage = NULL;
  cpu_device_t* device = NULL;
  tn_pool_t* pool = NULL;
  tn_host_memory_t* memory = NULL;

  tn_pool_config_t pool_config = {.thread_count = options->thread_count};
  TN_DONE_IF_ERROR(tn__pool_create(&pool_config, options->allocator, &pool));
  tn_host_memory_config_t memory_config = {
      .limit_byte_size =
          options->memory_limit_byte_size ? options->memory_limit_byte_size : tn__machine_memory(),
      .cache_limit_byte_size = options->cache_limit_byte_size,
  };
  TN_DONE_IF_ERROR(tn__host_memory_create(&memory_config, options->allocator, &memory));
  TN_DONE_IF_ERROR(tn__allocate(options->allocator, sizeof *device, &storage));
  device = storage;
  tn__device_init(&device->base, &vtable, "cpu", &tn__compile_target_host, options, pool);
  device->base.memory_alignment = TN_HOST_ALIGNMENT;
  device->memory = memory;
  pool = NULL;
  memory = NULL;
  *out_device = &device->base;

done:
  tn__host_memory_destroy(memory);
  tn__pool_release(pool);
  return status;
}

const tn_device_driver_t tn__cpu_driver = {.name = "cpu", .enumerate = enumerate, .create = create};
