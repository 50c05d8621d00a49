// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

static void shape_operations_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "constant() value = <2x3xf32> -> 2x3xf32",
      "iota() iota_dimension = 1 -> 2x3xi32",
      "iota() iota_dimension = 0 -> 0xcomplex<f32>",
      "dynamic_iota(2xi64) iota_dimension = 1 -> ?x3xf32",
      "broadcast(3xf32) broadcast_sizes = [2, 0] -> 2x0x3xf32",
      "broadcast_in_dim(f32) broadcast_dimensions = [] -> 2x3xf32",
      "broadcast_in_dim(1x3xf32) broadcast_dimensions = [0, 2] -> 2x5x3xf32",
      "broadcast_in_dim(3x2xf32) broadcast_dimensions = [1, 0] -> 2x3xf32",
      "dynamic_broadcast_in_dim(1xi8, 2xi32) broadcast_dimensions = [1] -> ?x4xi8",
      "reshape(2x3xf32) -> 3x2xf32",
      "reshape(1x1xi8) -> i8",
      "reshape(0x3xf32) -> 5x0xf32",
      "reshape(?xf32) -> 2x3xf32",
      "dynamic_reshape(6xf32, 2xi64) -> ?x?xf32",
      "transpose(2x3x4xf32) permutation = [2, 0, 1] -> 4x2x3xf32",
      "transpose(f32) permutation = [] -> f32",
      "transpose(2x3xf32) permutation = ![1, 0] -> 3x2xf32",
      "reverse(2x3xf32) dimensions = [1] -> 2x3xf32",
      "reverse(2x3xf32) dimensions = [] -> 2x3xf32",
      "bitcast_convert(2xf32) -> 2xi32",
      "bitcast_convert(2xf64) -> 2x2xi32",
      "bitcast_convert(2x4xi8) -> 2xf32",
      "bitcast_convert(f64) -> 64xi1",
      "bitcast_convert(2xi4) -> i8",
      "bitcast_convert(2xcomplex<f64>) -> 2x2xcomplex<f32>",
      "get_dimension_size(2x3xf32) dimension = 1 -> i32",
      "set_dimension_size(2x3xf32, i32) dimension = 1 -> 2x?xf32",
      "set_dimension_size(2x3xf32, i32) dimension = 1 -> 2x2xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void broadcasts_may_know_what_expands(void** state) {
  (void)state;
  static const char* const uses[] = {
      ("dynamic_broadcast_in_dim(1x4xf32, 3xi32) broadcast_dimensions = [1, 2],"
       " known_expanding_dimensions = [0], known_nonexpanding_dimensions = [1] -> ?x?x4xf32")};
  TN_TEST_ACCEPTS(uses);
}

