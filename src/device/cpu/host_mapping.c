// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/host_mapping.h"

void* tn__host_map(size_t byte_size, size_t alignment, bool huge) {
  return tn__pages_map(byte_size, alignment, TN_PAGES_UNRESERVED | (huge ? TN_PAGES_HUGE : 0));
}

#ifdef TN_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
void tn__host_forbid(const void* base, size_t byte_size) {
  __asan_poison_memory_region(base, byte_size);
}
void tn__host_allow(const void* base, size_t byte_size) {
  __asan_unpoison_memory_region(base, byte_size);
}
#else
void tn__host_forbid(const void* base, size_t byte_size) {
  (void)base;
  (void)byte_size;
}
void tn__host_allow(const void* base, size_t byte_size) {
  (void)base;
  (void)byte_size;
}
#endif

void tn__host_unmap(void* base, size_t byte_size) {
  tn__host_allow(base, byte_size);  // the next user of these addresses does not expect it
  tn__pages_unmap(base, byte_size);
}

void tn__host_purge(void* base, size_t byte_size) {
  tn__pages_purge(base, byte_size);
}
