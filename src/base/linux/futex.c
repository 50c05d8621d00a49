// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/linux/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(atomic_uint) == 4, "the kernel waits on 32-bit words");

bool tn__futex_wait(atomic_uint* word, unsigned expected, int64_t deadline_ns) {
  struct timespec deadline = {
      .tv_sec = (time_t)(deadline_ns / 1000000000),
      .tv_nsec = (long)(deadline_ns % 1000000000),
  };
  // The BITSET form takes an absolute time of the monotonic clock, the plain one a relative time.
  long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
                        deadline_ns == INT64_MAX ? NULL : &deadline, NULL, FUTEX_BITSET_MATCH_ANY);
  return !(result != 0 && errno == ETIMEDOUT);
}

void tn__futex_wake(atomic_uint* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}
