// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Sleeping until a word changes. Everything in Tenon that waits, waits here.
#ifndef TENON_BASE_LINUX_FUTEX_H_
#define TENON_BASE_LINUX_FUTEX_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Sleeps while *word is `expected`, until woken or until `deadline_ns` of tn__clock_ns (INT64_MAX:
// no limit). May return early: the caller looks at the word again. False once the deadline has
// passed.
bool tn__futex_wait(atomic_uint* word, unsigned expected, int64_t deadline_ns);

// Wakes at most `count` threads that sleep on the word; INT_MAX for all.
void tn__futex_wake(atomic_uint* word, int count);

// Tells the core that this is a spin loop.
static inline void tn__cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif  // TENON_BASE_LINUX_FUTEX_H_
