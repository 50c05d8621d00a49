// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Allocation failures on demand, for tests. Two things can be refused memory: code that allocates
// through a tn_testing_allocator_t, and code of Tenon that calls malloc, calloc, realloc,
// aligned_alloc, posix_memalign, strdup or strndup itself (test programs are linked with
// -Wl,--wrap for these; calls inside other shared libraries are not seen).
#ifndef TENON_BASE_TESTING_ALLOCATOR_H_
#define TENON_BASE_TESTING_ALLOCATOR_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <tenon/detail/allocator.h>

#include "base/status.h"

// Counts what is live and notices a block that is given back with another size than it was taken
// with. Thread-safe.
typedef struct tn_testing_allocator {
  tn_allocator_t allocator;  // pass &testing.allocator
  atomic_size_t live_byte_size;
  atomic_size_t live_block_count;
  atomic_size_t wrong_size_count;
} tn_testing_allocator_t;

void tn__testing_allocator_init(tn_testing_allocator_t* testing);
// Fails the test when a block is still live or was given back with a wrong size.
void tn__testing_allocator_assert_empty(tn_testing_allocator_t* testing);

// From now on the allocation number `first` (1-based) is refused, and with `all_after` every later
// one too. 0 refuses nothing. Counts in all threads.
void tn__testing_refuse_allocations(size_t first, bool all_after);
// How many were refused since.
size_t tn__testing_refused_allocation_count(void);

// Everything that the attempt makes, it releases again, whether it succeeds or not.
typedef tn_status_t (*tn_testing_attempt_t)(const tn_allocator_t* allocator, void* context);

// Runs the attempt with its 1st, 2nd, 3rd... allocation refused, until one run needs no more than
// was granted; then the same with all later ones refused as well. Each refusal must surface as
// RESOURCE_EXHAUSTED and leave nothing behind; the last run must succeed. Past the 64th allocation
// only samples are tried, unless the environment has TENON_LONG_TESTS.
void tn__testing_sweep_allocations(tn_testing_attempt_t attempt, void* context);

#endif  // TENON_BASE_TESTING_ALLOCATOR_H_
