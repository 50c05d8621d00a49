// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// `add`, registered again by another library, is an operation like the built-in one: it
// fuses, folds, differentiates, batches, prints and is verified in the same way.
#include <tenon/detail/call.h>
#include <tenon/detail/program.h>
#include <tenon/detail/transform.h>
#include <tenon/operation.h>

#include "lazy/testing_lazy.h"

static int load(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_library_load(TESTING_LIBRARIES "/testing_library_again.so"));
  return 0;
}

typedef tn_array_t* (*add_fn)(tn_scope_t* s, tn_array_t* x, tn_array_t* y);

static tn_array_t* own_add(tn_scope_t* s, tn_array_t* x, tn_array_t* y) {
  return tn_op_apply_one(s, "add_again", 2, (tn_array_t*[]){x, y}, 0, NULL);
}

// tanh(x * w + w) * (x + w): `user` is how to add.
static tn_status_t squash(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                          size_t output_count, tn_array_t** out) {
  const add_fn add = *(const add_fn*)user;
  (void)input_count, (void)output_count;
  tn_array_t *x = inputs[0], *w = inputs[1];
  tn_array_t* y = tn_array_tanh(s, add(s, tn_array_multiply(s, x, w), w));
  out[0] = tn_array_multiply(s, y, add(s, x, w));
  return TN_OK;
}

static tn_status_t gradient(void* user, tn_scope_t* s, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  const tn_closure_t function = {squash, user};
  (void)output_count;
  tn_array_t* ones = tn_array_ones(s, TN_DTYPE_F32, 2, tn_array_dims(inputs[0]));
  tn_array_t* y = NULL;
  return tn_vjp(s, &function, input_count, inputs, 1, &ones, &y, out);
}

static tn_status_t batch(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                         size_t output_count, tn_array_t** out) {
  const tn_closure_t function = {squash, user};
  (void)output_count;
  return tn_vmap(s, &function, input_count, inputs, (int64_t[]){0, TN_NO_AXIS}, 1, NULL, out);
}

// What a function's program is made of.
static tn_program_t* compile(tn_scope_t* s, const tn_closure_t* function, tn_array_t* const* inputs,
                             size_t output_count) {
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  TN_ASSERT_OK(tn_export_function(s, function, 2, inputs, output_count, &module));
  tn_status_t status = tn_program_compile(tn_scope_device(s), module, NULL, &program);
  tn_module_release(module);
  TN_ASSERT_OK(status);
  return program;
}

// The program is one instruction, a fusion.
static void expect_one_fusion(const tn_program_t* program) {
  tn_testing_text_t text = {.length = 0};
  TN_ASSERT_OK(
      tn_program_print(program, TN_STAGE_PROGRAM, TN_FORMAT_TEXT, tn__testing_write, &text));
  if (!strstr(text.bytes, "program: 1 instruction") || !strstr(text.bytes, " fusion ")) {
    fail_msg("%s", text.bytes);
  }
}

static void expect_alike(tn_status_t (*call)(void* user, tn_scope_t* s, size_t input_count,
                                             tn_array_t* const* inputs, size_t output_count,
                                             tn_array_t** out),
                         bool is_batch, size_t output_count) {
  enum { SIZE = 4096 };
  static float data[SIZE + 7], wanted[2][SIZE], got[SIZE];
  add_fn adds[2] = {tn_array_add, own_add};
  tn_scope_t* s = tn__testing_scope();
  for (int i = 0; i < SIZE + 7; ++i) data[i] = (float)(i % 77) / 33 - 1;
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(64, 64), data),
                          is_batch ? tn__testing_f32(s, TN_LIST(64), data + 7)
                                   : tn__testing_f32(s, TN_LIST(64, 64), data + 7)};
  for (size_t k = 0; k < 2; ++k) {
    const tn_closure_t function = {call, &adds[k]};
    tn_program_t* program = compile(s, &function, inputs, output_count);
    expect_one_fusion(program);
    tn_program_release(program);
    // The first time operations run one by one, then as a program.
    for (int turn = 0; turn < 3; ++turn) {
      tn_array_t* outputs[2];
      TN_ASSERT_OK(call(&adds[k], s, 2, inputs, output_count, outputs));
      for (size_t o = 0; o < output_count; ++o) {
        const bool is_first = k == 0 && turn == 0;
        TN_ASSERT_OK(tn_array_to_host(outputs[o], is_first ? wanted[o] : got, sizeof got));
        if (!is_first) assert_memory_equal(got, wanted[o], sizeof got);
      }
    }
  }
  tn_scope_destroy(s);
}

static void users_operations_fuse_with_built_in_ones(void** state) {
  (void)state;
  expect_alike(squash, false, 1);
}

static void they_fuse_in_gradients(void** state) {
  (void)state;
  expect_alike(gradient, false, 2);
}

