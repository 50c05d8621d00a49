// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/sort/radix.h"

#include "base/testing.h"

enum { MOST = 5000, FIRST_BIT = 5 };

static uint64_t random_bits(void) {
  static uint64_t seed = 3;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed ^ seed >> 29;
}

// On both sides of the counts at which the method changes.
static const int64_t counts[] = {0, 1, 2, 16, 17, 95, 96, 97, 191, 192, 1000, 4095, 4096, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

static uint64_t key_of(uint64_t value, int bit_count) {
  return bit_count == 64 ? value : value >> FIRST_BIT & ((UINT64_C(1) << bit_count) - 1);
}

static void words_are_sorted_by_the_bits_that_count(void** state) {
  (void)state;
  static uint32_t values[MOST], spare[MOST];
  for (size_t c = 0; c < COUNTS; ++c) {
    for (int bit_count = 1; bit_count <= 27; bit_count += 13) {
      uint64_t sum = 0, sorted_sum = 0;
      for (int64_t i = 0; i < counts[c]; ++i) sum += values[i] = (uint32_t)random_bits();
      const uint32_t* sorted = tn__radix_sort_u32(values, spare, counts[c], FIRST_BIT, bit_count);
      for (int64_t i = 0; i < counts[c]; ++i) {
        sorted_sum += sorted[i];
        assert_true(i == 0 || key_of(sorted[i - 1], bit_count) <= key_of(sorted[i], bit_count));
      }
      assert_true(sum == sorted_sum);
    }
  }
}

// The bits of a value that are no key hold its place.
static void equal_keys_keep_their_order(void** state) {
  (void)state;
  static uint64_t values[MOST], spare[MOST];
  for (size_t c = 0; c < COUNTS; ++c) {
    for (int bit_count = 4; bit_count <= 32; bit_count += 14) {
      const uint64_t mask = (UINT64_C(1) << bit_count) - 1;
      for (int64_t i = 0; i < counts[c]; ++i) {
        values[i] = (random_bits() & mask) << 32 | (uint64_t)i;
      }
      const uint64_t* sorted = tn__radix_sort_u64(values, spare, counts[c], 32, bit_count);
      for (int64_t i = 1; i < counts[c]; ++i) assert_true(sorted[i - 1] < sorted[i]);
    }
  }
}

static void pairs_are_sorted_by_all_bits_of_their_keys(void** state) {
  (void)state;
  static tn_wide_pair_t values[MOST], spare[MOST];
  for (size_t c = 0; c < COUNTS; ++c) {
    for (int64_t i = 0; i < counts[c]; ++i) {
      // Few keys, far apart: many are equal.
      values[i] =
          (tn_wide_pair_t){(random_bits() % 50) * UINT64_C(0x0501010101010101), (uint64_t)i};
    }
    const tn_wide_pair_t* sorted = tn__radix_sort_pairs(values, spare, counts[c], 0, 64);
    for (int64_t i = 1; i < counts[c]; ++i) {
      assert_true(sorted[i - 1].key < sorted[i].key ||
                  (sorted[i - 1].key == sorted[i].key && sorted[i - 1].index < sorted[i].index));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_sorted_by_the_bits_that_count),
      cmocka_unit_test(equal_keys_keep_their_order),
      cmocka_unit_test(pairs_are_sorted_by_all_bits_of_their_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
