// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls from program text to results, with functions of this very process.
#include "call/call.h"

#include "call/registry.h"
#include "call/testing_call.h"
#include "call/testing_operations.h"

static const float four[] = {1, 2, 3, 4};
#define FOUR                   \
  (tn_testing_array_t) {       \
    TN_DTYPE_F32, 1, {4}, four \
  }

static void register_op(const tn_ffi_op_t* op) {
  const tn_target_spec_t spec = {
      .name = tn__sv(op->name),
      .platform = tn__sv(op->platform),
      .versions = 1u << op->api_version,
      .bundle = op->bundle,
      .function = op->function,
      .op = op,
  };
  TN_ASSERT_OK(tn__registry_add(NULL, &spec, TN_REGISTER_STRICT));
}

// --- a declared, typed operation

#define SCALE_CALL(config)                                  \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %0 = stablehlo.custom_call @scale(%a) {" config        \
  "} : (tensor<4xf32>) -> tensor<4xf32>\n"                  \
  "  return %0 : tensor<4xf32>\n}\n"

static void a_typed_call_runs_in_both_spellings(void** state) {
  (void)state;
  register_op(&scale_op);
  float y[4];
  TN_ASSERT_OK(tn__testing_call(
      SCALE_CALL("api_version = 4 : i32, backend_config = {factor = 3.0 : f32, offset = 1 : i64}"),
      1, &FOUR, 1, (void*[]){y}));
  assert_true(y[0] == 4 && y[3] == 13);
  TN_ASSERT_OK(tn__testing_call(SCALE_CALL("backend_config = \"\", mhlo.backend_config = {}"), 1,
                                &FOUR, 1, (void*[]){y}));
  assert_true(y[0] == 2 && y[3] == 8);
}

