// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

// operand 4x5x6, one batching dimension (4), indices 4x7x1 into dimension 1, which collapses:
// result 4x7x6.
#define GATHER(operand, indices, offset, collapsed, operand_batching, indices_batching, map, \
               vector, sizes)                                                                \
  "gather(" operand ", " indices ") dimension_numbers = {offset_dims = " offset              \
  ", collapsed_slice_dims = " collapsed ", operand_batching_dims = " operand_batching        \
  ", start_indices_batching_dims = " indices_batching ", start_index_map = " map             \
  ", index_vector_dim = " vector "}, slice_sizes = " sizes " -> "

static void gather_accepts_what_it_is_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
             "[1, 1, 6]") "4x7x6xf32",
      // an implicit index vector of one entry
      GATHER("4x5x6xf32", "4x7xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
             "[1, 1, 6]") "4x7x6xf32",
      GATHER("5x6xf32", "2x3xi64", "[0, 1]", "[]", "[]", "[]", "[0, 1]", "0", "[2, 3]") "2x3x3xf32",
      GATHER("5xf32", "ui8", "[]", "[0]", "[]", "[]", "[0]", "0", "[1]") "f32",
      GATHER("0x3xf32", "0xi32", "[1]", "[0]", "[]", "[]", "[0]", "1", "[0, 3]") "0x3xf32",
      GATHER("0xf32", "1xi32", "[0]", "[]", "[]", "[]", "[0]", "0", "[0]") "0xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void gather_refuses_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {GATHER("4x5x6xf32", "4x7x1xi32", "[]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C1)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "4",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C2): index_vector_dim is 4; expected 0 to 3, the rank of start_indices"},
      {GATHER("4x5x6xf32", "4x7x2xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C3)"},
      {GATHER("4x5xf32", "7x1xi32", "[1, 0]", "[]", "[]", "[]", "[1]", "1", "[1, 1]") "7x1x1xf32",
       "gather (C4): offset_dims is [1, 0]; expected ascending order"},
      {GATHER("4x5xf32", "7x1xi32", "[1, 1]", "[]", "[]", "[]", "[1]", "1", "[1, 1]") "7x1x1xf32",
       "gather (C4)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[3]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C5)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[0]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C6)"},
      {GATHER("4x5x6xf32", "7x1xi32", "[1]", "[1, 0]", "[]", "[]", "[1]", "1",
              "[1, 1, 6]") "7x6xf32",
       "gather (C7)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[3]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C8)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 2, 6]") "4x7x6xf32",
       "gather (C9)"},
      {GATHER("4x5x6xf32", "5x4x1xi32", "[2]", "[]", "[1, 0]", "[0, 1]", "[2]", "2",
              "[1, 1, 6]") "5x4x6xf32",
       "gather (C10)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[-1]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C11)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[2, 1, 6]") "4x7x6xf32",
       "gather (C12)"},
      {GATHER("4x4x6xf32", "4x7x1xi32", "[2]", "[]", "[0, 1]", "[0, 0]", "[2]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C13)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[3]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C14)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[2]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C15)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C16)"},
      {GATHER("4x5x6xf32", "3x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C17): batching dimension 0 of start_indices has size 3; expected 4"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[0]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C18)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[3]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C19)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1]") "4x7x6xf32",
       "gather (C20)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 7]") "4x7x6xf32",
       "gather (C21)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, -1]") "4x7x6xf32",
       "gather (C21)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 5]") "4x7x6xf32",
       "gather (C22): result has type tensor<4x7x6xf32>; expected tensor<4x7x5xf32>"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf64",
       "gather (C23)"},
      {GATHER("2x3xf32", "4xi32", "[1]", "[0]", "[]", "[]", "[0]", "1", "[0, 3]") "4x3xf32",
       "gather: slice_sizes is [0, 3]; expected 1 for dimension 0"},
      {GATHER("0x3xf32", "4xi32", "[1]", "[0]", "[]", "[]", "[0]", "1", "[0, 3]") "4x3xf32",
       "gather: slice_sizes is [0, 3]; expected 1 for dimension 0"},
      {GATHER("5xf32", "f32", "[]", "[0]", "[]", "[]", "[0]", "0", "[1]") "f32", "gather (I2)"},
  };
  TN_TEST_REFUSES(cases);
}

