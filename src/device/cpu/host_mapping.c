#include "device/cpu/host_mapping.h"

#include <stdint.h>
#include <sys/mman.h>

void* tn__host_map(size_t byte_length, size_t alignment, bool huge) {
  size_t mapped_length;
  if (__builtin_add_overflow(byte_length, alignment, &mapped_length)) return NULL;
  char* mapped = mmap(NULL, mapped_length, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return NULL;
  size_t head = (alignment - (uintptr_t)mapped % alignment) % alignment;
  char* base = mapped + head;
  if (head) munmap(mapped, head);
  if (alignment - head) munmap(base + byte_length, alignment - head);
  // Transparent huge pages are given only where they are asked for, on most systems. Without them
  // the first touch of a large result costs several times what the computation does.
  if (huge) madvise(base, byte_length, MADV_HUGEPAGE);
  return base;
}

#ifdef TN_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
void tn__host_forbid(const void* base, size_t byte_length) {
  __asan_poison_memory_region(base, byte_length);
}
void tn__host_allow(const void* base, size_t byte_length) {
  __asan_unpoison_memory_region(base, byte_length);
}
#else
void tn__host_forbid(const void* base, size_t byte_length) {
  (void)base;
  (void)byte_length;
}
void tn__host_allow(const void* base, size_t byte_length) {
  (void)base;
  (void)byte_length;
}
#endif

void tn__host_unmap(void* base, size_t byte_length) {
  tn__host_allow(base, byte_length);  // whoever gets these addresses next knows nothing of it
  munmap(base, byte_length);
}

void tn__host_purge(void* base, size_t byte_length) {
  madvise(base, byte_length, MADV_DONTNEED);
}
