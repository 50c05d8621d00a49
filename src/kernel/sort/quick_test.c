// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/sort/quick.h"

#include "base/testing.h"

enum { MOST = 20000, LEVELS = 3, PIECES = 1 << LEVELS };

static uint64_t random_bits(void) {
  static uint64_t seed = 3;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed ^ seed >> 29;
}

// Around the lengths of vectors, networks and partitions, and longer ones.
static int64_t count_at(size_t round) {
  static const int64_t longer[] = {1000, 1023, 1024, 4097, 8191, 8192, MOST};
  return round < 700 ? (int64_t)round : longer[round - 700];
}
enum { COUNTS = 707 };

typedef enum order {
  ANY,
  FEW,
  ASCENDING,
  DESCENDING,
  EXTREMES,
  EQUAL,
  ORGAN_PIPES,
  ORDERS
} order_t;

static int64_t value_at(order_t order, int64_t i, int64_t count) {
  switch (order) {
    case ANY: return (int64_t)random_bits();
    case FEW: return (int64_t)(random_bits() % 5) - 2;
    case ASCENDING: return i;
    case DESCENDING: return -i;
    case EXTREMES: return random_bits() % 3 ? INT64_MAX : INT64_MIN;
    case ORGAN_PIPES: return i < count / 2 ? i : count - i;
    default: return -7;
  }
}

static int compare_s64(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return (x > y) - (x < y);
}
static int compare_s32(const void* a, const void* b) {
  const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

// Both widths of the same values, and what the C library makes of them.
static int64_t wide[MOST], wide_wanted[MOST];
static int32_t narrow[MOST], narrow_wanted[MOST];

static void fill(order_t order, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = value_at(order, i, count);
    wide[i] = wide_wanted[i] = value;
    narrow[i] = narrow_wanted[i] =
        order == EXTREMES ? (value < 0 ? INT32_MIN : INT32_MAX) : (int32_t)value;
  }
  qsort(wide_wanted, (size_t)count, sizeof *wide, compare_s64);
  qsort(narrow_wanted, (size_t)count, sizeof *narrow, compare_s32);
}

static void expect_sorted(order_t order, int64_t count) {
  if (memcmp(wide, wide_wanted, (size_t)count * sizeof *wide) != 0 ||
      memcmp(narrow, narrow_wanted, (size_t)count * sizeof *narrow) != 0) {
    fail_msg("%d values in order %d", (int)count, order);
  }
}

static void sort_with_depth(const tn_quick_t* quick, int depth) {
  for (size_t round = 0; round < COUNTS; ++round) {
    for (order_t order = 0; order < ORDERS; ++order) {
      const int64_t count = count_at(round);
      fill(order, count);
      tn__quick_sort_s64(quick, wide, count, depth);
      tn__quick_sort_s32(quick, narrow, count, depth);
      expect_sorted(order, count);
    }
  }
}

// --- tests

static void every_length_and_order_is_sorted(void** state) {
  sort_with_depth(*state, TN_QUICK_DEEPEST);
}

static void bad_pivots_end_in_a_heapsort(void** state) {
  sort_with_depth(*state, 1);
}

static void pieces_of_a_split_follow_each_other(void** state) {
  const tn_quick_t* quick = *state;
  int64_t bounds[PIECES + 1];
  for (size_t round = 600; round < COUNTS; ++round) {
    for (order_t order = 0; order < ORDERS; ++order) {
      const int64_t count = count_at(round);
      fill(order, count);
      tn__quick_split_s64(quick, wide, count, LEVELS, bounds);
      assert_true(bounds[0] == 0 && bounds[PIECES] == count);
      for (int i = 0; i < PIECES; ++i) {
        assert_true(bounds[i] <= bounds[i + 1]);
        qsort(wide + bounds[i], (size_t)(bounds[i + 1] - bounds[i]), sizeof *wide, compare_s64);
      }
      tn__quick_split_s32(quick, narrow, count, LEVELS, bounds);
      assert_true(bounds[0] == 0 && bounds[PIECES] == count);
      for (int i = 0; i < PIECES; ++i) {
        qsort(narrow + bounds[i], (size_t)(bounds[i + 1] - bounds[i]), sizeof *narrow, compare_s32);
      }
      expect_sorted(order, count);
    }
  }
}

int main(void) {
  static tn_quick_t quick;
  if (!tn__quick_init(&quick)) return 0;  // the processor has no AVX2
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(every_length_and_order_is_sorted, &quick),
      cmocka_unit_test_prestate(bad_pivots_end_in_a_heapsort, &quick),
      cmocka_unit_test_prestate(pieces_of_a_split_follow_each_other, &quick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
