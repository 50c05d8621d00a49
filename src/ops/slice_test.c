// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

static void slices_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "slice(5x4xf32) start_indices = [1, 0], limit_indices = [5, 4], strides = [3, 1] -> 2x4xf32",
      "slice(5xf32) start_indices = [5], limit_indices = [5], strides = [9223372036854775807]"
      " -> 0xf32",
      "slice(5xf32) start_indices = [0], limit_indices = [5], strides = [9223372036854775807]"
      " -> 1xf32",
      "slice(f32) start_indices = [], limit_indices = [], strides = [] -> f32",
      "slice(?xf32) start_indices = [1], limit_indices = [5], strides = [1] -> 4xf32",
      "dynamic_slice(5x4xf32, i32, i32) slice_sizes = [1, 4] -> 1x4xf32",
      "dynamic_slice(f32) slice_sizes = [] -> f32",
      "dynamic_slice(5xf32, ui8) slice_sizes = [0] -> 0xf32",
      "dynamic_update_slice(5x4xf32, 1x4xf32, i64, i64) -> 5x4xf32",
      "dynamic_update_slice(f32, f32) -> f32",
      "real_dynamic_slice(5x4xf32, 2xi32, 2xi32, 2xi32) -> ?x4xf32",
      "concatenate(2x3xf32) dimension = 0 -> 2x3xf32",
      "concatenate(2x3xf32, 2x0xf32, 2x4xf32) dimension = 1 -> 2x7xf32",
      "concatenate(?x3xf32, 2x4xf32) dimension = 1 -> 2x7xf32",
      "pad(2x3xf32, f32) edge_padding_low = [0, 1], edge_padding_high = [2, -1],"
      " interior_padding = [1, 2] -> 5x7xf32",
      "pad(0xf32, f32) edge_padding_low = [2], edge_padding_high = [0], interior_padding = [9]"
      " -> 2xf32",
      "pad(3xf32, f32) edge_padding_low = [-3], edge_padding_high = [0], interior_padding = [0]"
      " -> 0xf32",
      "dynamic_pad(3xf32, f32, 1xi64, 1xi64, 1xi64) -> ?xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void slices_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"slice(5xf32) start_indices = [0], limit_indices = [5], strides = [1] -> 5xi32",
       "slice (C1)"},
      {"slice(5xf32) start_indices = [0, 0], limit_indices = [5], strides = [1] -> 5xf32",
       "slice (C2): start_indices has 2 entries; expected 1"},
      {"slice(5xf32) start_indices = [0], limit_indices = [], strides = [1] -> 5xf32",
       "slice (C2): limit_indices"},
      {"slice(5xf32) start_indices = [0], limit_indices = [5], strides = [1, 1] -> 5xf32",
       "slice (C2): strides"},
      {"slice(5xf32) start_indices = [-1], limit_indices = [5], strides = [1] -> 5xf32",
       "slice (C3): dimension 0 is cut from -1 to 5; expected a range within 0 to 5"},
      {"slice(5xf32) start_indices = [3], limit_indices = [2], strides = [1] -> 5xf32",
       "slice (C3)"},
      {"slice(5xf32) start_indices = [0], limit_indices = [6], strides = [1] -> 6xf32",
       "slice (C3)"},
      {"slice(5xf32) start_indices = [0], limit_indices = [5], strides = [0] -> 5xf32",
       "slice (C4)"},
      {"slice(5xf32) start_indices = [0], limit_indices = [5], strides = [2] -> 2xf32",
       "slice (C5): result has type tensor<2xf32>; expected tensor<3xf32>"},
      {"dynamic_slice(5xf32, i32) slice_sizes = [2] -> 2xf64", "dynamic_slice (C1)"},
      {"dynamic_slice(5xf32) slice_sizes = [2] -> 2xf32", "dynamic_slice (C2)"},
      {"dynamic_slice(5xf32, i32, i32) slice_sizes = [2] -> 2xf32",
       "dynamic_slice (C2): has 2 start indices; expected 1"},
      {"dynamic_slice(5xf32, i32) slice_sizes = [2, 2] -> 2xf32", "dynamic_slice (C2)"},
      {"dynamic_slice(5x5xf32, i32, i64) slice_sizes = [2, 2] -> 2x2xf32", "dynamic_slice (C3)"},
      {"dynamic_slice(5xf32, 1xi32) slice_sizes = [2] -> 2xf32", "dynamic_slice (I2)"},
      {"dynamic_slice(5xf32, f32) slice_sizes = [2] -> 2xf32", "dynamic_slice (I2)"},
      {"dynamic_slice(5xf32, i32) slice_sizes = [6] -> 6xf32",
       "dynamic_slice (C4): slice_sizes is [6]; expected sizes within the operand's shape 5"},
      {"dynamic_slice(5xf32, i32) slice_sizes = [-1] -> 2xf32", "dynamic_slice (C4)"},
      {"dynamic_slice(5xf32, i32) slice_sizes = [2] -> 3xf32", "dynamic_slice (C5)"},
      {"dynamic_update_slice(5xf32, 2xf32, i32) -> 2xf32", "dynamic_update_slice (C1)"},
      {"dynamic_update_slice(5xf32, 2xf64, i32) -> 5xf32", "dynamic_update_slice (C2)"},
      {"dynamic_update_slice(5xf32, 2x1xf32, i32) -> 5xf32", "dynamic_update_slice (C3)"},
      {"dynamic_update_slice(5xf32, 2xf32) -> 5xf32", "dynamic_update_slice (C4)"},
      {"dynamic_update_slice(5x5xf32, 2x2xf32, i32, i8) -> 5x5xf32", "dynamic_update_slice (C5)"},
      {"dynamic_update_slice(5xf32, 6xf32, i32) -> 5xf32",
       "dynamic_update_slice (C6): update has shape 6; expected one within the operand's 5"},
      {"dynamic_update_slice(5xf32, 2xf32, i1) -> 5xf32", "dynamic_update_slice (I3)"},
      {"dynamic_update_slice(5xf32) -> 5xf32",
       "dynamic_update_slice: has 1 operand; expected at least 2"},
      {"real_dynamic_slice(5xf32, 2xi32, 1xi32, 1xi32) -> ?xf32",
       "real_dynamic_slice: start_indices"},
      {"real_dynamic_slice(5xf32, 1xi32, 1xi32, 1xi32) -> ?xi32", "real_dynamic_slice: result"},
      {"concatenate() dimension = 0 -> 2xf32", "concatenate: has 0 operands; expected at least 1"},
      {"concatenate(2xf32, 2xf64) dimension = 0 -> 4xf32", "concatenate (C1)"},
      {"concatenate(2x3xf32, 3x3xf32) dimension = 1 -> 2x6xf32",
       "concatenate (C2): input 1 has shape 3x3; expected 2x3, but for dimension 1"},
      {"concatenate(2xf32, 2x1xf32) dimension = 0 -> 4xf32", "concatenate (C2)"},
      {"concatenate(2xf32, 2xf32) dimension = 1 -> 4xf32", "concatenate (C4)"},
      {"concatenate(f32, f32) dimension = 0 -> 2xf32", "concatenate (C4)"},
      {"concatenate(2xf32, 2xf32) dimension = 0 -> 4xi32", "concatenate (C5)"},
      {"concatenate(2xf32, 2xf32) dimension = 0 -> 5xf32", "concatenate (C6)"},
      {"concatenate(2xf32, token) dimension = 0 -> 4xf32", "concatenate (I1): input 1"},
      {"concatenate(9223372036854775807xi8, 1xi8) dimension = 0 -> 4xi8",
       "concatenate (C6): dimension 0 of the result overflows"},
      {"concatenate(2xf32) dimensoin = !0 -> 2xf32",
       "concatenate: there is no attribute \"dimensoin\"\nnote: did you mean dimension?"},
      {"concatenate(2xf32) -> 2xf32", "concatenate: attribute \"dimension\" is missing"},
      {"pad(3xf32, f64) edge_padding_low = [0], edge_padding_high = [0], interior_padding = [0]"
       " -> 3xf32",
       "pad (C1)"},
      {"pad(3xf32, 1xf32) edge_padding_low = [0], edge_padding_high = [0], interior_padding = [0]"
       " -> 3xf32",
       "pad (I2)"},
      {"pad(3xf32, f32) edge_padding_low = [], edge_padding_high = [0], interior_padding = [0]"
       " -> 3xf32",
       "pad (C2): edge_padding_low"},
      {"pad(3xf32, f32) edge_padding_low = [0], edge_padding_high = [0, 0], interior_padding = [0]"
       " -> 3xf32",
       "pad (C2): edge_padding_high"},
      {"pad(3xf32, f32) edge_padding_low = [0], edge_padding_high = [0], interior_padding = []"
       " -> 3xf32",
       "pad (C2): interior_padding"},
      {"pad(3xf32, f32) edge_padding_low = [0], edge_padding_high = [0], interior_padding = [-1]"
       " -> 3xf32",
       "pad (C3)"},
      {"pad(3xf32, f32) edge_padding_low = [-4], edge_padding_high = [0], interior_padding = [0]"
       " -> 3xf32",
       "pad (C4): dimension 0, 3, padded with -4, 0 and 0 between is not a valid size"},
      {"pad(3xf32, f32) edge_padding_low = [1], edge_padding_high = [0], interior_padding = [0]"
       " -> 3xf32",
       "pad (C4): result"},
      {"pad(3xf32, f32) edge_padding_low = [9223372036854775807],"
       " edge_padding_high = [9223372036854775807], interior_padding = [0] -> 3xf32",
       "pad (C4)"},
      {"pad(3xf32, f32) edge_padding_low = [0], edge_padding_high = [0],"
       " interior_padding = [9223372036854775807] -> 3xf32",
       "pad (C4)"},
      {"dynamic_pad(3xf32, f64, 1xi64, 1xi64, 1xi64) -> ?xf32", "dynamic_pad (C1)"},
      {"dynamic_pad(3xf32, f32, 1xi64, 2xi64, 1xi64) -> ?xf32", "dynamic_pad (C2): edge_padding_h"},
      {"dynamic_pad(3xf32, f32, 1xi64, 1xi64, 1xi64) -> ?x?xf32", "dynamic_pad (C4)"},
      {"dynamic_pad(3xf32, f32, 1xf32, 1xi64, 1xi64) -> ?xf32", "dynamic_pad (I3)"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_accept_what_they_are_for),
      cmocka_unit_test(slices_refuse_what_breaks_a_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
