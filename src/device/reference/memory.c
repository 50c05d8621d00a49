// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/reference/memory.h"

#include <inttypes.h>

#include "base/linux/machine_memory.h"

// Not canonical on x86-64 and AArch64: no process has anything there.
#define DEVICE_BIT (UINT64_C(1) << 62)

enum { ALIGNMENT = 64 };

// In front of the bytes.
typedef struct header {
  void* storage;  // of the allocator
  size_t storage_byte_size, byte_size;
} header_t;

static uint64_t limit_of(uint64_t byte_size) {
  return byte_size ? byte_size : UINT64_MAX;
}

void tn__reference_memory_init(tn_reference_memory_t* memory, const tn_allocator_t* allocator,
                               uint64_t limit_byte_size) {
  const uint64_t limit = limit_byte_size ? limit_byte_size : tn__machine_memory();
  *memory = (tn_reference_memory_t){.allocator = allocator};
  atomic_init(&memory->limit_byte_size, limit_of(limit));
}

// Counts the bytes as in use, unless they are more than the limit allows.
static tn_status_t reserve(tn_reference_memory_t* memory, size_t byte_size) {
  const unsigned long long limit = atomic_load(&memory->limit_byte_size);
  unsigned long long in_use = atomic_load(&memory->in_use_byte_size);
  do {
    if (in_use <= limit && byte_size <= limit - in_use) continue;
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                            "device reference: asked for %zu bytes with %llu in use; the limit is "
                            "%llu",
                            byte_size, in_use, limit);
  } while (!atomic_compare_exchange_weak(&memory->in_use_byte_size, &in_use, in_use + byte_size));
  unsigned long long peak = atomic_load(&memory->peak_byte_size);
  while (peak < in_use + byte_size &&
         !atomic_compare_exchange_weak(&memory->peak_byte_size, &peak, in_use + byte_size))
    ;
  return TN_OK;
}

static tn_status_t allocate(const tn_reference_memory_t* memory, size_t byte_size, size_t alignment,
                            char** out_bytes) {
  void* storage = NULL;
  size_t size = 0;
  if (__builtin_add_overflow(byte_size, sizeof(header_t) + alignment, &size)) {
    return tn__status_out_of_memory();
  }
  TN_RETURN_IF_ERROR(tn__allocate(memory->allocator, size, &storage));
  const uintptr_t start = (uintptr_t)storage + sizeof(header_t);
  *out_bytes = (char*)storage + sizeof(header_t) + (-start & (alignment - 1));
  const header_t header = {storage, size, byte_size};
  memcpy(*out_bytes - sizeof header, &header, sizeof header);
  return TN_OK;
}

tn_status_t tn__reference_memory_allocate(tn_reference_memory_t* memory, size_t byte_size,
                                          size_t alignment, void** out_address) {
  char* bytes = NULL;
  *out_address = NULL;
  TN_RETURN_IF_ERROR(reserve(memory, byte_size));
  tn_status_t status =
      allocate(memory, byte_size, alignment > ALIGNMENT ? alignment : ALIGNMENT, &bytes);
  if (status) {
    atomic_fetch_sub(&memory->in_use_byte_size, byte_size);
    return status;
  }
  atomic_fetch_add(&memory->allocation_count, 1);
  *out_address = (void*)((uintptr_t)bytes | DEVICE_BIT);
  return TN_OK;
}

static char* bytes_of(const void* address) {
  return (char*)((uintptr_t)address & ~DEVICE_BIT);
}

void tn__reference_memory_free(tn_reference_memory_t* memory, void* address) {
  header_t header;
  memcpy(&header, bytes_of(address) - sizeof header, sizeof header);
  atomic_fetch_sub(&memory->in_use_byte_size, header.byte_size);
  atomic_fetch_add(&memory->free_count, 1);
  tn__free(memory->allocator, header.storage, header.storage_byte_size);
}

tn_status_t tn__reference_memory_find(const void* address, void** out_bytes) {
  const bool is_devices = (uintptr_t)address & DEVICE_BIT;
  *out_bytes = is_devices ? bytes_of(address) : NULL;
  if (is_devices) return TN_OK;
  return tn_status_create(TN_CODE_INTERNAL,
                          "device reference: %p is an address of the host; expected one of the "
                          "device",
                          address);
}

// --- statistics

void tn__reference_memory_statistics(const tn_reference_memory_t* memory,
                                     tn_memory_statistics_t* out_statistics) {
  const uint64_t in_use = atomic_load(&memory->in_use_byte_size);
  const uint64_t limit = atomic_load(&memory->limit_byte_size);
  *out_statistics = (tn_memory_statistics_t){
      .struct_size = sizeof *out_statistics,
      .in_use_byte_size = in_use,
      .peak_byte_size = atomic_load(&memory->peak_byte_size),
      .reserved_byte_size = in_use,
      .limit_byte_size = limit == UINT64_MAX ? 0 : limit,
      .allocation_count = atomic_load(&memory->allocation_count),
      .free_count = atomic_load(&memory->free_count),
  };
}

void tn__reference_memory_reset_peak(tn_reference_memory_t* memory) {
  atomic_store(&memory->peak_byte_size, atomic_load(&memory->in_use_byte_size));
}

void tn__reference_memory_set_limit(tn_reference_memory_t* memory, uint64_t byte_size) {
  atomic_store(&memory->limit_byte_size, limit_of(byte_size));
}
