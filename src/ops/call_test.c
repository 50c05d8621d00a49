// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

#define CALL(operands, attrs) "custom_call(" operands ") call_target_name = \"f\"" attrs " -> "

static void calls_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      CALL("2xf32", "") "2xf32",
      CALL("", ", has_side_effect = true") "",
      CALL("f32", ", backend_config = \"opaque\", api_version = 3") "f32",
      CALL("f32", ", backend_config = {alpha = 1.5}, api_version = 4") "f32",
      CALL("f32", ", api_version = 4") "f32",
      CALL("f32", ", backend_config = \"\", mhlo.backend_config = {n = 3}") "f32",
      CALL("f32", ", called_computations = [@comparator]") "f32",
      CALL("2x3xf32, token", ", operand_layouts = [[0, 1], []], result_layouts = [[]]") "f32",
      CALL("", ", operand_layouts = [], result_layouts = [[0], [1, 0]]") "tuple<2xf32, 2x2xf32>",
      CALL("2xf32, i32", ", output_operand_aliases = [{operand_index = 0}]") "2xf32",
      CALL("2xf32, i32",
           ", output_operand_aliases = [{output_tuple_indices = [1], operand_index = 0},"
           "{output_tuple_indices = [0], operand_index = 1}]") "i32, 2xf32",
      CALL("tuple<f32, 2xf32>",
           ", output_operand_aliases = [{output_tuple_indices = [0, 1], operand_index = 0,"
           "operand_tuple_indices = [1]}]") "tuple<i32, 2xf32>, i32",
      // the only result is a tuple: the first index names an element of it
      CALL("tuple<f32, 2xf32>",
           ", output_operand_aliases = [{output_tuple_indices = [1], operand_index = 0,"
           "operand_tuple_indices = [1]}]") "tuple<i32, 2xf32>",
      CALL("f32", ", whatever = 3, num_batch_dims = \"0\"") "f32",
      "composite(f32) name = \"my.op\", decomposition = @f, composite_attributes = {k = 1} -> f32",
      "composite(f32) {->} name = \"my_space.sub.op_2\", decomposition = @impl -> ",
      "func.call(f32) callee = @f -> 2xf32, i32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void calls_refuse_what_breaks_a_rule(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"custom_call() -> f32", "custom_call: attribute \"call_target_name\" is missing"},
      {CALL("f32", ", backend_confg = \"x\"") "f32",
       "custom_call: there is no attribute \"backend_confg\"\nnote: did you mean backend_config?"},
      {CALL("f32", ", api_version = 5") "f32", "custom_call: api_version is 5; expected 0 to 4"},
      {CALL("f32", ", api_version = -1") "f32", "custom_call: api_version is -1"},
      {CALL("f32", ", backend_config = {}") "f32",
       "custom_call: backend_config is a dictionary; expected a string with api_version 1"},
      {CALL("f32", ", backend_config = [1], api_version = 4") "f32",
       "custom_call: backend_config is an array<...>; expected a dictionary with api_version 4"},
      {CALL("f32", ", tenon.schedule = \"soon\"") "f32",
       "custom_call: tenon.schedule is not a schedule; expected \"none\", \"earliest\" or "
       "\"latest\""},
      {CALL("f32", ", tenon.literal = 3") "f32",
       "custom_call: tenon.literal is an integer; expected dense elements"},
      {CALL("f32", ", operand_layouts = [[]]") "f32",
       "custom_call: operand_layouts is given without result_layouts; expected both"},
      {CALL("f32", ", result_layouts = [[]]") "f32", "result_layouts is given without"},
      {CALL("f32, f32", ", operand_layouts = [[]], result_layouts = [[]]") "f32",
       "custom_call: operand_layouts has 1 entries; expected 2, one for each operand"},
      {CALL("f32", ", operand_layouts = [[]], result_layouts = []") "f32",
       "custom_call: result_layouts has 0 entries; expected 1"},
      {CALL("2x3xf32", ", operand_layouts = [[0, 0]], result_layouts = [[]]") "f32",
       "custom_call: operand 0 has layout [0, 0]; expected an order of the dimensions of "
       "tensor<2x3xf32>"},
      {CALL("2x3xf32", ", operand_layouts = [[0, 2]], result_layouts = [[]]") "f32",
       "layout [0, 2]"},
      {CALL("2x3xf32", ", operand_layouts = [[0]], result_layouts = [[]]") "f32", "layout [0]"},
      {CALL("token", ", operand_layouts = [[0]], result_layouts = [[]]") "f32", "layout [0]"},
      {CALL("tuple<f32>", ", operand_layouts = [[]], result_layouts = [[]]") "f32",
       "expected no layout for a tuple"},
      {CALL("", ", operand_layouts = [], result_layouts = [[]]") "tuple<tuple<f32>>",
       "expected no layout for a tuple"},
      {CALL("", ", operand_layouts = [], result_layouts = [[0]]") "tuple<2xf32, f32>",
       "custom_call: result_layouts has 1 entries; expected 2"},
      {CALL("f32", ", output_operand_aliases = [{operand_index = 1}]") "f32",
       "custom_call: alias 0 names operand 1; expected one of the 1 operands"},
      {CALL("f32", ", output_operand_aliases = [{operand_index = -1}]") "f32", "names operand -1"},
      {CALL("f32", ", output_operand_aliases = [{operand_tuple_indices = [0]}]") "f32",
       "custom_call: alias 0: operand 0 of type tensor<f32> has no element [0]"},
      {CALL("tuple<f32>", ", output_operand_aliases = [{operand_tuple_indices = [1]}]") "f32",
       "has no element [1]"},
      {CALL("f32", ", output_operand_aliases = [{output_tuple_indices = [2]}]") "f32, f32",
       "custom_call: alias 0: the results have no element [2]"},
      {CALL("f32", ", output_operand_aliases = [{}]") "f32, f32", "the results have no element []"},
      {CALL("f32", ", output_operand_aliases = [{}]") "f64",
       "custom_call: alias 0: operand 0 has type tensor<f32>, its result tensor<f64>; expected "
       "equal types"},
      {CALL("f32",
            ", output_operand_aliases = [{output_tuple_indices = [0]},"
            "{output_tuple_indices = [1]}]") "f32, f32",
       "custom_call: aliases 0 and 1 name the same operand"},
      {CALL("f32, f32",
            ", output_operand_aliases = [{output_tuple_indices = [0], operand_index = 0},"
            "{output_tuple_indices = [0], operand_index = 1}]") "f32, f32",
       "custom_call: aliases 0 and 1 name the same result"},
      {CALL("f32", ", output_operand_aliases = ![1]") "f32", "expected a list of structures"},
      {"composite(f32) name = \"op\", decomposition = @impl -> f32", "composite (C1)"},
      {"composite(f32) name = \"my.\", decomposition = @impl -> f32", "composite (C1)"},
      {"composite(f32) name = \".op\", decomposition = @impl -> f32", "composite (C1)"},
      {"composite(f32) name = \"a..b\", decomposition = @impl -> f32", "composite (C1)"},
      {"composite(f32) name = \"a b.c\", decomposition = @impl -> f32", "composite (C1)"},
      {"composite(f32) name = \"\", decomposition = @impl -> f32",
       "composite (C1): name is \"\"; expected a namespace, a dot and a name"},
      {"func.call(f32) callee = @ -> f32", "call: callee has no name"},
  };
  TN_TEST_REFUSES(cases);
}

