// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Stable sorting of numbers by some of their bits, in linear time.
#ifndef TENON_KERNEL_SORT_RADIX_H_
#define TENON_KERNEL_SORT_RADIX_H_

#include <stdint.h>

typedef struct tn_wide_pair {
  uint64_t key, index;
} tn_wide_pair_t;

enum { TN_RADIX_COUNT_LIMIT = INT32_MAX };

// Sorts by bits [first_bit, first_bit + bit_count) of the value (of `key`, for pairs), ascending;
// equal ones keep their order. `spare` has room for as many; the result is in one of the two, which
// is returned. At most TN_RADIX_COUNT_LIMIT values.
uint32_t* tn__radix_sort_u32(uint32_t* values, uint32_t* spare, int64_t count, int first_bit,
                             int bit_count);
uint64_t* tn__radix_sort_u64(uint64_t* values, uint64_t* spare, int64_t count, int first_bit,
                             int bit_count);
tn_wide_pair_t* tn__radix_sort_pairs(tn_wide_pair_t* values, tn_wide_pair_t* spare, int64_t count,
                                     int first_bit, int bit_count);

#endif  // TENON_KERNEL_SORT_RADIX_H_
