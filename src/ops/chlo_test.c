// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

#define RAGGED(lhs, rhs, sizes, lhs_batch, rhs_batch, lhs_contract, rhs_contract, ragged, group) \
  "chlo.ragged_dot(" lhs ", " rhs ", " sizes                                                     \
  ") ragged_dot_dimension_numbers = {"                                                           \
  "lhs_batching_dimensions = " lhs_batch ", rhs_batching_dimensions = " rhs_batch                \
  ", lhs_contracting_dimensions = " lhs_contract ", rhs_contracting_dimensions = " rhs_contract  \
  ", lhs_ragged_dimensions = " ragged ", rhs_group_dimensions = " group "} -> "

static void chlo_accepts_what_it_is_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "chlo.erf(2xf32) -> 2xf32",
      "chlo.acos(2xcomplex<f32>) -> 2xcomplex<f32>",
      "chlo.is_inf(2xbf16) -> 2xi1",
      "chlo.next_after(2xf64, 2xf64) -> 2xf64",
      "chlo.mulhi(2xui32, 2xui32) -> 2xui32",
      "chlo.constant() value = <2xf32> -> 2xf32",
      "chlo.top_k(8x5xf32) k = 3 -> 8x3xf32, 8x3xi32",
      "chlo.top_k(5xi8) k = 0, is_stable = false -> 0xi8, 0xi32",
      // rows in groups
      RAGGED("11x5xf32", "3x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[0]", "[0]") "11x7xf32",
      RAGGED("2x11x5xf32", "3x2x5x7xf32", "2x3xi64", "[0]", "[1]", "[2]", "[2]", "[1]",
             "[0]") "2x11x7xf32",
      // summed dimensions in groups
      RAGGED("11x5xf32", "5x7xf32", "3xi64", "[]", "[]", "[1]", "[0]", "[1]", "[]") "3x11x7xf32",
      // batches in groups
      RAGGED("2x11x5xf32", "2x5x7xf32", "3xi64", "[0]", "[0]", "[2]", "[1]", "[0]",
             "[]") "2x11x7xf32",
      "chlo.scan(4xi32, i32) {i32, i32 -> i32, i32} dimension = 0, operandSegmentSizes = [1, 1]"
      " -> 4xi32, i32",
      "chlo.scan(2x3xi32, 2xi32) {2xi32, 2xi32 -> 2xf32, 2xi32} dimension = 1,"
      " operandSegmentSizes = [1, 1], is_reverse = true -> 2x3xf32, 2xi32",
      "chlo.scan(i32) {i32 -> f32, i32} dimension = 0, scan_dim_size = 5,"
      " operandSegmentSizes = [0, 1] -> 5xf32, i32",
  };
  TN_TEST_ACCEPTS(uses);
}

#define SCAN(body, dimension, sizes) \
  "chlo.scan(4xi32, i32) " body " dimension = " dimension ", operandSegmentSizes = " sizes " -> "

static void chlo_refuses_what_breaks_a_rule(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"chlo.erf(2xcomplex<f32>) -> 2xcomplex<f32>", "erf (I1)"},
      {"chlo.is_inf(2xf32) -> 2xf32", "is_inf: result has type"},
      {"chlo.is_inf(2xi32) -> 2xi1", "is_inf: operand has type"},
      {"chlo.next_after(2xf64, 3xf64) -> 2xf64", "next_after (C1)"},
      {"chlo.mulhi(2xf32, 2xf32) -> 2xf32", "mulhi (I1)"},
      {"chlo.top_k(f32) k = 0 -> f32, i32", "top_k: operand is a scalar"},
      {"chlo.top_k(5xf32) k = 6 -> 6xf32, 6xi32",
       "top_k: k is 6; expected 0 to 5, the last dimension of operand"},
      {"chlo.top_k(5xf32) k = -1 -> 6xf32, 6xi32", "top_k: k is -1"},
      {"chlo.top_k(5xf32) k = 2 -> 2xf32, 2xi64", "top_k: result 1 has type tensor<2xi64>"},
      {RAGGED("11x5xf32", "3x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[0, 1]",
              "[0]") "11x7xf32",
       "ragged_dot: lhs_ragged_dimensions has 2 entries; expected 1"},
      {RAGGED("11x5xf32", "3x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[2]", "[0]") "11x7xf32",
       "ragged_dot: lhs_ragged_dimensions has 2; expected dimensions of a tensor of rank 2"},
      {RAGGED("11x5xf32", "3x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[0]", "[1]") "11x7xf32",
       "ragged_dot: rhs_group_dimensions: dimension 1 is there twice"},
      {RAGGED("11x5xf32", "3x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[0]", "[]") "11x7xf32",
       "ragged_dot: rhs_group_dimensions has 0 entries; expected 1"},
      {RAGGED("11x5xf32", "3x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[1]", "[0]") "11x7xf32",
       "ragged_dot: rhs_group_dimensions has 1 entries; expected 0"},
      {RAGGED("11x5xf32", "4x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[0]", "[0]") "11x7xf32",
       "ragged_dot: the group dimension of rhs is 4; expected 3, the number of groups"},
      {RAGGED("11x5xf32", "3x5x7xf32", "2x3xi64", "[]", "[]", "[1]", "[1]", "[0]",
              "[0]") "11x7xf32",
       "ragged_dot: group_sizes has shape 2x3; expected 3 or a vector"},
      {RAGGED("11x5xf32", "3x5x7xf32", "i64", "[]", "[]", "[1]", "[1]", "[0]", "[0]") "11x7xf32",
       "ragged_dot: group_sizes is a scalar"},
      {RAGGED("11x5xf32", "3x4x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[0]", "[0]") "11x7xf32",
       "contracting dimensions 1 of lhs and 1 of rhs have sizes 5 and 4"},
      {RAGGED("11x5xf32", "3x5x7xf32", "3xi64", "[]", "[]", "[1]", "[1]", "[0]", "[0]") "7x11xf32",
       "ragged_dot: result has type tensor<7x11xf32>; expected tensor<11x7xf32>"},
      {SCAN("{i32, i32 -> i32, i32}", "0", "[1]") "4xi32, i32",
       "scan: operandSegmentSizes is [1]; expected the numbers of inputs and inits, 2 together"},
      {SCAN("{i32, i32 -> i32, i32}", "0", "[2, 1]") "4xi32, i32", "scan: operandSegmentSizes"},
      {SCAN("{i32, i32 -> i32, i32}", "0", "[-1, 3]") "4xi32, i32", "scan: operandSegmentSizes"},
      {SCAN("{i32, i32 -> i32, i32}", "1", "[1, 1]") "4xi32, i32", "scan: dimension is 1"},
      {SCAN("{i32, i32 -> i32, i32}", "0", "[1, 1], scan_dim_size = 5") "4xi32, i32",
       "scan: dimension 0 of input 0 is 4; expected 5"},
      {SCAN("{4xi32, i32 -> i32, i32}", "0", "[1, 1]") "4xi32, i32", "scan: body has type"},
      {SCAN("{i32, i32 -> i32, f32}", "0", "[1, 1]") "4xi32, i32", "scan: body has type"},
      {SCAN("{i32, i32 -> }", "0", "[1, 1]") "4xi32, i32", "scan: body gives 0 results"},
      {SCAN("{i32, i32 -> token, i32}", "0", "[1, 1]") "4xi32, i32", "scan: output 0 of body"},
      {SCAN("{i32, i32 -> i32, i32}", "0", "[1, 1]") "5xi32, i32", "scan: result 0 has type"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chlo_accepts_what_it_is_for),
      cmocka_unit_test(chlo_refuses_what_breaks_a_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
