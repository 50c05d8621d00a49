// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing_allocator.h"
#include "ops/testing_use.h"

static void attributes_match_their_specifications(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"iota() -> 2xi32", "iota: attribute \"iota_dimension\" is missing"},
      {"iota() iota_dimension = !\"0\" -> 2xi32",
       "iota: attribute \"iota_dimension\" is the string \"0\"; expected an integer of type i64"},
      {"iota() iota_dimention = !0 -> 2xi32",
       "iota: there is no attribute \"iota_dimention\"\nnote: did you mean iota_dimension?"},
      {"cholesky(2x2xf32) lower = !1 -> 2x2xf32",
       "cholesky: attribute \"lower\" is 1 : i64; expected true or false"},
      {"all_reduce(2xf32) {f32, f32 -> f32} replica_groups = [[0]], use_global_device_ids = !true"
       " -> 2xf32",
       "attribute \"use_global_device_ids\" is true; expected no value"},
      {"func.call() callee = !\"f\" -> ",
       "call: attribute \"callee\" is the string \"f\"; expected a symbol"},
      {"custom_call() call_target_name = !@f -> ",
       "attribute \"call_target_name\" is a symbol; expected a string"},
      {"custom_call() call_target_name = \"f\", called_computations = !\"g\" -> ",
       "attribute \"called_computations\" is the string \"g\"; expected a list of symbols"},
      {"custom_call() call_target_name = \"f\", operand_layouts = ![1] -> ",
       "expected a list of dense<...> of type tensor<Nxindex>"},
      {"composite() name = \"a.b\", decomposition = @f, composite_attributes = !3 -> ",
       "attribute \"composite_attributes\" is 3 : i64; expected a dictionary"},
      {"compare(f32, f32) comparison_direction = !\"LT\" -> i1",
       "attribute \"comparison_direction\" is the string \"LT\"; expected an enumerator"},
      {"compare(f32, f32) comparison_direction = LESS -> i1",
       "compare: attribute \"comparison_direction\": there is no comparison_direction \"LESS\""},
      {"dot(2xf32, 2xf32) precision_config = ![1] -> f32", "expected a list of enumerators"},
      {"gather(2xf32, 1xi32) dimension_numbers = !{} , slice_sizes = [1] -> 1xf32",
       "gather: attribute \"dimension_numbers\" is a dictionary; expected a structure"},
      {"gather(2xf32, 1xi32) dimension_numbers = {offsets = [1]}, slice_sizes = [1] -> 1xf32",
       "gather: attribute \"dimension_numbers\": a gather has no field \"offsets\""},
      {"gather(2xf32, 1xi32) dimension_numbers = {offset_dims = !3}, slice_sizes = [1] -> 1xf32",
       "gather: attribute \"dimension_numbers\": attribute \"offset_dims\" is 3 : i64; expected "
       "a "
       "list of i64"},
      {"exponential(f32) result_accuracy = {mode = BEST} -> f32",
       "exponential: attribute \"result_accuracy\": attribute \"mode\": there is no "
       "result_accuracy_mode \"BEST\""},
      {"dot_general(2xf32, 2xf32) dot_dimension_numbers = {}, algorithm = {lhs_precision_type = !3}"
       " -> 2x2xf32",
       "attribute \"lhs_precision_type\" is 3 : i64; expected a type"},
      {"constant() value = ![1] -> i64", "is an array of i64; expected dense<...>"},
      {"sort(2xf32) {f32, f32 -> i1} dimension = !1.5 -> 2xf32", "dimension\" is 1.5 : f64"},
      {"check.expect_almost_eq(f32, f32) tolerance = !1 -> ", "expected a float of type f64"},
  };
  TN_TEST_REFUSES(cases);
}

static void what_is_not_the_operations_own_passes(void** state) {
  (void)state;
  static const char* const uses[] = {
      "add(f32, f32) mhlo.frontend = {a = 1} -> f32",
      "add(f32, f32) num_batch_dims = \"0\", x = unit -> f32",
      // near to an attribute that is there itself
      "iota() iota_dimension = 0, iota_dimensions = 3 -> 2xi32",
      // too short to be a misspelling
      "custom_call() call_target_name = \"f\", layout = 3 -> ",
  };
  TN_TEST_ACCEPTS(uses);
}

static void older_spellings_of_lists_are_read(void** state) {
  (void)state;
  static const char* const uses[] = {
      "transpose(2x2xf32) permutation = ![1, 0] -> 2x2xf32",
      "slice(2xf32) start_indices = !<1xi64>, limit_indices = !<1xi64>, strides = [1] -> 0xf32",
  };
  TN_TEST_ACCEPTS(uses);
  static const tn_rule_case_t cases[] = {
      {"slice(2xf32) start_indices = !<1xi32>, limit_indices = [1], strides = [1] -> 1xf32",
       "expected a list of i64"},
      {"slice(2xf32) start_indices = !<1x1xi64>, limit_indices = [1], strides = [1] -> 1xf32",
       "expected a list of i64"},
  };
  TN_TEST_REFUSES(cases);
}

