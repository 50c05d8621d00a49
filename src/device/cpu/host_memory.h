// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The allocator of host buffers. Memory that is freed is kept: the first touch of fresh pages costs
// several times what most kernels do with them.
//
//   up to 128 KiB    blocks of 8 size classes to the doubling, out of slabs
//   up to 1 MiB      spans of 16 KiB pages
//   up to 32 MiB     the same out of arenas with huge pages
//   above            a mapping each, with huge pages, reused for requests of 8/9 its size or more
//
// Thread-safe: a block may be freed by another thread than allocated it. Works on in a forked
// child.
#ifndef TENON_DEVICE_CPU_HOST_MEMORY_H_
#define TENON_DEVICE_CPU_HOST_MEMORY_H_

#include <tenon/detail/device.h>

#include "base/allocator.h"

enum {
  TN_HOST_ALIGNMENT = 64,             // of every block, at least
  TN_HOST_ALIGNMENT_LIMIT = 2 << 20,  // the largest that can be asked for
};

typedef struct tn_host_memory tn_host_memory_t;

typedef struct tn_host_memory_config {
  size_t limit_byte_size;        // of what is handed out; 0: none
  size_t cache_limit_byte_size;  // of what is kept; 0: a quarter of the limit, or of the
                                 // machine's memory
} tn_host_memory_config_t;

// `allocator` serves the bookkeeping, and must outlive the object.
TN_MUST_USE tn_status_t tn__host_memory_create(const tn_host_memory_config_t* config,
                                               const tn_allocator_t* allocator,
                                               tn_host_memory_t** out_memory);
// Every block dies with it.
void tn__host_memory_destroy(tn_host_memory_t* memory);

// Contents are undefined. `alignment` is a power of two up to the limit, or 0 for the least. A
// length of 0 gives a block of its own, too. RESOURCE_EXHAUSTED says what was asked for, what is in
// use, and the limit.
TN_MUST_USE tn_status_t tn__host_memory_allocate(tn_host_memory_t* memory, size_t byte_size,
                                                 size_t alignment, void** out_block);

// False when `block` is none that is allocated here; NULL is fine.
bool tn__host_memory_free(tn_host_memory_t* memory, void* block);

// What the block can hold, at least what was asked for; 0 when it is none.
size_t tn__host_memory_capacity(tn_host_memory_t* memory, const void* block);

void tn__host_memory_statistics(tn_host_memory_t* memory, tn_memory_statistics_t* out_statistics);
void tn__host_memory_reset_peak(tn_host_memory_t* memory);
void tn__host_memory_set_limit(tn_host_memory_t* memory, size_t byte_size);        // 0: none
void tn__host_memory_set_cache_limit(tn_host_memory_t* memory, size_t byte_size);  // trims, too

// Gives cached memory back to the system until no more than `keep_byte_size` is kept.
void tn__host_memory_trim(tn_host_memory_t* memory, size_t keep_byte_size);

#endif  // TENON_DEVICE_CPU_HOST_MEMORY_H_
