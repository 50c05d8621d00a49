// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/device.h"

#include "device/event.h"

#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/process.h"

void tn__device_init(tn_device_t* device, const tn_device_vtable_t* vtable, const char* name,
                     const tn_compile_target_t* target, const tn_device_options_t* options,
                     tn_pool_t* pool) {
  tn_context_t* context = options->context;
  device->vtable = vtable;
  atomic_init(&device->references, 1);
  device->allocator = options->allocator;
  device->context = tn__context_hold(context);
  device->pool = pool;
  device->targets[0] = *target;
  device->targets[1] = *target->host;
  for (size_t i = 0; i < 2; ++i) {
    tn_compile_target_t* own = &device->targets[i];
    own->host = &device->targets[target->is_host ? 0 : 1];
    own->libraries &= context->environment.libraries;
    own->thread_count = tn__pool_thread_count(pool);
    own->fusion_element_count = context->environment.fusion_element_count;
    own->context = context;
  }
  device->target = &device->targets[0];
  snprintf(device->name, sizeof device->name, "%s", name);
}

void tn__device_deinit(tn_device_t* device) {
  tn__pool_release(device->pool);
  tn__context_let_go(device->context);
}

tn_device_t* tn_device_retain(tn_device_t* device) {
  if (device) atomic_fetch_add(&device->references, 1);
  return device;
}

void tn_device_release(tn_device_t* device) {
  if (!device || atomic_fetch_sub(&device->references, 1) != 1 || tn__process_is_forked()) return;
  tn_stream_t* stream = atomic_exchange(&device->own_stream, NULL);
  if (stream) {
    // It has a reference like any other now, which it gives up when its work is done.
    stream->is_own = false;
    atomic_store(&device->references, 1);
    device->vtable->stream_destroy(stream);
    return;
  }
  device->vtable->destroy(device);
}

tn_status_t tn__device_explain(tn_status_t status, const tn_device_t* a, const tn_device_t* b) {
  const char* why = "";
  if (a->context != b->context) {
    why = ": they belong to two contexts, which share nothing";
  } else if (strcmp(a->name, b->name) == 0) {
    why = ": each tn_device_create makes one of its own";
  }
  return tn_status_note(status, "the devices are %s and %s%s", a->name, b->name, why);
}

tn_context_t* tn_device_context(const tn_device_t* device) {
  return device->context;
}
const char* tn_device_name(const tn_device_t* device) {
  return device->name;
}
const char* tn_device_platform(const tn_device_t* device) {
  return device->target->platform;
}
int32_t tn_device_thread_count(const tn_device_t* device) {
  return tn__pool_thread_count(device->pool);
}

void tn_device_memory_statistics(const tn_device_t* device,
                                 tn_memory_statistics_t* out_statistics) {
  tn_memory_statistics_t statistics = {0};
  device->vtable->statistics(device, &statistics);
  tn__options_fill(out_statistics, &statistics, sizeof statistics);
}

void tn_device_reset_peak(tn_device_t* device) {
  device->vtable->reset_peak(device);
}
void tn_device_set_memory_limit(tn_device_t* device, uint64_t byte_size) {
  device->vtable->set_memory_limit(device, byte_size);
}
void tn_device_set_cache_limit(tn_device_t* device, uint64_t byte_size) {
  device->vtable->set_cache_limit(device, byte_size);
}
void tn_device_trim(tn_device_t* device, uint64_t keep_byte_size) {
  device->vtable->trim(device, keep_byte_size);
}

// --- memory of the host for copies

tn_status_t tn__device_take_host(tn_device_t* device, const tn_allocator_t* allocator,
                                 size_t byte_size, tn_host_block_t* out_block) {
  tn_host_block_t block = {.byte_size = byte_size};
  tn_status_t status = TN_OK;
  *out_block = block;
  if (device->vtable->host_allocate && byte_size) {
    status = device->vtable->host_allocate(device, byte_size, &block.data);
    block.is_pinned = !status;
  }
  if (block.is_pinned) {
    memset(block.data, 0, byte_size);
  } else if (!status || tn_status_code(status) == TN_CODE_RESOURCE_EXHAUSTED) {
    tn_status_release(status);
    status = tn__allocate(allocator, byte_size, &block.data);
  }
  if (!status) *out_block = block;
  return status;
}

void tn__device_give_host(tn_device_t* device, const tn_allocator_t* allocator,
                          tn_host_block_t block) {
  if (block.is_pinned) {
    device->vtable->host_free(device, block.data);
  } else {
    tn__free(allocator, block.data, block.byte_size);
  }
}

// --- deferred release of memory

typedef struct release {
  tn_device_t* device;  // retained
  tn_memory_t memory;
} release_t;

static void free_after(void* user, tn_status_t status) {
  release_t* release = user;
  tn_device_t* device = release->device;
  (void)status;
  device->vtable->free(device, release->memory);
  tn__free(device->allocator, release, sizeof *release);
  tn_device_release(device);
}

void tn__device_free(tn_device_t* device, tn_memory_t memory, tn_event_t* after) {
  void* storage = NULL;
  if (!after || tn_event_is_complete(after)) {
    device->vtable->free(device, memory);
    return;
  }
  tn_status_t status = tn__allocate(device->allocator, sizeof(release_t), &storage);
  if (!status) {
    release_t* release = storage;
    *release = (release_t){tn_device_retain(device), memory};
    status = tn_event_on_complete(after, free_after, release);
    if (!status) return;
    tn__free(device->allocator, release, sizeof *release);
    tn_device_release(device);
  }
  tn_failure_t* failure = NULL;
  tn_status_release(status);
  (void)tn__event_await(after, INT64_MAX, &failure);
  device->vtable->free(device, memory);
}