static void types_are_inferred_for_builders(void** state) {
  (void)state;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  const tn_type_t* types[2] = {NULL};
  size_t count = 0;
  tn_op_use_t use;
  tn__test_read_use("transpose(2x3xf32) permutation = [1, 0] -> ", &arena, &use);
  TN_ASSERT_OK(tn__op_infer(&use, 2, types, &count));
  assert_int_equal(count, 1);
  assert_string_equal(TN_TYPE_TEXT(types[0]), "tensor<3x2xf32>");
  // what does not follow must be stated
  tn__test_read_use("reshape(2x3xf32) -> ", &arena, &use);
  TN_ASSERT_REPORT("reshape: the result's type does not follow from the operands; state it",
                   tn__op_infer(&use, 2, types, &count));
  assert_int_equal(count, 0);
  tn__test_read_use("reshape(2x3xf32) -> 6xf32", &arena, &use);
  TN_ASSERT_OK(tn__op_infer(&use, 2, types, &count));
  assert_string_equal(TN_TYPE_TEXT(types[0]), "tensor<6xf32>");
  // a stated type that differs is an error here, too
  tn__test_read_use("transpose(2x3xf32) permutation = [1, 0] -> 2x3xf32", &arena, &use);
  TN_ASSERT_REPORT("transpose (C3)", tn__op_infer(&use, 2, types, &count));
  tn__test_read_use("check.expect_eq(f32, f32) -> ", &arena, &use);
  TN_ASSERT_OK(tn__op_infer(&use, 0, types, &count));
  assert_int_equal(count, 0);
  tn__test_read_use("optimization_barrier(f32, f32) -> ", &arena, &use);
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__op_infer(&use, 1, types, &count));
  tn__arena_deinit(&arena);
}

static void enumerators_have_their_numbers(void** state) {
  (void)state;
  assert_int_equal(tn__enum_value("comparison_direction", TN_SV_LITERAL("LT")), 5);
  assert_int_equal(tn__enum_value("rng_distribution", TN_SV_LITERAL("UNIFORM")), 1);
  assert_int_equal(tn__enum_value("comparison_direction", TN_SV_LITERAL("UNIFORM")), -1);
  assert_string_equal(tn__enum_name("transpose", 3), "ADJOINT");
  assert_null(tn__enum_name("transpose", 4));
  assert_int_equal(TN_ENUM_fft_type_IRFFT, 3);
  assert_null(tn__struct_fields(TN_SV_LITERAL("nothing")));
}

static tn_status_t check_with(const tn_allocator_t* allocator, void* context) {
  tn_op_use_t use = *(const tn_op_use_t*)context;
  tn_arena_t arena;
  tn__arena_init(&arena, allocator);
  use.arena = &arena;
  tn_status_t status = tn__op_check(&use);
  tn__arena_deinit(&arena);
  return status;
}

static void every_allocation_may_fail(void** state) {
  (void)state;
  static const char* const uses[] = {
      "abs(2xcomplex<f32>) -> 2xf32",
      "tuple(f32, i32) -> tuple<f32, i32>",
      "reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [1] -> 2xf32",
      "sort(3xf32) {f32, f32 -> i1} -> 3xf32",
      "reduce_window(4xf32, f32) {f32, f32 -> f32} window_dimensions = [2] -> 3xf32",
      "all_reduce(2xf32) {f32, f32 -> f32} replica_groups = [[0, 1]] -> 2xf32",
      "collective_permute(2xf32) source_target_pairs = [[0, 1], [1, 0]] -> 2xf32",
      "custom_call(f32) call_target_name = \"f\", output_operand_aliases = [{}] -> f32",
      "slice(2xf32) start_indices = !<1xi64>, limit_indices = !<1xi64>, strides = [1] -> 0xf32",
  };
  for (size_t i = 0; i < sizeof uses / sizeof *uses; ++i) {
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_op_use_t use;
    tn__test_read_use(uses[i], &arena, &use);
    tn__testing_sweep_allocations(check_with, &use);
    tn__arena_deinit(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attributes_match_their_specifications),
      cmocka_unit_test(what_is_not_the_operations_own_passes),
      cmocka_unit_test(older_spellings_of_lists_are_read),
      cmocka_unit_test(types_are_inferred_for_builders),
      cmocka_unit_test(enumerators_have_their_numbers),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
