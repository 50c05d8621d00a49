// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory that a driver allocates, and that is kept when it is freed: drivers take microseconds to
// milliseconds for it. Sizes are rounded up to 8 to the doubling; a block is used again for its
// own size. Thread-safe; no lock is held while the driver is called.
#ifndef TENON_DEVICE_MEMORY_CACHE_H_
#define TENON_DEVICE_MEMORY_CACHE_H_

#include "device/device.h"

// The driver's functions. RESOURCE_EXHAUSTED when there is no memory; what is cached is given back
// then, and it is asked again.
typedef struct tn_memory_source {
  tn_status_t (*allocate)(void* user, size_t byte_size, void** out_address);
  void (*free)(void* user, void* address);
  void* user;
} tn_memory_source_t;

typedef struct tn_memory_cache tn_memory_cache_t;

// `device_name` is for messages, and lives as long as the cache, as the source does. The limits are
// those of tn_device_options_t, of memory that may have `total_byte_size` at most.
TN_MUST_USE tn_status_t tn__memory_cache_create(const tn_memory_source_t* source,
                                                const char* device_name, uint64_t total_byte_size,
                                                const tn_device_options_t* options,
                                                tn_memory_cache_t** out_cache);
// All memory has been given back.
void tn__memory_cache_destroy(tn_memory_cache_t* cache);

// What the vtable's functions of the same names do.
TN_MUST_USE tn_status_t tn__memory_cache_allocate(tn_memory_cache_t* cache, size_t byte_size,
                                                  size_t alignment, tn_memory_t* out_memory);
void tn__memory_cache_free(tn_memory_cache_t* cache, tn_memory_t memory);
void tn__memory_cache_statistics(tn_memory_cache_t* cache, tn_memory_statistics_t* out_statistics);
void tn__memory_cache_reset_peak(tn_memory_cache_t* cache);
void tn__memory_cache_set_limit(tn_memory_cache_t* cache, uint64_t byte_size);
void tn__memory_cache_set_cache_limit(tn_memory_cache_t* cache, uint64_t byte_size);
void tn__memory_cache_trim(tn_memory_cache_t* cache, uint64_t keep_byte_size);

#endif  // TENON_DEVICE_MEMORY_CACHE_H_
