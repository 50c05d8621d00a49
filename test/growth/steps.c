// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Counts the basic blocks that a thread runs in code built with -fsanitize-coverage=trace-pc, and
// the bytes that such code hands to the C library, 64 to a step. Built without it.
#include "steps.h"

#include <string.h>

enum { STEP_BYTES = 64 };

static _Thread_local uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void* __real_memcpy(void* to, const void* from, size_t length);
void* __real_memset(void* to, int byte, size_t length);
int __real_memcmp(const void* a, const void* b, size_t length);
void* __wrap_memcpy(void* to, const void* from, size_t length);
void* __wrap_memset(void* to, int byte, size_t length);
int __wrap_memcmp(const void* a, const void* b, size_t length);

void __sanitizer_cov_trace_pc(void) {
  ++steps;
}

void* __wrap_memcpy(void* to, const void* from, size_t length) {
  steps += length / STEP_BYTES;
  return __real_memcpy(to, from, length);
}

void* __wrap_memset(void* to, int byte, size_t length) {
  steps += length / STEP_BYTES;
  return __real_memset(to, byte, length);
}

int __wrap_memcmp(const void* a, const void* b, size_t length) {
  steps += length / STEP_BYTES;
  return __real_memcmp(a, b, length);
}

uint64_t steps_taken(void) {
  return steps;
}