static void shape_operations_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"constant() value = <2xf32> -> 3xf32", "constant (C1)"},
      {"constant() value = !3 -> i64",
       "constant: attribute \"value\" is 3 : i64; expected dense<...>"},
      {"iota() iota_dimension = 2 -> 2x3xi32",
       "iota (C1): iota_dimension is 2; expected a dimension of a tensor of rank 2"},
      {"iota() iota_dimension = -1 -> 2x3xi32", "iota (C1)"},
      {"iota() iota_dimension = 0 -> i32", "iota (C1)"},
      {"iota() iota_dimension = 0 -> 2xi1", "iota (C1): output has type tensor<2xi1>"},
      {"dynamic_iota(2xi64) iota_dimension = 2 -> ?x3xf32", "dynamic_iota (C1)"},
      {"dynamic_iota(3xi64) iota_dimension = 0 -> ?x3xf32", "dynamic_iota (C2)"},
      {"dynamic_iota(2xf32) iota_dimension = 0 -> ?x3xf32", "dynamic_iota (I1)"},
      {"broadcast(3xf32) broadcast_sizes = [-1] -> 3xf32", "broadcast: broadcast_sizes is [-1]"},
      {"broadcast(3xf32) broadcast_sizes = [2] -> 3x2xf32",
       "broadcast: result has type tensor<3x2xf32>; expected tensor<2x3xf32>"},
      {"broadcast(3xf32) broadcast_sizes = [4611686018427387904] -> f32", "overflows 64 bits"},
      {"broadcast_in_dim(3xf32) broadcast_dimensions = [0] -> 3xf64", "broadcast_in_dim (C1)"},
      {"broadcast_in_dim(3xf32) broadcast_dimensions = [0, 1] -> 3x4xf32",
       "broadcast_in_dim (C2): broadcast_dimensions has 2 entries; expected 1"},
      {"broadcast_in_dim(3xf32) broadcast_dimensions = [2] -> 3x4xf32", "broadcast_in_dim (C3)"},
      {"broadcast_in_dim(3xf32) broadcast_dimensions = [-1] -> 3x4xf32", "broadcast_in_dim (C3)"},
      {"broadcast_in_dim(3x3xf32) broadcast_dimensions = [0, 0] -> 3x4xf32",
       "broadcast_in_dim (C4): broadcast_dimensions: dimension 0 is there twice"},
      {"broadcast_in_dim(3xf32) broadcast_dimensions = [1] -> 3x4xf32",
       "broadcast_in_dim (C5): dimension 0 of operand is 3; expected 1 or 4, dimension 1 of "
       "result"},
      {"broadcast_in_dim(3xf32) broadcast_dimensions = [0] -> token", "broadcast_in_dim (C1)"},
      {"dynamic_broadcast_in_dim(3xf32, 2xi32) broadcast_dimensions = [0] -> ?x4xf64",
       "dynamic_broadcast_in_dim (C1)"},
      {"dynamic_broadcast_in_dim(3xf32, 2xi32) broadcast_dimensions = [] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C2)"},
      {"dynamic_broadcast_in_dim(3xf32, 2xi32) broadcast_dimensions = [2] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C3)"},
      {"dynamic_broadcast_in_dim(3x3xf32, 2xi32) broadcast_dimensions = [1, 1] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C4)"},
      {"dynamic_broadcast_in_dim(3xf32, 2xi32) broadcast_dimensions = [1] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C5)"},
      {"dynamic_broadcast_in_dim(3xf32, 3xi32) broadcast_dimensions = [0] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C7): output_dimensions has shape 3; expected 2"},
      {"dynamic_broadcast_in_dim(3xf32, 2xi32) broadcast_dimensions = [0],"
       " known_expanding_dimensions = [0], known_nonexpanding_dimensions = [0] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C8)"},
      {"dynamic_broadcast_in_dim(3xf32, 2xi32) broadcast_dimensions = [0],"
       " known_expanding_dimensions = [1] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C9)"},
      {"dynamic_broadcast_in_dim(3xf32, 2xi32) broadcast_dimensions = [0],"
       " known_nonexpanding_dimensions = [1] -> ?x4xf32",
       "dynamic_broadcast_in_dim (C10)"},
      {"reshape(2x3xf32) -> 3x2xi32", "reshape (C1)"},
      {"reshape(2x3xf32) -> 4x2xf32", "reshape (C2): result has 8 elements; expected 6"},
      {"reshape(2x3xf32) -> tuple<6xf32>", "reshape (C1)"},
      {"reshape(2x3xf32) -> 2x?xf32",
       "reshape: result has type tensor<2x?xf32>; expected dimensions "
       "that are known, or bounds"},
      {"broadcast_in_dim(f32) broadcast_dimensions = [] -> ?xf32", "broadcast_in_dim: result"},
      {"dynamic_reshape(2xf32, ?xi32) -> ?xf32", "dynamic_reshape (C4)"},
      {"dynamic_reshape(6xf32, 2xi64) -> ?x?xi32", "dynamic_reshape (C1)"},
      {"dynamic_reshape(6xf32, 2xi64) -> 2x2xf32", "dynamic_reshape (C2)"},
      {"dynamic_reshape(6xf32, 1xi64) -> ?x?xf32", "dynamic_reshape (C4)"},
      {"transpose(2x3xf32) permutation = [0] -> 2x3xf32", "transpose (C2)"},
      {"transpose(2x3xf32) permutation = [0, 0] -> 2x2xf32", "transpose (C2)"},
      {"transpose(2x3xf32) permutation = [1, 2] -> 2x3xf32", "transpose (C2)"},
      {"transpose(2x3xf32) permutation = [1, -1] -> 2x3xf32", "transpose (C2)"},
      {"transpose(2x3xf32) permutation = [1, 0] -> 2x3xf32",
       "transpose (C3): result has type tensor<2x3xf32>; expected tensor<3x2xf32>"},
      {"transpose(2x3xf32) permutation = [1, 0] -> 3x2xi32", "transpose (C1)"},
      {"transpose(2x3xf32) permutation = !\"x\" -> 3x2xf32",
       "transpose: attribute \"permutation\" is the string \"x\"; expected a list of i64"},
      {"reverse(2x3xf32) dimensions = [1] -> 3x2xf32", "reverse (C1)"},
      {"reverse(2x3xf32) dimensions = [1, 1] -> 2x3xf32", "reverse (C2)"},
      {"reverse(2x3xf32) dimensions = [2] -> 2x3xf32", "reverse (C3)"},
      {"bitcast_convert(2xf32) -> 3xi32", "bitcast_convert (C1)"},
      {"bitcast_convert(2xf64) -> 2x3xi32", "bitcast_convert (C1)"},
      {"bitcast_convert(2xf64) -> 2xi32", "bitcast_convert (C1)"},
      {"bitcast_convert(2x3xi8) -> 2xf32", "bitcast_convert (C1)"},
      {"bitcast_convert(i8) -> f32", "bitcast_convert (C1)"},
      {"bitcast_convert(3xf6E2M3FN) -> ui8", "bitcast_convert (C1)"},
      {"bitcast_convert(2xcomplex<f32>) -> 2xf64", "bitcast_convert (C2)"},
      {"get_dimension_size(2x3xf32) dimension = 2 -> i32", "get_dimension_size (C1)"},
      {"get_dimension_size(2x3xf32) dimension = 0 -> i64", "get_dimension_size (C1): result"},
      {"set_dimension_size(2x3xf32, i64) dimension = 1 -> 2x?xf32", "set_dimension_size: size"},
      {"set_dimension_size(2x3xf32, i32) dimension = 2 -> 2x?xf32", "set_dimension_size: dimen"},
      {"set_dimension_size(2x3xf32, i32) dimension = 1 -> 1x?xf32", "set_dimension_size: result"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shape_operations_accept_what_they_are_for),
      cmocka_unit_test(broadcasts_may_know_what_expands),
      cmocka_unit_test(shape_operations_refuse_what_breaks_a_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
