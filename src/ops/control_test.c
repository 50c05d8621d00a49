// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

static void control_flow_accepts_what_it_is_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "if(i1) {-> f32} {-> f32} -> f32",
      "if(i1) {->} {->} -> ",
      "case(i32) {-> 2xf32, token} -> 2xf32, token",
      "case(i32) {-> f32} {-> f32} {-> f32} -> f32",
      "while(i32, 2xf32) {i32, 2xf32 -> i1} {i32, 2xf32 -> i32, 2xf32} -> i32, 2xf32",
      "while() {-> i1} {->} -> ",
      "while(tuple<token>) {tuple<token> -> i1} {tuple<token> -> tuple<token>} -> tuple<token>",
      "return(f32, i32) -> ",
      "func.return() -> ",
      "tuple(f32, tuple<i32>, token) -> tuple<f32, tuple<i32>, token>",
      "tuple() -> tuple<>",
      "get_tuple_element(tuple<f32, 2xi32>) index = 1 -> 2xi32",
      "optimization_barrier(f32, token) -> f32, token",
      "optimization_barrier() -> ",
      "after_all(token, token) -> token",
      "after_all() -> token",
      "create_token() -> token",
      "replica_id() -> ui32",
      "partition_id() -> ui32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void control_flow_refuses_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"if(1xi1) {-> f32} {-> f32} -> f32", "if (I1): pred has type tensor<1xi1>"},
      {"if(i1) {f32 -> f32} {-> f32} -> f32", "if (C1): branch 0 takes 1 argument;"},
      {"if(i1) {-> f32} {f32 -> f32} -> f32", "if (C1): branch 1"},
      {"if(i1) {-> f32} {-> f64} -> f32",
       "if (C2): result 0 of branch 1 has type tensor<f64>; expected tensor<f32>, as in the first"},
      {"if(i1) {-> f32} {-> f32, f32} -> f32", "if (C2)"},
      {"if(i1) {-> f32} {-> f32} -> f64", "if (C3)"},
      {"if(i1) {-> f32} -> f32", "if: has 1 region; expected 2"},
      {"case(i32) -> ", "case (C1): has no branches"},
      {"case(i64) {-> f32} -> f32", "case (I1)"},
      {"case(i32) {f32 -> f32} -> f32", "case (C2)"},
      {"case(i32) {-> f32} {-> i32} -> f32", "case (C3)"},
      {"case(i32) {-> f32} {-> f32} -> i32", "case (C4)"},
      {"while(i32) {i64 -> i1} {i32 -> i32} -> i32",
       "while (C1): cond has type (tensor<i64>) -> (tensor<i1>); expected (tensor<i32>) -> "
       "(tensor<i1>)"},
      {"while(i32) {i32 -> i32} {i32 -> i32} -> i32", "while (C1)"},
      {"while(i32) {i32 -> 1xi1} {i32 -> i32} -> i32", "while (C1)"},
      {"while(i32) {i32 -> i1} {i32 -> f32} -> i32", "while (C2)"},
      {"while(i32) {i32 -> i1} {-> i32} -> i32", "while (C2)"},
      {"while(i32) {i32 -> i1} {i32 -> i32} -> i64", "while (C3)"},
      {"while(i32) {i32 -> i1} {i32 -> i32} -> ", "while: has 0 results; expected 1"},
      {"return(f32) -> f32", "return: has 1 result; expected 0"},
      {"tuple(f32) -> tuple<f64>", "tuple (C1)"},
      {"get_tuple_element(f32) index = 0 -> f32", "get_tuple_element (I1)"},
      {"get_tuple_element(tuple<f32>) index = 1 -> f32",
       "get_tuple_element (C1): index is 1; expected one of the 1 elements of operand"},
      {"get_tuple_element(tuple<f32>) index = -1 -> f32", "get_tuple_element (C1)"},
      {"get_tuple_element(tuple<f32>) index = 0 -> f64", "get_tuple_element (C2)"},
      {"get_tuple_element(tuple<f32>) index = !0 -> f32",
       "attribute \"index\" is 0 : i64; expected an integer of type i32"},
      {"optimization_barrier(f32, i32) -> i32, f32", "optimization_barrier (C1): result 0"},
      {"after_all(f32) -> token", "after_all (I1): input 0 has type tensor<f32>"},
      {"replica_id() -> i32", "replica_id: result has type tensor<i32>; expected tensor<ui32>"},
  };
  TN_TEST_REFUSES(cases);
}

static void tuples_do_not_nest_without_end(void** state) {
  (void)state;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  const tn_type_t* type = tn__type_token();
  tn_status_t status = TN_OK;
  for (int depth = 0; depth <= TN_MAX_TYPE_DEPTH && !status; ++depth) {
    tn_op_use_t use = {
        .op = TN__OP(tuple), .operand_count = 1, .operand_types = &type, .arena = &arena};
    const tn_type_t* result = NULL;
    size_t count = 0;
    status = tn__op_infer(&use, 1, &result, &count);
    if (!status) type = result;
  }
  TN_ASSERT_REPORT("tuple (C1): tuples nest deeper than 64 levels", status);
  tn__arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(control_flow_accepts_what_it_is_for),
      cmocka_unit_test(control_flow_refuses_what_breaks_a_constraint),
      cmocka_unit_test(tuples_do_not_nest_without_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
