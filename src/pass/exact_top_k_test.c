// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/operation.h"
#include "kernel/target.h"
#include "pass/passes.h"
#include "pass/testing_pass.h"

#define GREATER                                                                            \
  "func.func @gt(%%a: tensor<f32>, %%b: tensor<f32>, %%i: tensor<i32>, %%j: tensor<i32>) " \
  "-> tensor<i1> {\n"                                                                      \
  "%%0 = stablehlo.compare GT, %%a, %%b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"      \
  "return %%0 : tensor<i1>\n}\n"

// A search along the last of two dimensions with these parts.
typedef struct search {
  const char *comparison, *dimension, *result;  // NULL: what is right
} search_t;

static tn_function_t* before(search_t search) {
  const char* result = search.result ? search.result : "2x3";
  char text[2048];
  snprintf(text, sizeof text,
           GREATER
           "func.func public @main(%%x: tensor<2x5xf32>, %%i: tensor<2x5xi32>, %%z: tensor<f32>, "
           "%%m: tensor<i32>) -> (tensor<%sxf32>, tensor<%sxi32>) {\n"
           "%%r:2 = stablehlo.custom_call @ApproxTopK(%%x, %%i, %%z, %%m) {backend_config = \"\", "
           "called_computations = [@%s], mhlo.backend_config = {aggregate_to_topk = true, "
           "is_fallback = true, reduction_dim = %s : i64, top_k = 3 : i64}} : (tensor<2x5xf32>, "
           "tensor<2x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<%sxf32>, tensor<%sxi32>)\n"
           "return %%r#0, %%r#1 : tensor<%sxf32>, tensor<%sxi32>\n}\n",
           result, result, search.comparison ? search.comparison : "gt",
           search.dimension ? search.dimension : "1", result, result, result, result);
  release(NULL);
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(tn__pass_resolve_calls(rewritten, entry));
  return entry;
}

static void an_approximate_search_is_a_stable_sort_of_which_the_first_are_kept(void** state) {
  (void)state;
  tn_function_t* entry = before((search_t){NULL, NULL, NULL});
  TN_ASSERT_OK(tn__pass_exact_top_k(rewritten, entry));
  TN_ASSERT_OK(tn__module_verify(rewritten));
  const tn_node_t* sort = entry->body->first;
  assert_ptr_equal(sort->op, TN__OP(sort));
  assert_int_equal(sort->operand_count, 2);
  assert_true(tn__attr_get_bool(&sort->attrs, "is_stable", false));
  assert_int_equal(tn__attr_get_integer(&sort->attrs, "dimension", -1), 1);
  const tn_function_t* callee = tn__pass_callee(sort->regions[0]->first);
  assert_true(callee && tn__sv_is(callee->name, "gt"));
  for (uint32_t i = 0; i < 2; ++i) {
    const tn_node_t* slice = entry->body->last->operands[i]->node;
    assert_ptr_equal(slice->op, TN__OP(slice));
    assert_ptr_equal(slice->operands[0], &sort->results[i]);
  }
}

static void a_search_that_makes_no_sense_is_refused(void** state) {
  (void)state;
  static const search_t searches[] = {
      {"main", NULL, NULL}, {NULL, "2", NULL},   {NULL, "-1", NULL}, {NULL, "0", NULL},
      {NULL, NULL, "2x6"},  {NULL, NULL, "1x3"}, {NULL, NULL, "6"},
  };
  for (size_t i = 0; i < sizeof searches / sizeof *searches; ++i) {
    tn_function_t* entry = before(searches[i]);
    TN_ASSERT_REPORT("ApproxTopK: expected", tn__pass_exact_top_k(rewritten, entry));
  }
}

static void a_comparison_that_searches_itself_is_refused(void** state) {
  (void)state;
  static const char text[] =
      "func.func @loop(%a: tensor<1xf32>, %b: tensor<f32>) -> tensor<i1> {\n"
      "%0 = stablehlo.custom_call @ApproxTopK(%a, %b) {called_computations = [@f], "
      "mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<1xf32>, tensor<f32>) -> "
      "tensor<1xf32>\n"
      "%1 = stablehlo.constant dense<true> : tensor<i1>\n"
      "return %1 : tensor<i1>\n}\n"
      "func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {\n"
      "%x = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>\n"
      "%0 = func.call @loop(%x, %b) : (tensor<1xf32>, tensor<f32>) -> tensor<i1>\n"
      "return %0 : tensor<i1>\n}\n"
      "func.func public @main(%a: tensor<f32>) -> tensor<i1> {\n"
      "%0 = func.call @f(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "return %0 : tensor<i1>\n}\n";
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &source));
  TN_ASSERT_OK(tn__module_clone(source, &rewritten));
  TN_ASSERT_REPORT("calls itself",
                   tn__pass_run(rewritten, tn__module_entry(rewritten),
                                &(tn_pass_options_t){.target = &tn__compile_target_host}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(an_approximate_search_is_a_stable_sort_of_which_the_first_are_kept,
                                release),
      cmocka_unit_test_teardown(a_search_that_makes_no_sense_is_refused, release),
      cmocka_unit_test_teardown(a_comparison_that_searches_itself_is_refused, release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
