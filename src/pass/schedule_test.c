// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Where custom calls go that say when they want to run.
#include "base/testing.h"
#include "pass/passes.h"

// The targets of the calls of the body, in order, after the pass.
static void check_order(const char* body, const char* wanted) {
  char text[4096], order[256] = "";
  tn_module_t *source = NULL, *module = NULL;
  snprintf(text, sizeof text, "func.func @main(%%x: tensor<f32>) -> tensor<f32> {\n%s\n}\n", body);
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &source));
  TN_ASSERT_OK(tn__module_clone(source, &module));
  tn_function_t* entry = tn__module_entry(module);
  TN_ASSERT_OK(tn__pass_schedule_calls(module, entry));
  TN_ASSERT_OK(tn__module_verify(module));
  TN_FOR_EACH_NODE (node, entry->body) {
    tn_string_view_t name = node->op == TN__OP(custom_call)
                                ? tn__attr_get_string(&node->attrs, "call_target_name")
                                : tn__sv(tn__op_short_name(node->op));
    size_t length = strlen(order);
    snprintf(order + length, sizeof order - length, "%s%.*s", length ? " " : "", TN_SV(name));
  }
  assert_string_equal(order, wanted);
  tn_module_release(module);
  tn_module_release(source);
}

#define T "tensor<f32>"
#define CALL(result, target, operand, attrs) \
  "%" result " = stablehlo.custom_call @" target "(%" operand ") {" attrs "} : (" T ") -> " T "\n"
#define EARLIEST "tenon.schedule = \"earliest\""
#define LATEST "tenon.schedule = \"latest\""
#define EFFECT "has_side_effect = true"
#define NEGATE(result, operand) "%" result " = stablehlo.negate %" operand " : " T "\n"
#define RETURN(value) "return %" value " : " T

static void calls_without_a_hint_stay(void** state) {
  (void)state;
  check_order(NEGATE("a", "x") CALL("b", "one", "x", "")
                  CALL("c", "two", "x", "tenon.schedule = \"none\"") RETURN("c"),
              "negate one two return");
}

static void early_calls_follow_their_operands(void** state) {
  (void)state;
  check_order(NEGATE("a", "x") NEGATE("b", "a") CALL("c", "one", "a", EARLIEST) RETURN("c"),
              "negate one negate return");
  check_order(NEGATE("a", "x") NEGATE("b", "a") CALL("c", "one", "x", EARLIEST) RETURN("c"),
              "one negate negate return");
}

static void early_calls_keep_their_order(void** state) {
  (void)state;
  check_order(NEGATE("a", "x") CALL("b", "one", "x", EARLIEST) CALL("c", "two", "x", EARLIEST)
                  CALL("d", "three", "b", EARLIEST) RETURN("d"),
              "one two three negate return");
  check_order(NEGATE("a", "x") NEGATE("b", "x") CALL("c", "one", "a", EARLIEST)
                  CALL("d", "two", "c", EARLIEST) CALL("e", "three", "a", EARLIEST) RETURN("e"),
              "negate one two three negate return");
}

static void late_calls_precede_their_first_user(void** state) {
  (void)state;
  check_order(CALL("a", "one", "x", LATEST) NEGATE("b", "x") NEGATE("c", "a") RETURN("c"),
              "negate one negate return");
  check_order(CALL("a", "one", "x", LATEST) NEGATE("b", "x") NEGATE("c", "b") RETURN("c"),
              "negate negate one return");
  check_order(CALL("a", "one", "x", LATEST) CALL("b", "two", "a", LATEST) NEGATE("c", "x")
                  NEGATE("d", "b") RETURN("d"),
              "negate one two negate return");
}

static void a_use_inside_a_region_is_a_use(void** state) {
  (void)state;
  check_order(CALL("a", "one", "x", LATEST) NEGATE("b", "x") "%p = stablehlo.constant dense<true> "
              ": tensor<i1>\n%c = \"stablehlo.if\"(%p) ({\n  stablehlo.return %a : " T
              "\n}, {\n  stablehlo.return %b : " T "\n}) : (tensor<i1>) -> " T
              "\n" NEGATE("d", "c") RETURN("d"),
              "negate constant one if negate return");
}

static void calls_with_effects_do_not_pass_each_other(void** state) {
  (void)state;
  check_order(NEGATE("a", "x") CALL("b", "one", "x", EFFECT) NEGATE("c", "x")
                  CALL("d", "two", "x", EFFECT ", " EARLIEST) RETURN("d"),
              "negate one two negate return");
  check_order(CALL("a", "one", "x", EFFECT ", " LATEST) NEGATE("b", "x")
                  CALL("c", "two", "x", EFFECT) NEGATE("d", "a") RETURN("d"),
              "negate one two negate return");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_without_a_hint_stay),
      cmocka_unit_test(early_calls_follow_their_operands),
      cmocka_unit_test(early_calls_keep_their_order),
      cmocka_unit_test(late_calls_precede_their_first_user),
      cmocka_unit_test(a_use_inside_a_region_is_a_use),
      cmocka_unit_test(calls_with_effects_do_not_pass_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
