#include "device/cpu/host_mapping.h"

void* tn__host_map(size_t byte_length, size_t alignment, bool huge) {
  return tn__pages_map(byte_length, alignment, TN_PAGES_UNRESERVED | (huge ? TN_PAGES_HUGE : 0));
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
  tn__pages_unmap(base, byte_length);
}

void tn__host_purge(void* base, size_t byte_length) {
  tn__pages_purge(base, byte_length);
}