static void they_fuse_over_batches(void** state) {
  (void)state;
  expect_alike(batch, true, 1);
}

// What a fusion of the text reports for zeros as its argument.
static void expect_report(const char* text, const char* const* wanted) {
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *x = NULL, *y = NULL;
  void* data = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, NULL, &program));
  expect_one_fusion(program);
  TN_ASSERT_OK(tn_buffer_create(device, TN_DTYPE_F32, 2, (int64_t[]){64, 64}, &data, &x));
  memset(data, 0, tn_buffer_byte_size(x));
  for (; *wanted; ++wanted) {
    TN_ASSERT_REPORT(*wanted, tn_program_run(program, 1, &x, NULL, 1, &y));
  }
  tn_buffer_release(x);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
}

static void an_error_inside_names_the_operation(void** state) {
  (void)state;
  expect_report(
      "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
      "%0 = stablehlo.tanh %x : tensor<64x64xf32>\n"
      "%1 = stablehlo.custom_call @add_again(%0, %x) {api_version = 4 : i32, backend_config = "
      "{fails_at = 0.0 : f32}} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
      "%2 = stablehlo.negate %1 : tensor<64x64xf32>\n"
      "return %2 : tensor<64x64xf32>\n}\n",
      (const char* const[]){"test.mlir:3:", "add_again", "x is 0", NULL});
}

