// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

// Inputs 4x5x6, one batching dimension (4); indices 4x7x1 name dimension 1, which windows lack;
// updates 4x7x6.
#define SCATTER_BODY(inputs, indices, updates, body, window, inserted, input_batching,          \
                     indices_batching, map, vector)                                             \
  "scatter(" inputs ", " indices ", " updates ") " body                                         \
  " scatter_dimension_numbers = {update_window_dims = " window                                  \
  ", inserted_window_dims = " inserted ", input_batching_dims = " input_batching                \
  ", scatter_indices_batching_dims = " indices_batching ", scatter_dims_to_operand_dims = " map \
  ", index_vector_dim = " vector "} -> "
#define SCATTER(inputs, indices, updates, window, inserted, input_batching, indices_batching, map, \
                vector)                                                                            \
  SCATTER_BODY(inputs, indices, updates, "{f32, f32 -> f32}", window, inserted, input_batching,    \
               indices_batching, map, vector)

static void scatter_accepts_what_it_is_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[0]", "[1]",
              "2") "4x5x6xf32",
      // a window smaller than the input, an implicit index vector
      SCATTER("4x5x6xf32", "4x7xi32", "4x7x3xf32", "[2]", "[1]", "[0]", "[0]", "[1]",
              "2") "4x5x6xf32",
      SCATTER("5xf32", "i8", "f32", "[]", "[0]", "[]", "[]", "[0]", "0") "5xf32",
      SCATTER_BODY("5xbf16", "3x1xi64", "3xbf16", "{f32, f32 -> f32}", "[]", "[0]", "[]", "[]",
                   "[0]", "1") "5xf32",
      SCATTER_BODY("5xf32, 5xi32", "3x1xi64", "3xf32, 3xi32", "{f32, i32, f32, i32 -> f32, i32}",
                   "[]", "[0]", "[]", "[]", "[0]", "1") "5xf32, 5xi32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void scatter_refuses_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {SCATTER_BODY("5xf32, 6xi32", "3x1xi64", "3xf32, 3xi32", "{f32, i32, f32, i32 -> f32, i32}",
                    "[]", "[0]", "[]", "[]", "[0]", "1") "5xf32, 5xi32",
       "scatter (C1): input 1 has shape 6; expected 5"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C2)"},
      {SCATTER_BODY("5xf32, 5xi32", "3x1xi64", "3xf32, 4xi32", "{f32, i32, f32, i32 -> f32, i32}",
                    "[]", "[0]", "[]", "[]", "[0]", "1") "5xf32, 5xi32",
       "scatter (C3)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x8x6xf32", "[2]", "[1]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C4): dimension 1 of the updates is 8; expected 7, dimension 1 of "
       "scatter_indices"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x7xf32", "[2]", "[1]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C4): dimension 2 of the updates is 7; expected at most 6, the inputs' dimension "
       "2"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x6xf32", "[1]", "[1]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C4): the updates have rank 2; expected 3"},
      {"scatter(5xf32, 3x1xi64, 3xf32, 3xf32) {f32, f32 -> f32} scatter_dimension_numbers = {}"
       " -> 5xf32",
       "scatter (C5)"},
      {SCATTER("5xf32", "3x1xi64", "3xf64", "[]", "[0]", "[]", "[]", "[0]", "1") "5xf32",
       "scatter (C6)"},
      {SCATTER("4x5xf32", "7x1xi32", "7x2x2xf32", "[2, 1]", "[]", "[]", "[]", "[1]", "1") "4x5xf32",
       "scatter (C7)"},
      {SCATTER("4x5xf32", "7x1xi32", "7x2x2xf32", "[1, 1]", "[]", "[]", "[]", "[1]", "1") "4x5xf32",
       "scatter (C7)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[3]", "[1]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C8)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[0]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C9)"},
      {SCATTER("4x5x6xf32", "7x1xi32", "7x6xf32", "[1]", "[1, 0]", "[]", "[]", "[1]",
               "1") "4x5x6xf32",
       "scatter (C10)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[3]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C11)"},
      {SCATTER("4x5x6xf32", "5x4x1xi32", "5x4x6xf32", "[2]", "[]", "[1, 0]", "[0, 1]", "[2]",
               "2") "4x5x6xf32",
       "scatter (C12)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[-1]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C13)"},
      {SCATTER("4x4x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[]", "[0, 1]", "[0, 0]", "[2]",
               "2") "4x4x6xf32",
       "scatter (C14)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[3]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C15)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[2]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C16)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C17)"},
      {SCATTER("4x5x6xf32", "3x7x1xi32", "3x7x6xf32", "[2]", "[1]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C18)"},
      {SCATTER("4x5x6xf32", "4x7x2xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[0]", "[1]",
               "2") "4x5x6xf32",
       "scatter (C19)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[0]", "[0]",
               "2") "4x5x6xf32",
       "scatter (C20)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[0]", "[3]",
               "2") "4x5x6xf32",
       "scatter (C21)"},
      {SCATTER("4x5x6xf32", "4x7x1xi32", "4x7x6xf32", "[2]", "[1]", "[0]", "[0]", "[1]",
               "4") "4x5x6xf32",
       "scatter (C22)"},
      {SCATTER_BODY("5xf32", "3x1xi64", "3xf32", "{f32, f32 -> i1}", "[]", "[0]", "[]", "[]", "[0]",
                    "1") "5xf32",
       "scatter (C23)"},
      {SCATTER_BODY("5xf32", "3x1xi64", "3xf32", "{f32 -> f32}", "[]", "[0]", "[]", "[]", "[0]",
                    "1") "5xf32",
       "scatter (C23)"},
      {SCATTER("5xf32", "3x1xi64", "3xf32", "[]", "[0]", "[]", "[]", "[0]", "1") "6xf32",
       "scatter (C24)"},
      {SCATTER("5xf32", "3x1xi64", "3xf32", "[]", "[0]", "[]", "[]", "[0]", "1") "5xf64",
       "scatter (C25)"},
      {SCATTER("5xf32", "3x1xf32", "3xf32", "[]", "[0]", "[]", "[]", "[0]", "1") "5xf32",
       "scatter (I2)"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scatter_accepts_what_it_is_for),
      cmocka_unit_test(scatter_refuses_what_breaks_a_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
