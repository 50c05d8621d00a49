// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/sort/radix.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  LONG_DIGIT = 11,  // bits
  LONG_PASSES = (64 + LONG_DIGIT - 1) / LONG_DIGIT,
  LONG_LEAST = 1 << 12,  // values; for fewer the counts of shorter digits are sooner added up
  SHORT_DIGIT = 8,
  SHORT_PASSES = 64 / SHORT_DIGIT,
  SHORT_LEAST = 3,  // values for each bit of the key; fewer are merged
  INSERTION_RUN = 16,
};

#define SORT(name) u32_##name
#define VALUE uint32_t
#define KEY(value) ((uint64_t)(value))
#include "kernel/sort/radix.inc"

#define SORT(name) u64_##name
#define VALUE uint64_t
#define KEY(value) (value)
#include "kernel/sort/radix.inc"

#define SORT(name) pair_##name
#define VALUE tn_wide_pair_t
#define KEY(value) ((value).key)
#include "kernel/sort/radix.inc"

uint32_t* tn__radix_sort_u32(uint32_t* values, uint32_t* spare, int64_t count, int first_bit,
                             int bit_count) {
  return u32_sort(values, spare, count, first_bit, bit_count);
}

uint64_t* tn__radix_sort_u64(uint64_t* values, uint64_t* spare, int64_t count, int first_bit,
                             int bit_count) {
  return u64_sort(values, spare, count, first_bit, bit_count);
}

tn_wide_pair_t* tn__radix_sort_pairs(tn_wide_pair_t* values, tn_wide_pair_t* spare, int64_t count,
                                     int first_bit, int bit_count) {
  return pair_sort(values, spare, count, first_bit, bit_count);
}
