// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "pass/fusion.h"

#include "kernel/target.h"
#include "pass/pass.h"
#include "pass/testing_pass.h"

#define T "tensor<64x64xf32>"

static const tn_function_t* fused(const char* text) {
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(
      tn__pass_run(rewritten, entry,
                   &(tn_pass_options_t){.target = &tn__compile_target_host, .keep_all = false}));
  return entry;
}

// The operations of a region, fusions with what they hold: "fusion(add tanh) reduce return".
static void spell(const tn_region_t* region, char* out, size_t capacity) {
  out[0] = '\0';
  TN_FOR_EACH_NODE (node, region) {
    const size_t length = strlen(out);
    char inner[256] = "";
    if (node->op == TN__OP_OF(tenon, fusion)) spell(node->regions[0], inner, sizeof inner);
    snprintf(out + length, capacity - length, "%s%s%s%s%s", length ? " " : "",
             tn__op_short_name(node->op), *inner ? "(" : "", inner, *inner ? ")" : "");
  }
}

static void expect(const char* wanted, const char* text) {
  char found[512];
  const tn_function_t* entry = fused(text);
  spell(entry->body, found, sizeof found);
  assert_string_equal(found, wanted);
}

static void chains_are_fused(void** state) {
  (void)state;
  expect("fusion(add tanh multiply return) return", "func.func @main(%x: " T ", %y: " T ") -> " T
                                                    " {\n"
                                                    "%a = stablehlo.add %x, %y : " T
                                                    "\n"
                                                    "%b = stablehlo.tanh %a : " T
                                                    "\n"
                                                    "%c = stablehlo.multiply %b, %a : " T
                                                    "\n"
                                                    "return %c : " T "\n}\n");
}

static void what_is_needed_outside_is_a_result_too(void** state) {
  (void)state;
  const tn_function_t* entry = fused("func.func @main(%x: " T ") -> (" T ", " T
                                     ") {\n"
                                     "%a = stablehlo.negate %x : " T
                                     "\n"
                                     "%b = stablehlo.tanh %a : " T
                                     "\n"
                                     "return %b, %a : " T ", " T "\n}\n");
  assert_ptr_equal(entry->body->first->op, TN__OP_OF(tenon, fusion));
  assert_int_equal(entry->body->first->result_count, 2);
  assert_int_equal(entry->body->last->operands[0]->index, 1);
  assert_int_equal(entry->body->last->operands[1]->index, 0);
}

static void broadcasts_are_read_where_they_are(void** state) {
  (void)state;
  expect("constant broadcast_in_dim broadcast_in_dim fusion(add maximum return) return",
         "func.func @main(%x: " T ", %b: tensor<64xf32>) -> " T
         " {\n"
         "%z = stablehlo.constant dense<0.0> : " T
         "\n"
         "%r = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<64xf32>) -> " T
         "\n"
         "%a = stablehlo.add %x, %r : " T
         "\n"
         "%c = stablehlo.maximum %a, %z : " T
         "\n"
         "return %c : " T "\n}\n");
}

static void transposed_operands_are_read_where_they_are(void** state) {
  (void)state;
  expect("broadcast_in_dim fusion(add return) return",
         "func.func @main(%x: tensor<8x64x64xf32>, %b: " T
         ") -> tensor<8x64x64xf32> {\n"
         "%r = stablehlo.broadcast_in_dim %b, dims = [2, 1] : (" T
         ") -> tensor<8x64x64xf32>\n"
         "%a = stablehlo.add %x, %r : tensor<8x64x64xf32>\n"
         "return %a : tensor<8x64x64xf32>\n}\n");
}

// Neither along the last dimension nor along the one before it are there neighbours.
static void elements_that_are_far_from_each_other_are_stored(void** state) {
  (void)state;
  expect("transpose add return",
         "func.func @main(%x: tensor<64x8x64xf32>, %y: tensor<64x8x64xf32>) -> tensor<64x8x64xf32> "
         "{\n"
         "%r = stablehlo.transpose %y, dims = [2, 1, 0] : (tensor<64x8x64xf32>) -> "
         "tensor<64x8x64xf32>\n"
         "%a = stablehlo.add %x, %r : tensor<64x8x64xf32>\n"
         "return %a : tensor<64x8x64xf32>\n}\n");
}

static void small_arrays_are_left_alone(void** state) {
  (void)state;
  expect("negate tanh return",
         "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
         "%a = stablehlo.negate %x : tensor<8x8xf32>\n"
         "%b = stablehlo.tanh %a : tensor<8x8xf32>\n"
         "return %b : tensor<8x8xf32>\n}\n");
}

