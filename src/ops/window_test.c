// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/window.h"

#include "ops/testing_use.h"

#define SUM "{f32, f32 -> f32} "
#define CHOOSE "{f32, f32 -> i1} "

static void windows_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "reduce_window(2x17x31x7xf32, f32) " SUM
      "window_dimensions = [1, 2, 2, 1], window_strides = [1, 4, 4, 1], base_dilations ="
      " [1, 2, 2, 1], window_dilations = [1, 2, 2, 1],"
      " padding = [[0, 0], [2, 0], [0, 2], [0, 0]] -> 2x9x16x7xf32",
      "reduce_window(4xf32, f32) " SUM "window_dimensions = [2] -> 3xf32",
      "reduce_window(0xf32, f32) " SUM "window_dimensions = [2], padding = [[1, 1]] -> 1xf32",
      "reduce_window(4xf32, f32) " SUM "window_dimensions = [9] -> 0xf32",
      "reduce_window(4xf32, f32) " SUM "window_dimensions = [1], padding = [[-9, 0]] -> 0xf32",
      "reduce_window(?xf32, f32) " SUM "window_dimensions = [2] -> ?xf32",
      "reduce_window(4xf32, 4xi8, f32, i8) {f32, i32, f32, i32 -> f32, i32}"
      " window_dimensions = [2] -> 3xf32, 3xi32",
      "select_and_scatter(10x24xf32, 5x8xf32, f32) " CHOOSE SUM
      "window_dimensions = [2, 3], window_strides = [2, 3] -> 10x24xf32",
      "select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM
      "window_dimensions = [2], padding = [[0, 0]] -> 4xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void windows_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"reduce_window(4xf32, f32, f32) " SUM "window_dimensions = [2] -> 3xf32",
       "reduce_window (C1)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2] -> 3xf32, 3xf32",
       "reduce_window (C1): has 2 results; expected 1"},
      {"reduce_window(4xf32, 5xf32, f32, f32) {f32, f32, f32, f32 -> f32, f32}"
       " window_dimensions = [2] -> 3xf32, 3xf32",
       "reduce_window (C2)"},
      {"reduce_window(4xf32, i32) " SUM "window_dimensions = [2] -> 3xf32", "reduce_window (C3)"},
      {"reduce_window(4xf32, 1xf32) " SUM "window_dimensions = [2] -> 3xf32", "reduce_window (I2)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2, 2] -> 3xf32",
       "reduce_window (C4): window_dimensions has 2 entries; expected 1"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [0] -> 3xf32", "reduce_window (C5)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], window_strides = [] -> 3xf32",
       "reduce_window (C6)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], window_strides = [0] -> 3xf32",
       "reduce_window (C7)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], base_dilations = [1, 1] -> 3xf32",
       "reduce_window (C8)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], base_dilations = [-1] -> 3xf32",
       "reduce_window (C9)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], window_dilations = [] -> 3xf32",
       "reduce_window (C10)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], window_dilations = [0] -> 3xf32",
       "reduce_window (C11)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], padding = [[0, 0], [0, 0]]"
       " -> 3xf32",
       "reduce_window (C12): padding has 2 pairs; expected 1"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2], padding = [[0, 0, 0]] -> 3xf32",
       "attribute \"padding\" is elements of type tensor<1x3xi64>; expected dense<...> of type "
       "tensor<Nx2xi64>"},
      {"reduce_window(4xf32, f32) {f32, f32 -> i1} window_dimensions = [2] -> 3xf32",
       "reduce_window (C13)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2] -> 4xf32", "reduce_window (C15)"},
      {"reduce_window(4xf32, f32) {f64, f64 -> f64} window_dimensions = [2] -> 3xf32",
       "reduce_window (C16)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [2],"
       " base_dilations = [9223372036854775807] -> 3xf32",
       "reduce_window (C15): the windows over dimension 0 overflow 64 bits"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [9223372036854775807],"
       " window_dilations = [2] -> 3xf32",
       "reduce_window (C15)"},
      {"reduce_window(4xf32, f32) " SUM "window_dimensions = [1],"
       " padding = [[9223372036854775807, 9223372036854775807]] -> 3xf32",
       "reduce_window (C15)"},
      {"select_and_scatter(4xf32, 3xi32, f32) " CHOOSE SUM "window_dimensions = [2] -> 4xf32",
       "select_and_scatter (C1)"},
      {"select_and_scatter(4xf32, 4xf32, f32) " CHOOSE SUM "window_dimensions = [2] -> 4xf32",
       "select_and_scatter (C2): dimension 0 of source is 4; expected 3, the number of windows"},
      {"select_and_scatter(4xf32, 3x1xf32, f32) " CHOOSE SUM "window_dimensions = [2] -> 4xf32",
       "select_and_scatter (C2)"},
      {"select_and_scatter(4xf32, 3xf32, i32) " CHOOSE SUM "window_dimensions = [2] -> 4xf32",
       "select_and_scatter (C3)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM "window_dimensions = [2, 1] -> 4xf32",
       "select_and_scatter (C4)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM "-> 4xf32",
       "select_and_scatter: attribute \"window_dimensions\" is missing"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM "window_dimensions = [0] -> 4xf32",
       "select_and_scatter (C5)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM
       "window_dimensions = [2], window_strides = [1, 1] -> 4xf32",
       "select_and_scatter (C6)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM
       "window_dimensions = [2], window_strides = [0] -> 4xf32",
       "select_and_scatter (C7)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM
       "window_dimensions = [2], padding = [[0, 0], [0, 0]] -> 4xf32",
       "select_and_scatter (C8)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " SUM SUM "window_dimensions = [2] -> 4xf32",
       "select_and_scatter (C9): select has type"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE CHOOSE "window_dimensions = [2] -> 4xf32",
       "select_and_scatter (C10)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM "window_dimensions = [2] -> 5xf32",
       "select_and_scatter (C11)"},
      {"select_and_scatter(4xf32, 3xf32, f32) " CHOOSE SUM "window_dimensions = [2] -> 4xf64",
       "select_and_scatter (C12)"},
  };
  TN_TEST_REFUSES(cases);
}

static void windows_are_counted_as_far_as_they_fit(void** state) {
  (void)state;
  static const struct {
    int64_t size;
    tn_window_t window;
    int64_t count;
  } cases[] = {
      {10, {3, 1, 0, 0, 1, 1}, 8},  {10, {3, 2, 0, 0, 1, 1}, 4},  {10, {3, 2, 1, 0, 1, 1}, 5},
      {10, {10, 1, 0, 0, 1, 1}, 1}, {10, {3, 1, 0, 0, 2, 1}, 17}, {10, {3, 1, 0, 0, 1, 4}, 2},
      {0, {1, 1, 0, 0, 1, 1}, 0},   {0, {1, 1, 1, 1, 3, 1}, 2},   {5, {0, 1, 0, 0, 1, 1}, 6},
      {1, {1, 1, -1, 0, 1, 1}, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int64_t count = 0;
    assert_true(tn__window_count(cases[i].size, &cases[i].window, &count));
    assert_int_equal(count, cases[i].count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows_accept_what_they_are_for),
      cmocka_unit_test(windows_refuse_what_breaks_a_constraint),
      cmocka_unit_test(windows_are_counted_as_far_as_they_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