static void a_handler_that_is_registered_alone_keeps_its_signature(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  TN_ASSERT_OK(tn_target_register("scale", "Host", (tn_target_function_t)scale_op.bundle.execute,
                                  TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_REPORT("attribute \"factor\" is ",
                   tn__testing_compile(SCALE_CALL("api_version = 4 : i32, backend_config = "
                                                  "{factor = \"3\"}"),
                                       &program));
  assert_null(program);
  // Also where the first call says which version it is of.
  const tn_target_spec_t any = {.name = tn__sv("scale"),
                                .platform = tn__sv("Host"),
                                .versions = TN_TARGET_ANY,
                                .bundle = scale_op.bundle};
  TN_ASSERT_OK(tn__registry_add(NULL, &any, TN_REGISTER_STRICT));
  TN_ASSERT_REPORT("attribute \"factr\"",
                   tn__testing_compile(SCALE_CALL("api_version = 4 : i32, backend_config = "
                                                  "{factr = 3.0 : f32}"),
                                       &program));
}

static void a_typed_call_may_have_its_dictionary_as_a_string(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  register_op(&scale_op);
  float y[4];
  TN_ASSERT_OK(tn__testing_call(
      SCALE_CALL("api_version = 4 : i32, backend_config = \"{factor = 3.0 : f32, name = "
                 "\\22x\\22}\""),
      1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 12);
  const char* text = SCALE_CALL("api_version = 4 : i32, backend_config = \"{factor = }\"");
  TN_ASSERT_REPORT("backend_config:1:11: error: custom call @scale: ",
                   tn__testing_compile(text, &program));
  TN_ASSERT_REPORT("note: test.mlir:2:8: in the configuration of this call",
                   tn__testing_compile(text, &program));
  TN_ASSERT_REPORT("note: the string of a typed call is a dictionary: {name = value}",
                   tn__testing_compile(
                       SCALE_CALL("api_version = 4 : i32, backend_config = \"words\""), &program));
  TN_ASSERT_REPORT(
      "backend_config is an integer; a typed call takes a dictionary",
      tn__testing_compile(SCALE_CALL("api_version = 4 : i32, backend_config = \"3\""), &program));
}

static void numbers_of_another_width_are_taken_when_they_are_the_same(void** state) {
  (void)state;
  register_op(&scale_op);
  float y[4];
  TN_ASSERT_OK(
      tn__testing_call(SCALE_CALL("mhlo.backend_config = {factor = 0.5 : f64, offset = 7 : i32}"),
                       1, &FOUR, 1, (void*[]){y}));
  assert_true(y[0] == 7.5F && y[3] == 9);
  TN_ASSERT_REPORT("attribute \"factor\" is 0.10000000000000001 : f64; expected float",
                   tn__testing_call(SCALE_CALL("mhlo.backend_config = {factor = 0.1 : f64}"), 1,
                                    &FOUR, 1, (void*[]){y}));
}

static void a_call_that_does_not_fit_the_declaration_does_not_compile(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  register_op(&scale_op);
  TN_ASSERT_REPORT(
      "test.mlir:2:8: error: custom call @scale: there is no attribute \"factr\"\n",
      tn__testing_compile(SCALE_CALL("mhlo.backend_config = {factr = 1.0 : f32}"), &program));
  TN_ASSERT_REPORT(
      "note: expected factor, offset, name",
      tn__testing_compile(SCALE_CALL("mhlo.backend_config = {mood = 1.0 : f32}"), &program));
  TN_ASSERT_REPORT(
      "did you mean factor?",
      tn__testing_compile(SCALE_CALL("mhlo.backend_config = {factr = 1.0 : f32}"), &program));
  TN_ASSERT_REPORT(
      "attribute \"name\" is 3 : i64; expected string",
      tn__testing_compile(SCALE_CALL("mhlo.backend_config = {name = 3 : i64}"), &program));
  TN_ASSERT_REPORT(
      "custom call @scale: operand 0 (x) has type tensor<4xi32>; expected elements of "
      "f32",
      tn__testing_compile("func.func @main(%a: tensor<4xi32>) -> tensor<4xf32> {\n"
                          "  %0 = stablehlo.custom_call @scale(%a) {mhlo.backend_config = {}} : "
                          "(tensor<4xi32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
                          &program));
  TN_ASSERT_REPORT(
      "result 0 (y) has type tensor<5xf32>; expected the shape of x, which has type "
      "tensor<4xf32>",
      tn__testing_compile("func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
                          "  %0 = stablehlo.custom_call @scale(%a) {mhlo.backend_config = {}} : "
                          "(tensor<4xf32>) -> tensor<5xf32>\n  return %0 : tensor<5xf32>\n}\n",
                          &program));
  TN_ASSERT_REPORT("has 2 operands; expected 1",
                   tn__testing_compile(
                       "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                       "  %0 = stablehlo.custom_call @scale(%a, %a) {mhlo.backend_config = {}} : "
                       "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
                       "  return %0 : tensor<4xf32>\n}\n",
                       &program));
  TN_ASSERT_REPORT("it is called with api version 1 (legacy), but registered for api version 4",
                   tn__testing_compile(SCALE_CALL("backend_config = \"\""), &program));
}

static void a_handlers_error_reaches_the_caller_with_target_and_code(void** state) {
  (void)state;
  register_op(&scale_op);
  float y[4];
  TN_ASSERT_REPORT("custom call @scale: OUT_OF_RANGE: scale: factor is 13",
                   tn__testing_call(SCALE_CALL("mhlo.backend_config = {factor = 13.0 : f32}"), 1,
                                    &FOUR, 1, (void*[]){y}));
}

// --- legacy functions

static void add_wrapped(void* out, const void** in) {
  const float *b = in[0], *c = in[1];
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = b[i % 2] + c[i];
}
TN_REGISTER_CUSTOM_CALL_TARGET(add_wrapped, "Host");

static void an_untyped_function_registered_at_start_runs(void** state) {
  (void)state;
  const float two[] = {10, 20};
  float y[4];
  TN_ASSERT_OK(tn__testing_call(
      "func.func @main(%a: tensor<2xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.custom_call @add_wrapped(%a, %b) : (tensor<2xf32>, tensor<4xf32>) -> "
      "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
      2, (tn_testing_array_t[]){{TN_DTYPE_F32, 1, {2}, two}, FOUR}, 1, (void*[]){y}));
  assert_true(y[0] == 11 && y[1] == 22 && y[2] == 13 && y[3] == 24);
}

// (f32[1], (f32[2], f32[3])) -> (f32[2], f32[1]) as lists in lists.
static void sum_parts(void* out, const void** in) {
  const void* const* tuple = in[0];
  const float* first = tuple[0];
  const void* const* inner = tuple[1];
  const float *pair = inner[0], *triple = inner[1];
  void* const* results = out;
  ((float*)results[0])[0] = first[0] + pair[1];
  ((float*)results[0])[1] = triple[2];
  ((float*)results[1])[0] = pair[0];
}

static void tuples_are_lists_in_lists_on_both_sides(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_target_register("sum_parts", "cpu", (tn_target_function_t)sum_parts,
                                  TN_API_VERSION_ORIGINAL));
  const float a[] = {1}, b[] = {2, 3}, c[] = {4, 5, 6};
  float y[2], z[1];
  const char* text =
      "func.func @main(%a: tensor<1xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) -> (tensor<2xf32>, "
      "tensor<1xf32>) {\n"
      "  %0 = stablehlo.tuple %b, %c : tuple<tensor<2xf32>, tensor<3xf32>>\n"
      "  %1 = stablehlo.tuple %a, %0 : tuple<tensor<1xf32>, tuple<tensor<2xf32>, tensor<3xf32>>>\n"
      "  %2 = stablehlo.custom_call @sum_parts(%1) : (tuple<tensor<1xf32>, tuple<tensor<2xf32>, "
      "tensor<3xf32>>>) -> tuple<tensor<2xf32>, tensor<1xf32>>\n"
      "  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<2xf32>, tensor<1xf32>>) -> "
      "tensor<2xf32>\n"
      "  %4 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<2xf32>, tensor<1xf32>>) -> "
      "tensor<1xf32>\n"
      "  return %3, %4 : tensor<2xf32>, tensor<1xf32>\n}\n";
  TN_ASSERT_OK(tn__testing_call(
      text, 3,
      (tn_testing_array_t[]){
          {TN_DTYPE_F32, 1, {1}, a}, {TN_DTYPE_F32, 1, {2}, b}, {TN_DTYPE_F32, 1, {3}, c}},
      2, (void*[]){y, z}));
  assert_true(y[0] == 4 && y[1] == 6 && z[0] == 2);
}

// --- missing targets

static void a_miss_says_what_is_there_instead(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  register_op(&scale_op);
  TN_ASSERT_OK(tn_target_register("only_cuda", "gpu", (tn_target_function_t)add_wrapped,
                                  TN_API_VERSION_ORIGINAL));
#define CALL_OF(name)                                                                          \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.custom_call @" name \
  "(%a) : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
  TN_ASSERT_REPORT("2:8: error: custom call @scael: nothing is registered for platform Host",
                   tn__testing_compile(CALL_OF("scael"), &program));
  TN_ASSERT_REPORT(
      "did you mean @scale (platform Host, api version 4 (typed FFI), from this "
      "process)?",
      tn__testing_compile(CALL_OF("scael"), &program));
  TN_ASSERT_REPORT("@only_cuda is registered for platform CUDA, api version 1 (legacy)",
                   tn__testing_compile(CALL_OF("only_cuda"), &program));
  TN_ASSERT_OK(tn_target_unregister("only_cuda", "CUDA"));
  TN_ASSERT_CODE(NOT_FOUND, tn_target_unregister("only_cuda", "CUDA"));
}

static void a_program_keeps_what_it_was_compiled_with(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  float y[4];
  register_op(&scale_op);
  TN_ASSERT_OK(tn__testing_compile(SCALE_CALL("mhlo.backend_config = {}"), &program));
  TN_ASSERT_OK(tn_target_unregister("scale", "Host"));
  TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 8);
  tn_program_release(program);
}

static void targets_that_everybody_has_need_no_registration(void** state) {
  (void)state;
  float y[4];
  TN_ASSERT_OK(tn__testing_call(CALL_OF("Sharding"), 1, &FOUR, 1, (void*[]){y}));
  assert_memory_equal(y, four, sizeof four);
  const char* text =
      "func.func @main(%a: tensor<4xf32>) {\n"
      "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
      "  stablehlo.custom_call @check.expect_eq(%a, %0) {has_side_effect = true} : (tensor<4xf32>, "
      "tensor<4xf32>) -> ()\n  return\n}\n";
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn__testing_call(text, 1, &FOUR, 0, NULL));
}