// %d needs %b by way of the sum, so it is in another group; the sum may be in that of %b. %c could
// be in either, and is where it is used, as %b has to be kept anyway.
static void a_way_through_something_else_parts_groups(void** state) {
  (void)state;
  expect(
      "constant fusion(negate tanh reduce return) broadcast_in_dim "
      "fusion(abs subtract multiply return) return",
      "func.func @main(%x: " T ") -> " T
      " {\n"
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%a = stablehlo.negate %x : " T
      "\n"
      "%b = stablehlo.tanh %a : " T
      "\n"
      "%s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : "
      "(" T
      ", tensor<f32>) -> tensor<64xf32>\n"
      "%c = stablehlo.abs %b : " T
      "\n"
      "%r = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<64xf32>) -> " T
      "\n"
      "%d = stablehlo.subtract %b, %r : " T
      "\n"
      "%e = stablehlo.multiply %d, %c : " T
      "\n"
      "return %e : " T "\n}\n");
}

static void what_only_a_reduction_reads_is_not_stored(void** state) {
  (void)state;
  const tn_function_t* entry =
      fused("func.func @main(%x: " T
            ") -> tensor<64xf32> {\n"
            "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%a = stablehlo.multiply %x, %x : " T
            "\n"
            "%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
            "(" T
            ", tensor<f32>) -> tensor<64xf32>\n"
            "return %s : tensor<64xf32>\n}\n");
  const tn_node_t* fusion = entry->body->first->next;
  assert_ptr_equal(fusion->op, TN__OP_OF(tenon, fusion));
  assert_int_equal(fusion->result_count, 1);
  assert_int_equal(fusion->operand_count, 2);
  assert_int_equal(fusion->regions[0]->arguments[1].type->rank, 0);
}

// The rows give the order of the work; the columns read what is stored.
static void a_group_has_one_reduction_of_another_kind(void** state) {
  (void)state;
  expect("constant fusion(multiply reduce return) reduce return",
         "func.func @main(%x: " T
         ") -> (tensor<64xf32>, tensor<64xf32>) {\n"
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%a = stablehlo.multiply %x, %x : " T
         "\n"
         "%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
         "(" T
         ", tensor<f32>) -> tensor<64xf32>\n"
         "%t = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : "
         "(" T
         ", tensor<f32>) -> tensor<64xf32>\n"
         "return %s, %t : tensor<64xf32>, tensor<64xf32>\n}\n");
}

// Bodies that are run element by element, and short pieces of rows that are apart.
static void some_reductions_read_what_is_stored(void** state) {
  (void)state;
  expect("constant negate reduce return",
         "func.func @main(%x: " T
         ") -> tensor<64xf32> {\n"
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%a = stablehlo.negate %x : " T
         "\n"
         "%s = stablehlo.reduce(%a init: %z) across dimensions = [1] : "
         "(" T
         ", tensor<f32>) -> tensor<64xf32>\n"
         "reducer(%p: tensor<f32>, %q: tensor<f32>) {\n"
         "%t = stablehlo.tanh %q : tensor<f32>\n"
         "%r = stablehlo.add %p, %t : tensor<f32>\n"
         "stablehlo.return %r : tensor<f32>\n}\n"
         "return %s : tensor<64xf32>\n}\n");
  tn_module_release(rewritten);
  tn_module_release(source);
  expect("constant negate reduce return",
         "func.func @main(%x: tensor<2x4x2000x3xf32>) -> tensor<4x3xf32> {\n"
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%a = stablehlo.negate %x : tensor<2x4x2000x3xf32>\n"
         "%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 2] : "
         "(tensor<2x4x2000x3xf32>, tensor<f32>) -> tensor<4x3xf32>\n"
         "return %s : tensor<4x3xf32>\n}\n");
}

// %a is read by the group of the sum and by that of the result, which needs the sum: `first` says
// what it is, of an argument with `attributes`; `returned` is returned, too.
#define TWO_GROUPS(attributes, first, returned)                                            \
  "func.func @main(%x: " T attributes ") -> (" T ", " T                                    \
  ") {\n"                                                                                  \
  "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"                                     \
  "%a = stablehlo." first " : " T                                                          \
  "\n"                                                                                     \
  "%q = stablehlo.tanh %a : " T                                                            \
  "\n"                                                                                     \
  "%s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] : (" T \
  ", tensor<f32>) -> tensor<64xf32>\n"                                                     \
  "%r = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<64xf32>) -> " T                \
  "\n"                                                                                     \
  "%y = stablehlo.divide %a, %r : " T                                                      \
  "\n"                                                                                     \
  "return %y, %" returned " : " T ", " T "\n}\n"

