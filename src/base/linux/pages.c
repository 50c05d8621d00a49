// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/linux/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/integer.h"
void* tn__pages_map(size_t byte_size, size_t alignment, int flags) {
  size_t all;
  const int unreserved = flags & TN_PAGES_UNRESERVED ? MAP_NORESERVE : 0;
  if (byte_size > PTRDIFF_MAX - TN_SYSTEM_PAGE_SIZE) return NULL;
  byte_size = tn__align_up(byte_size, TN_SYSTEM_PAGE_SIZE);
  // What is before and behind the aligned part is given back.
  if (__builtin_add_overflow(byte_size, alignment, &all)) return NULL;
  char* mapped =
      mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | unreserved, -1, 0);
  if (mapped == MAP_FAILED) return NULL;
  const size_t before = (0 - (uintptr_t)mapped) % alignment;
  char* base = mapped + before;
  if (before) munmap(mapped, before);
  if (alignment - before) munmap(base + byte_size, alignment - before);
  if (flags & TN_PAGES_HUGE) (void)madvise(base, byte_size, MADV_HUGEPAGE);
  return base;
}

void tn__pages_unmap(void* base, size_t byte_size) {
  munmap(base, byte_size);
}

void* tn__pages_resize(void* base, size_t byte_size, size_t new_byte_size) {
  void* moved = mremap(base, byte_size, new_byte_size, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
}

void tn__pages_purge(void* base, size_t byte_size) {
  madvise(base, byte_size, MADV_DONTNEED);
}

bool tn__pages_protect(void* base, size_t byte_size, tn_pages_access_t access) {
  static const int protections[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
  return mprotect(base, byte_size, protections[access]) == 0;
}

size_t tn__pages_size(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}
