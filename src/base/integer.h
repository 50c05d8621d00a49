// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What sizes are computed with. Where nothing else is said, numbers are at least 0 and results fit.
#ifndef TENON_BASE_INTEGER_H_
#define TENON_BASE_INTEGER_H_

#include <stddef.h>
#include <stdint.h>

// The lesser of any two.
static inline int64_t tn__least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// a / b, rounded up, of any a and b > 0.
static inline int64_t tn__ceil_divide(int64_t a, int64_t b) {
  return a / b + (a % b > 0);
}

enum { TN_LINE_BYTES = 64 };  // of memory, at which a piece of scratch memory begins

// The next multiple of b > 0, which wraps around within b of the largest number.
static inline size_t tn__align_up(size_t a, size_t b) {
  return (a + b - 1) / b * b;
}

#endif  // TENON_BASE_INTEGER_H_
