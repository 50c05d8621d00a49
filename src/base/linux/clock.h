// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Time for waiting and measuring; has nothing to do with the wall clock.
#ifndef TENON_BASE_LINUX_CLOCK_H_
#define TENON_BASE_LINUX_CLOCK_H_

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// Nanoseconds since some fixed moment; never goes back.
static inline int64_t tn__clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Whether that moment is over. Cheap while it is far: the clock that the kernel advances at each of
// its ticks, every few milliseconds, takes an eighth of the time to read.
static inline bool tn__clock_is_past(int64_t deadline_ns) {
  enum { LONGEST_TICK_NS = 20 * 1000 * 1000 };
  struct timespec tick;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &tick);
  const int64_t tick_ns = (int64_t)tick.tv_sec * 1000000000 + tick.tv_nsec;
  return deadline_ns - tick_ns <= LONGEST_TICK_NS && tn__clock_ns() >= deadline_ns;
}

// The moment that is `timeout_ns` away: INT64_MAX for timeouts that are negative (never) or so long
// that it makes no difference.
static inline int64_t tn__clock_deadline_ns(int64_t timeout_ns) {
  int64_t deadline_ns;
  if (timeout_ns < 0 || __builtin_add_overflow(tn__clock_ns(), timeout_ns, &deadline_ns)) {
    return INT64_MAX;
  }
  return deadline_ns;
}

#endif  // TENON_BASE_LINUX_CLOCK_H_
