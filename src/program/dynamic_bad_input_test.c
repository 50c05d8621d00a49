// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions with unknown dimensions that are wrong in what only their refinement reads: an error at
// the place, and nothing else.
#include "program/testing_run.h"

// What a run of the body says, for %x with 3 elements.
static tn_status_t run(const char* body, const char* result) {
  char text[1024];
  tn_buffer_t *x = tn__testing_floats(3, (float[]){1, 2, 3}), *y = NULL;
  snprintf(text, sizeof text, "func.func @main(%%x: tensor<?xf32>) -> %s {\n%s}\n", result, body);
  tn_program_t* program = tn__testing_program(text, false);
  tn_status_t warning = TN_OK;  // attributes are those that JAX writes
  assert_false(tn_program_warning(program, 0, &warning));
  assert_null(warning);
  tn_status_t status = tn_program_run(program, 1, &x, NULL, 1, &y);
  tn_buffer_release(y);
  tn_buffer_release(x);
  tn_program_release(program);
  return status;
}

#define SAME "tensor<?xf32>"

static void assertions_have_a_condition(void** state) {
  (void)state;
#define ASSERT(operands, types)                                                       \
  "stablehlo.custom_call @shape_assertion(" operands                                  \
  ") {api_version = 2 : i32, error_message = \"\", has_side_effect = true} : (" types \
  ") -> ()\n return %x : tensor<?xf32>\n"
#define NUMBER(value, type) "%c = stablehlo.constant dense<" value "> : tensor<" type ">\n"
  TN_ASSERT_REPORT("custom call @shape_assertion: operand 0 is missing; expected 1 integer",
                   run(ASSERT("", ""), SAME));
  TN_ASSERT_REPORT("operand 0 gives sizes and depends on data",
                   run(ASSERT("%x", "tensor<?xf32>"), SAME));
  TN_ASSERT_REPORT("operand 0 has type tensor<f32>; expected 1 integer",
                   run(NUMBER("1.0", "f32") ASSERT("%c", "tensor<f32>"), SAME));
  TN_ASSERT_REPORT("operand 0 has type tensor<0xi1>; expected 1 integer",
                   run(NUMBER("", "0xi1") ASSERT("%c", "tensor<0xi1>"), SAME));
}

static void shapes_of_results_are_integers_for_each_dimension(void** state) {
  (void)state;
#define CALL(operands, types, attributes)                                                 \
  "%y = stablehlo.custom_call @dynamic_anything(" operands ") {" attributes "} : (" types \
  ") -> tensor<?x?xf32>\n return %y : tensor<?x?xf32>\n"
#define RESULT "tensor<?x?xf32>"
#define FIRST "indices_of_shape_operands = dense<0> : tensor<1xi64>"
  TN_ASSERT_REPORT("operand 0 has type tensor<1xi32>; expected 2 integers",
                   run(NUMBER("2", "1xi32") CALL("%c", "tensor<1xi32>", FIRST), RESULT));
  TN_ASSERT_REPORT("operand 0 has type tensor<2xf32>; expected 2 integers",
                   run(NUMBER("2.0", "2xf32") CALL("%c", "tensor<2xf32>", FIRST), RESULT));
  TN_ASSERT_REPORT("dimension 0 would have size -2",
                   run(NUMBER("-2", "2xi32") CALL("%c", "tensor<2xi32>", FIRST), RESULT));
  TN_ASSERT_REPORT("indices_of_shape_operands names operand 0; the call has 0",
                   run(CALL("", "", FIRST), RESULT));
  TN_ASSERT_REPORT(
      "indices_of_shape_operands has 2 entries; expected 1, one for each result",
      run(NUMBER("2", "2xi32")
              CALL("%c", "tensor<2xi32>", "indices_of_shape_operands = dense<0> : tensor<2xi64>"),
          RESULT));
  TN_ASSERT_REPORT("its sizes as an operand that indices_of_shape_operands names",
                   run(NUMBER("2", "2xi32") CALL("%c", "tensor<2xi32>", ""), RESULT));
}

// (shape, %x) -> result: a call that nothing is registered for once its shape is known.
#define SIZED(result, more)                                                                     \
  "%y = stablehlo.custom_call @sized(%c, %x) {indices_of_shape_operands = dense<0> : "          \
  "tensor<1xi64>" more "} : (tensor<1xi32>, tensor<?xf32>) -> " result "\n return %y : " result \
  "\n"

