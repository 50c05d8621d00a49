// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inputs and outputs by name.
#include "program/testing_run.h"

#define TEXT                                                                                       \
  "func.func @main(%arg0: tensor<2xf32> loc(\"params['w'][0].x\"), %arg1: tensor<2xf32> "          \
  "loc(\"x\"(#loc)), %arg2: tensor<2xf32> loc(\"f.py\":3:4), %c: tensor<2xf32> loc(\"7\"),\n"      \
  "    %arg4: tensor<2xf32> loc(unknown)) -> (tensor<2xf32> {jax.result_info = \"result['y']\"}, " \
  "tensor<2xf32>) {\n  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n"                          \
  "  return %0, %c : tensor<2xf32>, tensor<2xf32>\n}\n#loc = loc(unknown)\n"

static tn_program_t* program;

static int end(void** state) {
  (void)state;
  tn_program_release(program);
  program = NULL;
  return 0;
}

static size_t input(const char* name) {
  size_t index = SIZE_MAX;
  TN_ASSERT_OK(tn_program_find_input(program, name, &index));
  return index;
}

static void expect_error(tn_status_t status, tn_code_t code, const char* text) {
  char report[512];
  assert_int_equal(tn_status_code(status), code);
  tn_status_format(status, report, sizeof report);
  if (!strstr(report, text)) fail_msg("\"%s\" is not in \"%s\"", text, report);
  tn_status_release(status);
}

static void inputs_are_found_by_their_names(void** state) {
  (void)state;
  program = tn__testing_program(TEXT, false);
  assert_string_equal(tn_program_input_name(program, 0), "params.w.0.x");
  assert_int_equal(input("params['w'][0].x"), 0);
  assert_int_equal(input("params.w.0.x"), 0);
  assert_int_equal(input("x"), 1);
  assert_int_equal(input("arg2"), 2);
  assert_int_equal(input("c"), 3);  // a number is not a name
  assert_int_equal(input("arg4"), 4);
}

static void outputs_are_found_by_their_names(void** state) {
  (void)state;
  size_t index = SIZE_MAX;
  program = tn__testing_program(TEXT, false);
  assert_string_equal(tn_program_output_name(program, 0), "result.y");
  assert_string_equal(tn_program_output_name(program, 1), "");
  assert_string_equal(tn_program_output_name(program, 2), "");
  TN_ASSERT_OK(tn_program_find_output(program, "result['y']", &index));
  assert_int_equal(index, 0);
  TN_ASSERT_OK(tn_program_find_output(program, "result1", &index));
  assert_int_equal(index, 1);
}

static void names_that_are_not_there_have_the_nearest_as_a_note(void** state) {
  (void)state;
  size_t index = 0;
  char longest[2000];
  program = tn__testing_program(TEXT, false);
  expect_error(tn_program_find_input(program, "params.v.0.x", &index), TN_CODE_NOT_FOUND,
               "did you mean params.w.0.x?");
  expect_error(tn_program_find_output(program, "result.z", &index), TN_CODE_NOT_FOUND,
               "the program has no output 'result.z'; its outputs are: ");
  expect_error(tn_program_find_input(program, "", &index), TN_CODE_NOT_FOUND, "no input ''");
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  expect_error(tn_program_find_input(program, longest, &index), TN_CODE_NOT_FOUND, "xxx");
  expect_error(tn_program_find_input(program, NULL, &index), TN_CODE_INVALID_ARGUMENT, "NULL");
}

static void numbers_are_suggested_where_there_are_no_names(void** state) {
  (void)state;
  size_t index = 0;
  program = tn__testing_program(
      "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
      "  return %x, %x : tensor<2xf32>, tensor<2xf32>\n}\n",
      false);
  expect_error(tn_program_find_output(program, "resul0", &index), TN_CODE_NOT_FOUND,
               "did you mean result0?");
  expect_error(tn_program_find_output(program, "y", &index), TN_CODE_NOT_FOUND,
               "its outputs are: result0, result1");
}

static void a_name_of_two_inputs_is_an_error(void** state) {
  (void)state;
  size_t index = 0;
  program = tn__testing_program(
      "func.func @main(%a: tensor<f32> loc(\"x\"), %b: tensor<f32> loc(\"x\")) -> tensor<f32> {\n"
      "  return %a : tensor<f32>\n}\n",
      false);
  expect_error(tn_program_find_input(program, "x", &index), TN_CODE_INVALID_ARGUMENT,
               "2 inputs of the program are called 'x'");
}

static tn_status_t append(void* user, const char* text, size_t length) {
  strncat(user, text, length);
  return TN_OK;
}

// What is printed is read again, under the same names.
static void names_are_printed_with_the_module(void** state) {
  (void)state;
  char text[4096] = "";
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "a.mlir", TEXT, strlen(TEXT), &module));
  TN_ASSERT_OK(tn_module_print(module, append, text));
  tn_module_release(module);
  assert_non_null(strstr(text, "@main(%params.w.0.x: tensor<2xf32>, %x: tensor<2xf32>, %arg2"));
  program = tn__testing_program(text, false);
  assert_int_equal(input("params['w'][0].x"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(inputs_are_found_by_their_names, end),
      cmocka_unit_test_teardown(outputs_are_found_by_their_names, end),
      cmocka_unit_test_teardown(names_that_are_not_there_have_the_nearest_as_a_note, end),
      cmocka_unit_test_teardown(numbers_are_suggested_where_there_are_no_names, end),
      cmocka_unit_test_teardown(a_name_of_two_inputs_is_an_error, end),
      cmocka_unit_test_teardown(names_are_printed_with_the_module, end),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
