// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/reduction/scan.h"

#include "base/testing.h"

enum { MOST_LINES = 37, MOST_LENGTH = 150, MOST = MOST_LINES * MOST_LENGTH };

static const int64_t lengths[] = {1, 7, 16, 63, 64, 65, MOST_LENGTH};
enum { LENGTH_COUNT = sizeof lengths / sizeof *lengths };

static tn_scan_t plan(const char* op, tn_dtype_t dtype, int64_t lines, int64_t length,
                      bool reversed) {
  tn_scan_t scan;
  assert_true(tn__scan_plan(op, dtype, lines, length, 1, reversed, &scan));
  return scan;
}

static void lines_side_by_side_have_the_bits_of_each_alone(void** state) {
  (void)state;
  static const char* const ops[] = {"add", "multiply", "maximum", "minimum"};
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_S32, TN_DTYPE_S64};
  static char source[MOST * 8], together[MOST * 8], alone[MOST * 8];
  for (size_t d = 0; d < 4; ++d) {
    const size_t size = tn_dtype_byte_size(dtypes[d]);
    for (size_t i = 0; i < MOST; ++i) {
      const double number = (double)(int)(i * 2654435761u % 2001) / 1000 - 1;
      if (dtypes[d] == TN_DTYPE_F32) ((float*)(void*)source)[i] = (float)number;
      if (dtypes[d] == TN_DTYPE_F64) ((double*)(void*)source)[i] = number;
      if (dtypes[d] == TN_DTYPE_S32) ((int32_t*)(void*)source)[i] = (int32_t)(number * 9e8);
      if (dtypes[d] == TN_DTYPE_S64) ((int64_t*)(void*)source)[i] = (int64_t)(number * 9e18);
    }
    for (int64_t lines = 1; lines <= MOST_LINES; lines += lines < 18 ? 1 : 19) {
      for (size_t l = 0; l < LENGTH_COUNT; ++l) {
        for (size_t k = 0; k < 8; ++k) {
          const char* op = ops[k / 2];
          const tn_scan_t one = plan(op, dtypes[d], 1, lengths[l], k % 2);
          const tn_scan_t all = plan(op, dtypes[d], lines, lengths[l], k % 2);
          const size_t byte_size = (size_t)(lines * lengths[l]) * size;
          const char* init = source + 5 * size;
          for (size_t at = 0; at < byte_size; at += (size_t)lengths[l] * size) {
            TN_ASSERT_OK(tn__scan_run(&one, NULL, source + at, init, alone + at));
          }
          memcpy(together, source, byte_size);  // in place
          TN_ASSERT_OK(tn__scan_run(&all, NULL, together, init, together));
          assert_memory_equal(together, alone, byte_size);
        }
      }
    }
  }
}

static void large_sums_are_those_of_the_definition(void** state) {
  (void)state;
  enum { LINES = 1025, LENGTH = 4100 };  // streamed
  float* sums = malloc(sizeof(float) * LINES * LENGTH);
  assert_non_null(sums);
  for (int reversed = 0; reversed < 2; ++reversed) {
    for (int64_t i = 0; i < (int64_t)LINES * LENGTH; ++i) sums[i] = (float)(i % 5);
    const tn_scan_t scan = plan("add", TN_DTYPE_F32, LINES, LENGTH, reversed);
    TN_ASSERT_OK(tn__scan_run(&scan, NULL, sums, &(float){3}, sums));
    for (int64_t l = 0; l < LINES; ++l) {
      double sum = 3;
      for (int64_t i = 0; i < LENGTH; ++i) {
        const int64_t at = l * LENGTH + (reversed ? LENGTH - 1 - i : i);
        sum += (double)(at % 5);
        assert_true((double)sums[at] == sum);
      }
    }
  }
  free(sums);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_side_by_side_have_the_bits_of_each_alone),
      cmocka_unit_test(large_sums_are_those_of_the_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