static void quick_operations_are_done_again_rather_than_stored(void** state) {
  (void)state;
  expect(
      "constant fusion(multiply tanh reduce return) broadcast_in_dim "
      "fusion(multiply divide return) return",
      TWO_GROUPS("", "multiply %x, %x", "x"));
}

static void slow_operations_are_done_once(void** state) {
  (void)state;
  expect(
      "constant fusion(exponential tanh reduce return) broadcast_in_dim fusion(divide return) "
      "return",
      TWO_GROUPS("", "exponential %x", "x"));
}

static void what_is_stored_anyway_is_computed_once(void** state) {
  (void)state;
  expect(
      "constant fusion(multiply tanh reduce return) broadcast_in_dim fusion(divide return) return",
      TWO_GROUPS("", "multiply %x, %x", "a"));
}

static void arguments_that_are_given_away_are_read_once(void** state) {
  (void)state;
  expect(
      "constant fusion(multiply tanh reduce return) broadcast_in_dim fusion(divide return) return",
      TWO_GROUPS(" {tf.aliasing_output = 0 : i32}", "multiply %x, %x", "x"));
}

static void effects_keep_their_order(void** state) {
  (void)state;
  expect("first second fusion(negate add return) return",
         "func.func @main(%x: " T ") -> " T
         " {\n"
         "%a = stablehlo.negate %x : " T
         "\n"
         "%p = stablehlo.custom_call @first(%x) {has_side_effect = true} : (" T ") -> " T
         "\n"
         "%q = stablehlo.custom_call @second(%x) {has_side_effect = true} : (" T ") -> " T
         "\n"
         "%b = stablehlo.add %a, %q : " T
         "\n"
         "return %b : " T "\n}\n");
}

static void bodies_of_loops_are_fused_and_those_of_reductions_not(void** state) {
  (void)state;
  const tn_function_t* entry =
      fused("func.func @main(%x: " T ", %n: tensor<i32>) -> " T
            " {\n"
            "%r:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, " T
            "\n"
            "cond {\n"
            "%z = stablehlo.constant dense<0> : tensor<i32>\n"
            "%p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "stablehlo.return %p : tensor<i1>\n"
            "} do {\n"
            "%o = stablehlo.constant dense<1> : tensor<i32>\n"
            "%j = stablehlo.subtract %i, %o : tensor<i32>\n"
            "%b = stablehlo.negate %a : " T
            "\n"
            "%c = stablehlo.tanh %b : " T
            "\n"
            "stablehlo.return %j, %c : tensor<i32>, " T
            "\n}\n"
            "return %r#1 : " T "\n}\n");
  char found[512];
  spell(entry->body->first->regions[1], found, sizeof found);
  assert_string_equal(found, "constant subtract fusion(negate tanh return) return");
}

static void keep_all_fuses_nothing(void** state) {
  (void)state;
  static const char text[] = "func.func @main(%x: " T ") -> " T
                             " {\n"
                             "%a = stablehlo.negate %x : " T
                             "\n"
                             "%b = stablehlo.tanh %a : " T
                             "\n"
                             "return %b : " T "\n}\n";
  char found[512];
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(
      tn__pass_run(rewritten, entry,
                   &(tn_pass_options_t){.target = &tn__compile_target_host, .keep_all = true}));
  spell(entry->body, found, sizeof found);
  assert_string_equal(found, "negate tanh return");
}

#define SUM(out, in)                                                                             \
  out " = stablehlo.reduce(" in " init: %z) applies stablehlo.add across dimensions = [1] : (" T \
      ", tensor<f32>) -> tensor<64xf32>\n"
#define OF_ROWS(out, in) \
  out " = stablehlo.broadcast_in_dim " in ", dims = [0] : (tensor<64xf32>) -> " T "\n"
#define ROWS_FUNCTION(results)              \
  "func.func @main(%x: " T ") -> (" results \
  ") {\n"                                   \
  "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"

static void reductions_of_rows_are_members(void** state) {
  (void)state;
  expect(
      "constant fusion(reduce broadcast_in_dim subtract exponential reduce broadcast_in_dim divide "
      "return) return",
      ROWS_FUNCTION(T) SUM("%m", "%x") OF_ROWS("%n", "%m")  //
      "%a = stablehlo.subtract %x, %n : " T
      "\n"
      "%e = stablehlo.exponential %a : " T "\n"  //
      SUM("%s", "%e") OF_ROWS("%t", "%s")        //
      "%y = stablehlo.divide %e, %t : " T
      "\n"
      "return %y : " T "\n}\n");
}

