// Stores that go past the caches: of results too large to be found there again, which would first
// be read to be written.
#ifndef TENON_KERNEL_COMMON_STREAMING_H_
#define TENON_KERNEL_COMMON_STREAMING_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Of a result: so much is not found again in the caches by who reads it next. At 8 to 12 MB chains
// of operations take 1.35 times as long this way.
enum { TN_STREAMED_BYTES = 16 << 20 };

// As memcpy. Other threads see the bytes after tn__stream_end.
static inline void tn__stream_bytes(void* to, const void* from, size_t byte_size) {
#ifdef __SSE2__
  char* target = to;
  const char* source = from;
  const size_t head = -(uintptr_t)to & 15;
  if (byte_size >= 64 + head) {
    memcpy(target, source, head);
    target += head, source += head, byte_size -= head;
    for (; byte_size >= 64; target += 64, source += 64, byte_size -= 64) {
      for (size_t i = 0; i < 64; i += 16) {
        _mm_stream_si128((__m128i*)(void*)(target + i),
                         _mm_loadu_si128((const __m128i*)(const void*)(source + i)));
      }
    }
  }
  memcpy(target, source, byte_size);
#else
  memcpy(to, from, byte_size);
#endif
}

static inline void tn__stream_end(void) {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

#endif  // TENON_KERNEL_COMMON_STREAMING_H_
