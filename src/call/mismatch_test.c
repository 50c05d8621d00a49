// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What decoders of XLA's headers say, in the words of the call that they refused.
#include <stdio.h>
#include <tenon/detail/call.h>

#include "call/abi.h"
#include "call/testing_call.h"

#define CALL                                                                                  \
  "func.func @main(%a: tensor<2xf32>, %b: tensor<3xf64>, %c: tensor<3x1xf64>) -> "            \
  "tensor<4xf32> {\n  %0 = stablehlo.custom_call @picky(%a, %b, %c) {mhlo.backend_config = {" \
  "epss = 1.5 : f64, list = array<i64: 1, 2>, mode = \"x\", range = {lo = 1 : i64}}} : "      \
  "(tensor<2xf32>, tensor<3xf64>, tensor<3x1xf64>) -> tensor<4xf32>\n"                        \
  "  return %0 : tensor<4xf32>\n}\n"
#define DECODE "[execute] Failed to decode all FFI handler operands (bad operands at: 0)"
#define SAYS DECODE "\nDiagnostics:\n"

static const char* words;

static tn_status_t refuse(tn_ffi_call_frame_t* frame) {
  if (frame->extension_start) {
    tn_ffi_metadata_t* metadata =
        ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
    metadata->api_version.major = 0;
    metadata->api_version.minor = 3;
    return TN_OK;
  }
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, words, TN_FFI_INVALID_ARGUMENT};
  return frame->api->error_create(&create);
}

// The whole report of a call that is refused with these words.
static const char* report(const char* of_words) {
  static char text[8192];
  float a[2] = {0}, y[4];
  double b[3] = {0};
  const tn_testing_array_t inputs[] = {
      {TN_DTYPE_F32, 1, {2}, a}, {TN_DTYPE_F64, 1, {3}, b}, {TN_DTYPE_F64, 2, {3, 1}, b}};
  words = of_words;
  TN_ASSERT_OK(
      tn_target_register("picky", "Host", (tn_target_function_t)refuse, TN_API_VERSION_TYPED_FFI));
  tn_status_t status = tn__testing_call(CALL, 3, inputs, 1, (void*[]){y});
  assert_non_null(status);
  tn_status_format(status, text, sizeof text);
  tn_status_release(status);
  return text;
}

static void assert_notes(const char* of_words, const char* note) {
  const char* text = report(of_words);
  if (note ? strstr(text, note) != NULL : strstr(text, "note: ") == NULL) return;
  fail_msg("%s\nexpected: %s", text, note ? note : "no note");
}

static void buffers_are_named_with_their_types(void** state) {
  (void)state;
  assert_notes(SAYS "Wrong buffer rank: expected 3 but got 2",
               "note: operand 2 has type tensor<3x1xf64>; expected rank 3");
  assert_notes(SAYS "Wrong buffer dtype: expected S32 but got F64",
               "note: one of these: operand 1 has type tensor<3xf64>, operand 2 has type "
               "tensor<3x1xf64>; expected elements of s32");
  // As many as there are.
  assert_notes(SAYS
               "Wrong buffer dtype: expected S32 but got F64Wrong buffer dtype: expected S32 but "
               "got F64",
               "note: operand 1 has type tensor<3xf64>, operand 2 has type tensor<3x1xf64>; "
               "expected elements of s32");
  assert_notes(SAYS "Wrong buffer dtype: expected F16 but got F32\n",
               "note: one of these: operand 0 has type tensor<2xf32>, result 0 has type "
               "tensor<4xf32>; expected elements of f16");
}

static void attributes_are_named_with_their_values(void** state) {
  (void)state;
  assert_notes(SAYS "Wrong scalar data type: expected F32 but got F64",
               "note: attribute \"epss\" is 1.5 : f64; expected f32");
  assert_notes(SAYS "Wrong array data type: expected F32 but got S64",
               "note: attribute \"list\" is an array of i64; expected an array of f32");
  assert_notes(SAYS "Wrong attribute type: expected scalar but got string",
               "note: attribute \"mode\" is the string \"x\"; expected a number");
}

static void missing_attributes_are_told_with_those_that_are_given(void** state) {
  (void)state;
  static const char missing[] =
      "note: attribute \"eps\" is missing; given: epss, list, mode, range {lo}\n"
      "note: did you mean eps instead of epss?";
  assert_notes(SAYS "Attribute name mismatch: epss vs eps", missing);
  assert_notes(SAYS "Wrong buffer dtype: expected F32 but got S8Unexpected attribute: eps",
               missing);
  assert_notes(SAYS "Unexpected attribute: high",
               "note: attribute \"high\" is missing; given: epss, list, mode, range {lo}");
}

static void wrong_counts_are_told(void** state) {
  (void)state;
  assert_notes("[execute] Wrong number of arguments: expected 2 but got 3",
               "note: the call has 3 operands; expected 2\n");
  assert_notes("[execute] Wrong number of arguments: expected at least 4 but got 3",
               "note: the call has 3 operands; expected at least 4\n");
  assert_notes("[execute] Wrong number of results: expected 2 but got 1",
               "note: the call has 1 result; expected 2\n");
  assert_notes("[execute] Wrong number of attributes: expected 1 but got 4",
               "note: the call has 4 attributes; expected 1\n");
}

static void what_is_no_mismatch_gets_no_note(void** state) {
  (void)state;
  static const char* const others[] = {
      "Wrong number of iterations: expected 3 but got 4",
      "Wrong number of arguments: expected 3 but got 4",
      "Wrong number of arguments: expected  but got 3",
      "Wrong number of arguments: expected x but got 3",
      "Wrong number of arguments: expected 99999999999999999999 but got 3",
      "Wrong number of arguments: expected 2 but got 99999999999999999999",
      "Wrong buffer dtype: expected F32 but got F64",
      DECODE,
      SAYS,
      SAYS "User data with type id 5 not found in execution context",
      SAYS "Wrong buffer dtype: expected F32 but got S8",
      SAYS "Wrong buffer dtype: expected  but got ",
      SAYS "Wrong buffer rank: expected 1 but got -1",
      SAYS "Wrong buffer rank: expected 1 but got 99999999999999999999",
      SAYS "Attribute name mismatch: epss vs ",
      SAYS "Attribute name mismatch: epss vs mode",
      SAYS "Unexpected attribute: ",
      SAYS "Wrong ",
      SAYS "\n\n\n",
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) assert_notes(others[i], NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_are_named_with_their_types),
      cmocka_unit_test(attributes_are_named_with_their_values),
      cmocka_unit_test(missing_attributes_are_told_with_those_that_are_given),
      cmocka_unit_test(wrong_counts_are_told),
      cmocka_unit_test(what_is_no_mismatch_gets_no_note),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