static void shape_operands_agree_with_the_results_and_are_no_aliases(void** state) {
  (void)state;
#define ALIAS(operand)                                                                      \
  ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], " \
  "operand_index = " operand ", operand_tuple_indices = []>]"
  TN_ASSERT_REPORT("operand 0 gives result 0 the type tensor<3xf32>; expected tensor<4xf32>",
                   run(NUMBER("3", "1xi32") SIZED("tensor<4xf32>", ""), "tensor<4xf32>"));
  TN_ASSERT_REPORT("custom call @sized: nothing is registered",
                   run(NUMBER("3", "1xi32") SIZED(SAME, ALIAS("1")), SAME));
  TN_ASSERT_REPORT(
      "an alias names operand 0, which is a shape",
      run(NUMBER("1", "1xi32") "%y = stablehlo.custom_call @sized(%c) {indices_of_shape_operands = "
                               "dense<0> : tensor<1xi64>" ALIAS(
                                   "0") "} : (tensor<1xi32>) -> "
                                        "tensor<1xi32>\n return %x : tensor<?xf32>\n",
          SAME));
}

static void what_jax_writes_for_operations_has_their_operands(void** state) {
  (void)state;
#define NAMED(name, operands, types, results)                                        \
  "%y:2 = stablehlo.custom_call @stablehlo.dynamic_" name "(" operands ") : (" types \
  ") -> " results "\n return %x : tensor<?xf32>\n"
#define PAIR "(tensor<?xf32>, tensor<?xi32>)"
  TN_ASSERT_REPORT("@stablehlo.dynamic_top_k: 1 operands and 2 results; expected 2 and 2",
                   run(NAMED("top_k", "%x", SAME, PAIR), SAME));
  TN_ASSERT_REPORT("operand 1 gives sizes and depends on data",
                   run(NAMED("top_k", "%x, %x", SAME ", " SAME, PAIR), SAME));
  TN_ASSERT_REPORT(
      "attribute \"rng_algorithm\" is missing",
      run(NUMBER("3", "1xi32") NAMED("rng_bit_generator", "%c, %c", "tensor<1xi32>, tensor<1xi32>",
                                     "(tensor<1xi32>, tensor<?xui32>)"),
          SAME));
  TN_ASSERT_REPORT("@stablehlo.dynamic_approx_top_k: 2 operands and 2 results; expected 5 and 2",
                   run(NAMED("approx_top_k", "%x, %x", SAME ", " SAME, PAIR), SAME));
}

static void windows_have_sizes_for_each_dimension(void** state) {
  (void)state;
#define WINDOW(list, pads, type, pad_type)                                                       \
  "%l = stablehlo.constant dense<" list "> : tensor<" type                                       \
  ">\n"                                                                                          \
  "%p = stablehlo.constant dense<" pads "> : tensor<" pad_type                                   \
  ">\n"                                                                                          \
  "%i = stablehlo.constant dense<0.0> : tensor<f32>\n"                                           \
  "%y = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %i, %l, %l, %l, %l, %p) "     \
  "{called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<" type ">, tensor<" type \
  ">, tensor<" type ">, tensor<" type ">, tensor<" pad_type                                      \
  ">) -> tensor<?xf32>\n return %y : tensor<?xf32>\n}\n"                                         \
  "func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"                  \
  "%s = stablehlo.add %a, %b : tensor<f32>\n return %s : tensor<f32>\n"
  TN_ASSERT_OK(run(WINDOW("1", "0", "1xi32", "1x2xi32"), SAME));
  TN_ASSERT_REPORT("operand 2 has type tensor<2xi32>; expected 1 integer",
                   run(WINDOW("1", "0", "2xi32", "1x2xi32"), SAME));
  TN_ASSERT_REPORT("operand 6 has type tensor<1x1xi32>; expected 2 integers",
                   run(WINDOW("1", "0", "1xi32", "1x1xi32"), SAME));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(assertions_have_a_condition),
      cmocka_unit_test(shapes_of_results_are_integers_for_each_dimension),
      cmocka_unit_test(shape_operands_agree_with_the_results_and_are_no_aliases),
      cmocka_unit_test(what_jax_writes_for_operations_has_their_operands),
      cmocka_unit_test(windows_have_sizes_for_each_dimension),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
