// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "pass/passes.h"
#include "pass/testing_pass.h"

// The entry, which the verifier takes, after the pass.
static const tn_function_t* after(const char* operands, const char* operation, const char* result) {
  char text[1024];
  snprintf(text, sizeof text, "func.func @main(%s) -> %s {\n%%0 = %s\nreturn %%0 : %s\n}\n",
           operands, result, operation, result);
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(tn__pass_decompose(rewritten, entry));
  TN_ASSERT_OK(tn__module_verify(rewritten));
  return entry;
}

static bool has(const tn_function_t* function, const tn_op_t* op) {
  TN_FOR_EACH_NODE (node, function->body) {
    if (node->op == op) return true;
  }
  return false;
}

static void a_product_of_matrices_needs_no_reduction(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("%x: tensor<2x3xf32>, %y: tensor<3x4xf32>",
            "stablehlo.einsum %x, %y, config = \"ab,bc->ac\" : (tensor<2x3xf32>, tensor<3x4xf32>) "
            "-> tensor<2x4xf32>",
            "tensor<2x4xf32>");
  assert_true(has(entry, TN__OP(dot_general)));
  assert_false(has(entry, TN__OP(reduce)) || has(entry, TN__OP(einsum)));
}

static void what_one_operand_alone_has_is_summed_in_the_results_type(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("%x: tensor<2x3xi8>, %y: tensor<3x4xi8>",
            "stablehlo.einsum %x, %y, config = \"ab,bc->b\" : (tensor<2x3xi8>, tensor<3x4xi8>) -> "
            "tensor<3xi32>",
            "tensor<3xi32>");
  TN_FOR_EACH_NODE (node, entry->body) {
    if (node->op == TN__OP(reduce)) assert_int_equal(node->results[0].type->dtype, TN_DTYPE_S32);
  }
  assert_true(has(entry, TN__OP(reduce)));
}

static void every_label_may_come_several_times(void** state) {
  (void)state;
  const tn_function_t* entry = after("%x: tensor<2x3x2x3x2xf32>",
                                     "stablehlo.unary_einsum %x, config = \"abaca->bc\" : "
                                     "(tensor<2x3x2x3x2xf32>) -> tensor<3x3xf32>",
                                     "tensor<3x3xf32>");
  assert_false(has(entry, TN__OP(unary_einsum)));
}

static void selecting_places_is_a_gather(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("%x: tensor<5x4x3x2xf32>, %i: tensor<5x6x7xui8>",
            "\"stablehlo.torch_index_select\"(%x, %i) <{dim = 2 : i64, batch_dims = 1 : i64}> : "
            "(tensor<5x4x3x2xf32>, tensor<5x6x7xui8>) -> tensor<5x4x6x7x2xf32>",
            "tensor<5x4x6x7x2xf32>");
  assert_ptr_equal(entry->body->first->op, TN__OP(gather));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(a_product_of_matrices_needs_no_reduction, release),
      cmocka_unit_test_teardown(what_one_operand_alone_has_is_summed_in_the_results_type, release),
      cmocka_unit_test_teardown(every_label_may_come_several_times, release),
      cmocka_unit_test_teardown(selecting_places_is_a_gather, release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
