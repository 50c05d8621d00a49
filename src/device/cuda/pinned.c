// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory of the host that is pinned: copies from and to it are the GPU's own, and the host does not
// wait for them.
#include "device/cuda/cuda_device.h"

// Pinned memory is taken from everybody on the machine.
#define MOST_IN_USE ((uint64_t)256 << 20)
#define MOST_CACHED ((uint64_t)64 << 20)

static tn_status_t allocate_from_driver(void* user, size_t byte_size, void** out_address) {
  tn_cuda_device_t* device = user;
  TN_RETURN_IF_ERROR(tn__cuda_enter(device));
  tn_status_t status =
      TN_CUDA_CHECK(device, MemHostAlloc, out_address, byte_size, TN_CU_HOST_PORTABLE);
  tn__cuda_leave(device);
  return status;
}

static void free_to_driver(void* user, void* address) {
  const tn_cuda_device_t* device = user;
  if (!tn__cuda_enter_to_free(device)) return;
  device->cuda->MemFreeHost(address);
  tn__cuda_leave(device);
}

tn_status_t tn__cuda_pinned_create(tn_cuda_device_t* device, const tn_device_options_t* options) {
  const tn_memory_source_t source = {allocate_from_driver, free_to_driver, device};
  tn_device_options_t limits = *options;
  limits.memory_limit_byte_size = MOST_IN_USE;
  limits.cache_limit_byte_size = MOST_CACHED;
  return tn__memory_cache_create(&source, device->discrete.base.name, MOST_IN_USE, &limits,
                                 &device->pinned);
}

tn_status_t tn__cuda_host_allocate(tn_device_t* device, size_t byte_size, void** out_data) {
  tn_memory_t memory = {NULL, 0};
  tn_status_t status =
      tn__memory_cache_allocate(((tn_cuda_device_t*)device)->pinned, byte_size, 0, &memory);
  *out_data = memory.handle;
  return status;
}

void tn__cuda_host_free(tn_device_t* device, void* data) {
  tn__memory_cache_free(((tn_cuda_device_t*)device)->pinned, (tn_memory_t){data, 0});
}

#undef MOST_IN_USE
#undef MOST_CACHED
