// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory that the host cannot see: an address is where the bytes are with a bit set that no pointer
// has, so that following it faults, and a pointer of the host is told from it.
#ifndef TENON_DEVICE_REFERENCE_MEMORY_H_
#define TENON_DEVICE_REFERENCE_MEMORY_H_

#include "device/device.h"

typedef struct tn_reference_memory {
  const tn_allocator_t* allocator;
  atomic_ullong limit_byte_size;  // UINT64_MAX: none
  atomic_ullong in_use_byte_size, peak_byte_size, allocation_count, free_count;
} tn_reference_memory_t;

// `limit_byte_size` 0: what the machine has.
void tn__reference_memory_init(tn_reference_memory_t* memory, const tn_allocator_t* allocator,
                               uint64_t limit_byte_size);

// What the vtable's functions of the same names do. Thread-safe.
TN_MUST_USE tn_status_t tn__reference_memory_allocate(tn_reference_memory_t* memory,
                                                      size_t byte_size, size_t alignment,
                                                      void** out_address);
void tn__reference_memory_free(tn_reference_memory_t* memory, void* address);
void tn__reference_memory_statistics(const tn_reference_memory_t* memory,
                                     tn_memory_statistics_t* out_statistics);
void tn__reference_memory_reset_peak(tn_reference_memory_t* memory);
void tn__reference_memory_set_limit(tn_reference_memory_t* memory, uint64_t byte_size);

// Where the bytes are. INTERNAL when it is no address of the device.
TN_MUST_USE tn_status_t tn__reference_memory_find(const void* address, void** out_bytes);

#endif  // TENON_DEVICE_REFERENCE_MEMORY_H_