static void an_error_under_a_reduction_names_the_operation(void** state) {
  (void)state;
  expect_report(
      "func.func @main(%x: tensor<64x64xf32>) -> tensor<64xf32> {\n"
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%1 = stablehlo.custom_call @add_again(%x, %x) {api_version = 4 : i32, backend_config = "
      "{fails_at = 0.0 : f32}} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
      "%2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : "
      "(tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>\n"
      "return %2 : tensor<64xf32>\n}\n",
      (const char* const[]){"test.mlir:3:", "add_again", "x is 0", NULL});
}

// --- compiled, as text has them

// The program of `main` whose only line gives %y, compiled for the first device.
static tn_status_t compile_line(const char* arguments, const char* lines, tn_program_t** out) {
  char text[1024];
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  snprintf(text, sizeof text,
           "func.func @main(%s) -> tensor<2xf32> {\n%s\nreturn %%y : tensor<2xf32>\n}\n", arguments,
           lines);
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  tn_status_t status = tn_program_compile(device, module, NULL, out);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

static void expect_instructions(const char* lines, const char* wanted) {
  tn_program_t* program = NULL;
  tn_testing_text_t text = {.length = 0};
  TN_ASSERT_OK(compile_line("", lines, &program));
  TN_ASSERT_OK(
      tn_program_print(program, TN_STAGE_PROGRAM, TN_FORMAT_TEXT, tn__testing_write, &text));
  tn_program_release(program);
  if (!strstr(text.bytes, wanted)) fail_msg("%s", text.bytes);
}

#define CONSTANT "%x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
#define CALL(target, attributes, operands, types)    \
  "%y = stablehlo.custom_call @" target "(" operands \
  ") {api_version = 4 : i32, backend_config = {" attributes "}} : (" types ") -> tensor<2xf32>"
#define TWO "tensor<2xf32>, tensor<2xf32>"

// A constant is copied to where the caller wants it.
static void both_are_folded(void** state) {
  (void)state;
  expect_instructions(CONSTANT "%y = stablehlo.add %x, %x : tensor<2xf32>", " plan.copy ");
  expect_instructions(CONSTANT CALL("add_again", "", "%x, %x", TWO), " plan.copy ");
}

static void what_fails_and_what_says_nothing_of_itself_is_not_folded(void** state) {
  (void)state;
  expect_instructions(CONSTANT CALL("add_again", "fails_at = 2.0 : f32", "%x, %x", TWO),
                      " call.elementwise ");
  expect_instructions(CONSTANT CALL("negate_again", "", "%x", "tensor<2xf32>"), " call.typed ");
}

static void both_are_verified_when_they_are_compiled(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  TN_ASSERT_REPORT(
      "y", compile_line("%x: tensor<2xf32>, %i: tensor<3xf32>",
                        CALL("add_again", "", "%x, %i", "tensor<2xf32>, tensor<3xf32>"), &program));
  TN_ASSERT_REPORT(
      "test.mlir:2:",
      compile_line("%x: tensor<2xf32>", CALL("add_again", "", "%x", "tensor<2xf32>"), &program));
  TN_ASSERT_REPORT(
      "fails_ad", compile_line("%x: tensor<2xf32>",
                               CALL("add_again", "fails_ad = 2.0 : f32", "%x, %x", TWO), &program));
}

// --- as lazy arrays have them

// One check, whether the use is compiled or added to a graph.
static void attributes_that_do_not_fit_are_told_alike(void** state) {
  (void)state;
  static const char misfit[] =
      "add_again: attribute \"fails_at\" is the string \"x\"; expected float";
  static const char unknown[] = "add_again: there is no attribute \"fails_ad\"";
  const tn_attribute_t attributes[] = {tn_attribute_string("fails_at", "x", 1),
                                       tn_attribute_float("fails_ad", TN_DTYPE_F32, 1)};
  tn_program_t* program = NULL;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  for (size_t i = 0; i < 2; ++i) {
    tn_array_t* y = tn_op_apply_one(s, "add_again", 2, (tn_array_t*[]){x, x}, 1, &attributes[i]);
    TN_ASSERT_REPORT(i ? unknown : misfit, tn_array_status(y));
  }
  TN_ASSERT_REPORT(misfit,
                   compile_line("%x: tensor<2xf32>",
                                CALL("add_again", "fails_at = \"x\"", "%x, %x", TWO), &program));
  TN_ASSERT_REPORT(
      unknown, compile_line("%x: tensor<2xf32>",
                            CALL("add_again", "fails_ad = 1.0 : f32", "%x, %x", TWO), &program));
  tn_scope_destroy(s);
}

static void both_compute_alike_on_the_reference_device(void** state) {
  (void)state;
  enum { SIZE = 64 };
  add_fn adds[2] = {tn_array_add, own_add};
  float data[SIZE], values[2][SIZE];
  tn_device_t* device = NULL;
  tn_scope_t* s = NULL;
  TN_ASSERT_OK(tn_device_create("reference", NULL, &device));
  TN_ASSERT_OK(tn_scope_create(device, &s));
  for (int i = 0; i < SIZE; ++i) data[i] = (float)i / 33 - 1;
  tn_array_t* x = tn__testing_f32(s, TN_LIST(SIZE), data);
  for (int turn = 0; turn < 2; ++turn) {  // one by one, then as a program
    for (size_t k = 0; k < 2; ++k) {
      tn_array_t* y = NULL;
      TN_ASSERT_OK(squash(&adds[k], s, 2, (tn_array_t*[]){x, x}, 1, &y));
      TN_ASSERT_OK(tn_array_to_host(y, values[k], sizeof values[k]));
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
  }
  tn_scope_destroy(s);
  tn_device_release(device);
}

static void both_are_printed_and_compared_alike(void** state) {
  (void)state;
  char text[64];
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  tn_array_t *a = own_add(s, x, x), *b = own_add(s, x, x), *own = tn_array_add(s, x, x);
  (void)tn_array_describe(own, text, sizeof text);
  assert_string_equal(text, "add");
  (void)tn_array_describe(a, text, sizeof text);
  assert_string_equal(text, "add_again(fails_at=-1.00000002e+30)");
  assert_true(tn_array_is_equivalent(a, b));
  assert_false(tn_array_is_equivalent(a, own));
  tn_scope_destroy(s);
}

static tn_status_t sum(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                       size_t output_count, tn_array_t** out) {
  (void)input_count, (void)output_count;
  out[0] = (*(const add_fn*)user)(s, inputs[0], inputs[1]);
  return TN_OK;
}

static void both_have_tangents(void** state) {
  (void)state;
  add_fn adds[2] = {tn_array_add, own_add};
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2));
  tn_array_t *inputs[] = {x, x}, *tangents[] = {x, x};
  for (size_t k = 0; k < 2; ++k) {
    const tn_closure_t function = {sum, &adds[k]};
    tn_array_t *y = NULL, *tangent = NULL;
    float values[2];
    TN_ASSERT_OK(tn_jvp(s, &function, 2, inputs, tangents, 1, &y, &tangent));
    TN_ASSERT_OK(tn_array_to_host(tangent, values, sizeof values));
    assert_float_equal(values[0], 0, 0);
    assert_float_equal(values[1], 2, 0);
  }
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(users_operations_fuse_with_built_in_ones),
      cmocka_unit_test(they_fuse_in_gradients),
      cmocka_unit_test(they_fuse_over_batches),
      cmocka_unit_test(an_error_inside_names_the_operation),
      cmocka_unit_test(an_error_under_a_reduction_names_the_operation),
      cmocka_unit_test(both_are_folded),
      cmocka_unit_test(what_fails_and_what_says_nothing_of_itself_is_not_folded),
      cmocka_unit_test(both_are_verified_when_they_are_compiled),
      cmocka_unit_test(both_are_printed_and_compared_alike),
      cmocka_unit_test(both_have_tangents),
      cmocka_unit_test(attributes_that_do_not_fit_are_told_alike),
      cmocka_unit_test(both_compute_alike_on_the_reference_device),
  };
  return cmocka_run_group_tests(tests, load, NULL);
}
