// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random programs, as StableHLO text: arithmetic, shapes, reductions, loops, branches, tuples and
// calls in any mixture. The same seed gives the same text everywhere.
#ifndef TENON_PLAN_TESTING_RANDOM_H_
#define TENON_PLAN_TESTING_RANDOM_H_

#include <stddef.h>
#include <stdint.h>

typedef struct tn_testing_random {
  uint64_t seed;
  size_t operation_count;  // about so many in the entry
  size_t function_count;   // besides the entry, each calling earlier ones
  size_t region_depth;     // of loops and branches inside one another
} tn_testing_random_t;

// A module with a function @main of a few arguments and results, all tensors or tuples of them.
// NUL-terminated; the caller frees it with free(). NULL without memory.
char* tn__testing_random_program(const tn_testing_random_t* options);

#endif  // TENON_PLAN_TESTING_RANDOM_H_
