// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory that is wanted soon, where the processor cannot know which it is: it is asked for while
// what comes before is worked on.
#ifndef TENON_KERNEL_COMMON_PREFETCH_H_
#define TENON_KERNEL_COMMON_PREFETCH_H_

#include <stdint.h>

// The start of `byte_size` bytes, as far as it pays: what follows the processor asks for itself.
static inline void tn__prefetch_start(const char* start, int64_t byte_size) {
  enum { LINE = 64, MOST = 1024 };
  for (int64_t i = 0; i < byte_size && i < MOST; i += LINE) __builtin_prefetch(start + i);
}

#endif  // TENON_KERNEL_COMMON_PREFETCH_H_
