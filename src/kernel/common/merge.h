// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tn_collapse_contiguous_dims (<tenon/detail/strided.h>) of loops, which are structures.
#ifndef TENON_KERNEL_COMMON_MERGE_H_
#define TENON_KERNEL_COMMON_MERGE_H_

#include <tenon/detail/strided.h>

// Takes out loops that go round once, and makes one of adjacent ones where every array allows it.
// Loops are structures of `pitch` int64_t: how often they go round, how far each array goes on with
// every step, and then what stays where it is. Returns how many are left.
static inline size_t tn__merge_loops(size_t count, void* loops, size_t pitch, size_t array_count) {
  int64_t *first = loops, *strides[TN_LOOP_NEST_ARRAY_LIMIT];
  for (size_t k = 0; k < array_count; ++k) strides[k] = first + 1 + k;
  return tn__collapse_dims(count, pitch, first, array_count, strides);
}

// Of an array of structures.
#define TN_MERGE_LOOPS(count, loops, array_count) \
  tn__merge_loops((count), (loops), sizeof *(loops) / sizeof(int64_t), (array_count))

#endif  // TENON_KERNEL_COMMON_MERGE_H_