// --- results of less than a byte an element

// An original function, which writes bytes of its own.
static void write_odd(void* out, const void** in) {
  memcpy(out, in[0], 4);
}

static void odd_bytes_of_a_kernel_are_booleans(void** state) {
  (void)state;
  static const unsigned char bytes[] = {0, 1, 2, 0xff};
  const tn_testing_array_t array = {TN_DTYPE_U8, 1, {4}, bytes};
  unsigned char direct[4], negated[4];
  int32_t sum = 0;
  TN_ASSERT_OK(
      tn_target_register("odd", "Host", (tn_target_function_t)write_odd, TN_API_VERSION_ORIGINAL));
  TN_ASSERT_OK(tn__testing_call(
      "func.func @main(%a: tensor<4xui8>) -> (tensor<4xi1>, tensor<4xi1>, tensor<i32>) {\n"
      "  %p = stablehlo.custom_call @odd(%a) {api_version = 1 : i32}\n"
      "      : (tensor<4xui8>) -> tensor<4xi1>\n"
      "  %n = stablehlo.not %p : tensor<4xi1>\n"
      "  %i = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xi32>\n"
      "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %s = stablehlo.reduce(%i init: %z) applies stablehlo.add across dimensions = [0]\n"
      "      : (tensor<4xi32>, tensor<i32>) -> tensor<i32>\n"
      "  return %p, %n, %s : tensor<4xi1>, tensor<4xi1>, tensor<i32>\n}\n",
      1, &array, 3, (void*[]){direct, negated, &sum}));
  assert_memory_equal(direct, "\0\1\1\1", 4);
  assert_memory_equal(negated, "\1\0\0\0", 4);
  assert_int_equal(sum, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(odd_bytes_of_a_kernel_are_booleans),
      cmocka_unit_test(a_typed_call_runs_in_both_spellings),
      cmocka_unit_test(a_handler_that_is_registered_alone_keeps_its_signature),
      cmocka_unit_test(a_typed_call_may_have_its_dictionary_as_a_string),
      cmocka_unit_test(numbers_of_another_width_are_taken_when_they_are_the_same),
      cmocka_unit_test(a_call_that_does_not_fit_the_declaration_does_not_compile),
      cmocka_unit_test(a_handlers_error_reaches_the_caller_with_target_and_code),
      cmocka_unit_test(an_untyped_function_registered_at_start_runs),
      cmocka_unit_test(tuples_are_lists_in_lists_on_both_sides),
      cmocka_unit_test(a_miss_says_what_is_there_instead),
      cmocka_unit_test(a_program_keeps_what_it_was_compiled_with),
      cmocka_unit_test(targets_that_everybody_has_need_no_registration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
