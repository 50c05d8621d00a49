// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

static void reductions_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [1] -> 2xf32",
      "reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [0, 1] -> f32",
      "reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [] -> 2x3xf32",
      ("reduce(2x3xf32, 2x3xi32, f32, i32) {f32, i32, f32, i32 -> f32, i32} dimensions = [0]"
       " -> 3xf32, 3xi32"),
      "reduce(2xbf16, bf16) {f32, f32 -> f32} dimensions = [0] -> f32",
      "reduce(?x3xi1, i1) {i1, i1 -> i1} dimensions = [1] -> 2xi1",
      "map(2x3xf32, 2x3xi32) {f32, i32 -> i1} dimensions = [0, 1] -> 2x3xi1",
      ("sort(2x3xf32, 2x3xi32) {f32, f32, i32, i32 -> i1} dimension = 1, is_stable = true"
       " -> 2x3xf32, 2x3xi32"),
      "sort(3xf32) {f32, f32 -> i1} -> 3xf32",
      "sort(2x3xf32) {f32, f32 -> i1} dimension = -2 -> 2x3xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void reductions_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"reduce(2x3xf32, 3x2xf32, f32, f32) {f32, f32, f32, f32 -> f32, f32} dimensions = [0]"
       " -> 3xf32, 3xf32",
       "reduce (C1): input 1 has shape 3x2; expected 2x3"},
      {"reduce(2x3xf32, f64) {f32, f32 -> f32} dimensions = [1] -> 2xf32", "reduce (C2)"},
      {"reduce(2x3xf32, 1xf32) {f32, f32 -> f32} dimensions = [1] -> 2xf32", "reduce (I2)"},
      {"reduce(token, f32) {f32, f32 -> f32} dimensions = [1] -> 2xf32", "reduce (I1)"},
      {"reduce(2xf32, f32, f32) {f32, f32 -> f32} dimensions = [0] -> f32", "reduce (C3)"},
      {"reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [1] -> 2xf32, 2xf32",
       "reduce (C3): has 2 results; expected 1"},
      {"reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [2] -> 2xf32", "reduce (C4)"},
      {"reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [-1] -> 2xf32", "reduce (C4)"},
      {"reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [1, 1] -> 2xf32", "reduce (C5)"},
      {"reduce(2x3xf32, f32) {f32, f32 -> i1} dimensions = [1] -> 2xi1",
       "reduce (C6): result 0 of body has type tensor<i1>; expected tensor<f32> or what that "
       "promotes to"},
      {"reduce(2x3xf32, f32) {f32, f32 -> bf16} dimensions = [1] -> 2xbf16", "reduce (C6)"},
      {"reduce(2x3xf32, f32) {f32, f32 -> f32, f32} dimensions = [1] -> 2xf32", "reduce (C6)"},
      {"reduce(2x3xf32, f32) {f32 -> f32} dimensions = [1] -> 2xf32",
       "reduce (C6): body has type (tensor<f32>) -> (tensor<f32>); expected (tensor<f32>, "
       "tensor<f32>) -> (tensor<f32>)"},
      {"reduce(2x3xf32, f32) {f32, 1xf32 -> f32} dimensions = [1] -> 2xf32", "reduce (C6)"},
      {"reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [1] -> 3xf32", "reduce (C7)"},
      {"reduce(2x3xf32, f32) {f64, f64 -> f64} dimensions = [1] -> 2xf32", "reduce (C8)"},
      {"reduce(2x3xf32, f32) dimensions = [1] -> 2xf32", "reduce: has 0 regions; expected 1"},
      {"map(2xf32, 3xf32) {f32, f32 -> f32} dimensions = [0] -> 2xf32", "map (C1)"},
      {"map() {-> f32} dimensions = [] -> f32", "map: has 0 operands; expected at least 1"},
      {"map(2x3xf32) {f32 -> f32} dimensions = [0] -> 2x3xf32", "map (C3)"},
      {"map(2x3xf32) {f32 -> f32} dimensions = [1, 0] -> 2x3xf32",
       "map (C3): dimensions is [1, 0]; expected all 2 dimensions in order"},
      {"map(2xf32) {f64 -> f32} dimensions = [0] -> 2xf32", "map (C4)"},
      {"map(2xf32) {f32 -> f32, f32} dimensions = [0] -> 2xf32", "map (C4)"},
      {"map(2xf32) {f32 -> f32} dimensions = [0] -> 2xi32", "map (C4)"},
      {"sort() {-> i1} -> ", "sort: has 0 operands; expected at least 1"},
      {"sort(3xf32) {f32, f32 -> i1} -> 3xi32", "sort (C2)"},
      {"sort(3xf32, 4xf32) {f32, f32, f32, f32 -> i1} -> 3xf32, 4xf32", "sort (C3)"},
      {"sort(3xf32) {f32, f32 -> i1} dimension = 1 -> 3xf32",
       "sort (C4): dimension is 1; expected -1 to 0"},
      {"sort(3xf32) {f32, f32 -> i1} dimension = -2 -> 3xf32", "sort (C4)"},
      {"sort(f32) {f32, f32 -> i1} -> f32", "sort (C4)"},
      {"sort(3xf32, 3xi32) {f32, i32, f32, i32 -> i1} -> 3xf32, 3xi32", "sort (C5)"},
      {"sort(3xf32) {f32, f32 -> f32} -> 3xf32", "sort (C5)"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reductions_accept_what_they_are_for),
      cmocka_unit_test(reductions_refuse_what_breaks_a_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