// %v is an operation over 64 numbers, far below the size from which arrays are fused.
static void operations_over_rows_are_members(void** state) {
  (void)state;
  const tn_function_t* entry =
      fused(ROWS_FUNCTION(T ", tensor<64xf32>") SUM("%s", "%x")  //
            "%v = stablehlo.multiply %s, %s : tensor<64xf32>\n"
            "%c = stablehlo.reshape %v : (tensor<64xf32>) -> tensor<64x1xf32>\n"
            "%d = stablehlo.rsqrt %c : tensor<64x1xf32>\n"
            "%b = stablehlo.broadcast_in_dim %d, dims = [0, 1] : (tensor<64x1xf32>) -> " T
            "\n"
            "%y = stablehlo.multiply %x, %b : " T
            "\n"
            "return %y, %v : " T ", tensor<64xf32>\n}\n");
  char found[512];
  spell(entry->body, found, sizeof found);
  assert_string_equal(
      found,
      "constant fusion(reduce multiply reshape rsqrt broadcast_in_dim multiply return) return");
  assert_int_equal(entry->body->first->next->result_count, 2);
}

// What is one number for each row is read for columns: another pass over the array.
static void rows_that_are_read_for_columns_part_groups(void** state) {
  (void)state;
  expect("constant fusion(negate reduce return) broadcast_in_dim fusion(subtract return) return",
         ROWS_FUNCTION(T) "%a = stablehlo.negate %x : " T "\n" SUM(
             "%s", "%a") "%b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<64xf32>) -> " T
                         "\n"
                         "%y = stablehlo.subtract %x, %b : " T
                         "\n"
                         "return %y : " T "\n}\n");
}

// Rows of 64 and rows of 512 numbers.
static void rows_of_one_group_have_one_length(void** state) {
  (void)state;
  expect("constant fusion(negate reduce return) fusion(tanh reduce return) return",
         "func.func @main(%x: tensor<8x8x64xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {\n"
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%a = stablehlo.negate %x : tensor<8x8x64xf32>\n"
         "%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [2] : "
         "(tensor<8x8x64xf32>, tensor<f32>) -> tensor<8x8xf32>\n"
         "%b = stablehlo.tanh %x : tensor<8x8x64xf32>\n"
         "%t = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [1, 2] : "
         "(tensor<8x8x64xf32>, tensor<f32>) -> tensor<8xf32>\n"
         "return %s, %t : tensor<8x8xf32>, tensor<8xf32>\n}\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(chains_are_fused, release),
      cmocka_unit_test_teardown(what_is_needed_outside_is_a_result_too, release),
      cmocka_unit_test_teardown(broadcasts_are_read_where_they_are, release),
      cmocka_unit_test_teardown(transposed_operands_are_read_where_they_are, release),
      cmocka_unit_test_teardown(elements_that_are_far_from_each_other_are_stored, release),
      cmocka_unit_test_teardown(small_arrays_are_left_alone, release),
      cmocka_unit_test_teardown(a_way_through_something_else_parts_groups, release),
      cmocka_unit_test_teardown(what_only_a_reduction_reads_is_not_stored, release),
      cmocka_unit_test_teardown(reductions_of_rows_are_members, release),
      cmocka_unit_test_teardown(operations_over_rows_are_members, release),
      cmocka_unit_test_teardown(rows_that_are_read_for_columns_part_groups, release),
      cmocka_unit_test_teardown(rows_of_one_group_have_one_length, release),
      cmocka_unit_test_teardown(a_group_has_one_reduction_of_another_kind, release),
      cmocka_unit_test_teardown(some_reductions_read_what_is_stored, release),
      cmocka_unit_test_teardown(quick_operations_are_done_again_rather_than_stored, release),
      cmocka_unit_test_teardown(slow_operations_are_done_once, release),
      cmocka_unit_test_teardown(what_is_stored_anyway_is_computed_once, release),
      cmocka_unit_test_teardown(arguments_that_are_given_away_are_read_once, release),
      cmocka_unit_test_teardown(effects_keep_their_order, release),
      cmocka_unit_test_teardown(bodies_of_loops_are_fused_and_those_of_reductions_not, release),
      cmocka_unit_test_teardown(keep_all_fuses_nothing, release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
