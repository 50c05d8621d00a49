// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing.h"
#include "kernel/target.h"
#include "pass/passes.h"

static const tn_node_t* reduce_of(tn_module_t* module) {
  TN_FOR_EACH_NODE (node, tn__module_entry(module)->body) {
    if (node->op == TN__OP(reduce)) return node;
  }
  fail_msg("the module has no reduce");
  return NULL;
}

// The dimensions of the first argument of the body after the pass, as text.
static void assert_body_takes(const char* wanted, const char* outputs, const char* body) {
  char text[2048];
  tn_module_t *module = NULL, *clone = NULL;
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<%sx8xf32>, %%init: tensor<f32>, %%scale: tensor<f32>) -> "
           "tensor<%sxf32> {\n"
           "  %%0 = \"stablehlo.reduce\"(%%x, %%init) <{dimensions = array<i64: 1>}> ({\n"
           "  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n%s"
           "    stablehlo.return %%r : tensor<f32>\n"
           "  }) : (tensor<%sx8xf32>, tensor<f32>) -> tensor<%sxf32>\n"
           "  return %%0 : tensor<%sxf32>\n}\n",
           outputs, outputs, body, outputs, outputs, outputs);
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn__module_clone(module, &clone));
  clone->target = &tn__compile_target_host;
  TN_ASSERT_OK(tn__pass_vectorize_bodies(clone, tn__module_entry(clone)));
  const tn_region_t* region = reduce_of(clone)->regions[0];
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      assert_string_equal(TN_TYPE_TEXT(node->operands[i]->type), wanted);
    }
  }
  assert_string_equal(TN_TYPE_TEXT(region->arguments[0].type), wanted);
  tn_module_release(clone);
  tn_module_release(module);
}

#define SCALED_SUM                                         \
  "    %c = stablehlo.constant dense<2.0> : tensor<f32>\n" \
  "    %s = stablehlo.multiply %b, %scale : tensor<f32>\n" \
  "    %t = stablehlo.multiply %s, %c : tensor<f32>\n"     \
  "    %r = stablehlo.add %a, %t : tensor<f32>\n"

static void a_body_works_on_one_lane_for_each_output(void** state) {
  (void)state;
  assert_body_takes("tensor<100xf32>", "100", SCALED_SUM);
}

static void lanes_are_bounded(void** state) {
  (void)state;
  assert_body_takes("tensor<256xf32>", "1000", SCALED_SUM);
}

static void few_outputs_are_left_alone(void** state) {
  (void)state;
  assert_body_takes("tensor<f32>", "3", SCALED_SUM);
}

static void a_body_with_a_loop_of_its_own_is_left_alone(void** state) {
  (void)state;
  assert_body_takes("tensor<f32>", "100", "    %r = stablehlo.maximum %a, %b : tensor<f32>\n");
}

static void a_body_that_is_not_elementwise_is_left_alone(void** state) {
  (void)state;
  assert_body_takes("tensor<f32>", "100",
                    "    %s = stablehlo.add %a, %b : tensor<f32>\n"
                    "    %r = stablehlo.custom_call @f(%s) : (tensor<f32>) -> tensor<f32>\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_works_on_one_lane_for_each_output),
      cmocka_unit_test(lanes_are_bounded),
      cmocka_unit_test(few_outputs_are_left_alone),
      cmocka_unit_test(a_body_with_a_loop_of_its_own_is_left_alone),
      cmocka_unit_test(a_body_that_is_not_elementwise_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