static void checks_compare_like_with_like(void** state) {
  (void)state;
  static const char* const uses[] = {
      "check.expect_eq(2xi1, 2xi1) -> ",
      "check.expect_eq_const(2xi32) value = <2xi32> -> ",
      "check.expect_almost_eq(2xf32, 2xf32) tolerance = 0.1 -> ",
      "check.expect_almost_eq_const(complex<f32>) value = <complex<f32>> -> ",
      "check.expect_close(2xf16, 2xf16) max_ulp_difference = 3 -> ",
  };
  TN_TEST_ACCEPTS(uses);
  static const tn_rule_case_t cases[] = {
      {"check.expect_eq(2xi32, 3xi32) -> ", "expect_eq: rhs has type tensor<3xi32>"},
      {"check.expect_eq(token, token) -> ", "expect_eq: lhs"},
      {"check.expect_eq_const(2xi32) value = <3xi32> -> ", "expect_eq_const: value has type"},
      {"check.expect_almost_eq(2xi32, 2xi32) -> ", "expect_almost_eq: lhs has type tensor<2xi32>"},
      {"check.expect_almost_eq_const(f32) value = <f64> -> ", "expect_almost_eq_const: value"},
      {"check.expect_close(2xf16, 2xf32) max_ulp_difference = 3 -> ", "expect_close: rhs"},
      {"check.expect_close(2xf16, 2xf16) max_ulp_difference = !3 -> ",
       "is 3 : i64; expected an integer of type ui64"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_accept_what_they_are_for),
      cmocka_unit_test(calls_refuse_what_breaks_a_rule),
      cmocka_unit_test(checks_compare_like_with_like),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