#define DYNAMIC(operand, indices, sizes, offset, collapsed, map, vector)                           \
  "dynamic_gather(" operand ", " indices ", " sizes ") dimension_numbers = {offset_dims = " offset \
  ", collapsed_slice_dims = " collapsed ", start_index_map = " map ", index_vector_dim = " vector  \
  "} -> "

static void dynamic_gather_names_its_own_constraints(void** state) {
  (void)state;
  static const char* const uses[] = {
      DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[0]", "[0]", "1") "7x?xf32",
      DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[0]", "[0]", "1") "7x6xf32",
  };
  TN_TEST_ACCEPTS(uses);
  static const tn_rule_case_t cases[] = {
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[]", "[0]", "[0]", "1") "7xf32",
       "dynamic_gather (C1)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[0]", "[0]", "3") "7x6xf32",
       "dynamic_gather (C2)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[0]", "[0, 1]", "1") "7x6xf32",
       "dynamic_gather (C3)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1, 0]", "[]", "[0]", "1") "7x6x1xf32",
       "dynamic_gather (C4)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[2]", "[0]", "[0]", "1") "7x6xf32",
       "dynamic_gather (C5)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[]", "[1, 0]", "[0]", "1") "7xf32",
       "dynamic_gather (C6)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[]", "[1, 1]", "[0]", "1") "7xf32",
       "dynamic_gather (C6)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[2]", "[0]", "1") "7x6xf32",
       "dynamic_gather (C7)"},
      {DYNAMIC("5x6xf32", "7x2xi32", "2xi64", "[1]", "[0]", "[0, 0]", "1") "7x6xf32",
       "dynamic_gather (C9)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[0]", "[-1]", "1") "7x6xf32",
       "dynamic_gather (C10)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "3xi64", "[1]", "[0]", "[0]", "1") "7x6xf32",
       "dynamic_gather (C11)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[0]", "[0]", "1") "8x?xf32",
       "dynamic_gather (C13): result has shape 8x?; expected 7x?"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xi64", "[1]", "[0]", "[0]", "1") "7x?xi32",
       "dynamic_gather (C14)"},
      {DYNAMIC("5x6xf32", "7x1xi32", "2xf32", "[1]", "[0]", "[0]", "1") "7x?xf32",
       "dynamic_gather (I3)"},
  };
  TN_TEST_REFUSES(cases);
}

static void torch_index_select_follows_its_dimensions(void** state) {
  (void)state;
  static const char* const uses[] = {
      "torch_index_select(5x1x5xi32, 2xi32) dim = 0, batch_dims = 0 -> 2x1x5xi32",
      "torch_index_select(4x8x3x2xf32, 4x5xi64) dim = 2, batch_dims = 1 -> 4x8x5x2xf32",
  };
  TN_TEST_ACCEPTS(uses);
  static const tn_rule_case_t cases[] = {
      {"torch_index_select(5xi32, 2xi32) dim = 1, batch_dims = 0 -> 2xi32", "dim is 1"},
      {"torch_index_select(5xi32, 2xi32) dim = 0, batch_dims = 1 -> 2xi32", "batch_dims is 1"},
      {"torch_index_select(5x5xi32, 4x2xi32) dim = 1, batch_dims = 1 -> 5x2xi32",
       "index has shape 4x2; expected the first 1 dimensions of 5x5"},
      {"torch_index_select(5xi32, 2xf32) dim = 0, batch_dims = 0 -> 2xi32", "index has type"},
      {"torch_index_select(5xi32, 2xi32) dim = 0, batch_dims = 0 -> 5xi32",
       "torch_index_select: result has type tensor<5xi32>; expected tensor<2xi32>"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gather_accepts_what_it_is_for),
      cmocka_unit_test(gather_refuses_what_breaks_a_constraint),
      cmocka_unit_test(dynamic_gather_names_its_own_constraints),
      cmocka_unit_test(torch_index_select_follows_its_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
