// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Named dimensions, in handlers that any host calls, in programs, and for arrays.
#include <tenon/arrays.h>
#include <tenon/custom.h>
#include <tenon/operation.h>

#include "call/testing_call.h"
#include "call/testing_host.h"

#define PRODUCT(ARG, ATTR, RET)          \
  ARG(x, f32, dims(n, k))                \
  ARG(w, f32, dims(k, m), "the weights") \
  RET(y, f32, dims(n, m))
TN_OP(product, PRODUCT, "y = x w") {
  const int64_t n = tn_dim(call->x, 0), k = tn_dim(call->x, 1), m = tn_dim(call->w, 1);
  for (int64_t i = 0; i < n * m; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < k; ++j) {
      sum += call->x.data[i / m * k + j] * call->w.data[j * m + i % m];
    }
    call->y.data[i] = sum;
  }
  return TN_OK;
}

// All that a list may have: leading dimensions, sums, numbers, an attribute.
#define GATED(ARG, ATTR, RET)             \
  ARG(x, f32, dims(..., 2 * n, 3))        \
  ARG(first, any, dims(n + 1))            \
  ATTR(count, int32_t, 4)                 \
  RET(y, f32, dims(..., n))               \
  RET(z, s32, dims(count, n + count - 2)) \
  RET(w, dtype_of(first), dims(...))      \
  RET(v, f32, dims(own, 7))
TN_OP(gated, GATED, "for its shapes") {
  memset(call->y.data, 0, tn_byte_size(call->y));
  memset(call->z.data, 0, tn_byte_size(call->z));
  memset(call->w.data, 0, tn_byte_size(call->w));
  memset(call->v.data, 0, tn_byte_size(call->v));
  return TN_OK;
}

// The runtime alone can see that these lists are not valid.
#define WRONG(ARG, ATTR, RET) ARG(x, f32, dims(n, k / 2)) RET(y, f32, like(x))
TN_OP(wrong, WRONG, "a list that cannot be read") {
  return TN_OK;
}

#define SHRUNK(ARG, ATTR, RET) ARG(x, f32, dims(n)) RET(y, f32, dims(n - 2))
TN_OP(shrunk, SHRUNK, "y = x[2:]") {
  memcpy(call->y.data, call->x.data + 2, tn_byte_size(call->y));
  return TN_OK;
}

// --- handlers

static tn_testing_host_t host;
static tn_testing_frame_t frame;
static float memory[64];

static int init_host(void** state) {
  (void)state;
  tn__testing_host_init(&host);
  return 0;
}
static int deinit_host(void** state) {
  (void)state;
  tn__testing_host_deinit(&host);
  return 0;
}

static tn_status_t call_product(int64_t n, int64_t k, int64_t k2, int64_t m, int64_t y0,
                                int64_t y1) {
  tn__host_frame_init(&frame, &host);
  tn__host_arg(&frame, TN_FFI_F32, memory, TN_TESTING_DIMS(n, k));
  tn__host_arg(&frame, TN_FFI_F32, memory, TN_TESTING_DIMS(k2, m));
  tn__host_ret(&frame, TN_FFI_F32, memory + 32, TN_TESTING_DIMS(y0, y1));
  return tn__host_call(product, &frame);
}

static void handlers_check_named_dimensions(void** state) {
  (void)state;
  for (int again = 0; again < 2; ++again) {  // the first call makes the plan
    TN_ASSERT_OK(call_product(2, 3, 3, 4, 2, 4));
    TN_ASSERT_OK(call_product(0, 0, 0, 0, 0, 0));
    TN_ASSERT_REPORT("product: argument w: expected dims(k, m) where k is 3, found 2x4xf32",
                     call_product(2, 3, 2, 4, 2, 4));
    TN_ASSERT_REPORT(
        "product: result y: expected dims(n, m) where n is 2 and m is 4, found 5x5xf32",
        call_product(2, 3, 3, 4, 5, 5));
    TN_ASSERT_REPORT(
        "product: result y: expected dims(n, m) where n is 2 and m is 4, found 1x1xf32",
        call_product(2, 3, 3, 4, 1, 1));
  }
  TN_ASSERT_OK(call_product(2, 3, 3, 4, 2, 4));
  frame.buffers[0][0].rank = 1;
  TN_ASSERT_REPORT("product: argument x: expected dims(n, k), found 2xf32",
                   tn__host_call(product, &frame));
}

static tn_status_t call_gated(const int32_t* count, const int64_t* x, int64_t first, int64_t y,
                              int64_t z0, int64_t z1) {
  tn__host_frame_init(&frame, &host);
  tn__host_arg(&frame, TN_FFI_F32, memory, 3, x);
  tn__host_arg(&frame, TN_FFI_S8, memory, TN_TESTING_DIMS(first));
  tn__host_ret(&frame, TN_FFI_F32, memory, TN_TESTING_DIMS(x[0], y));
  tn__host_ret(&frame, TN_FFI_S32, memory, TN_TESTING_DIMS(z0, z1));
  tn__host_ret(&frame, TN_FFI_S8, memory, TN_TESTING_DIMS(x[0]));
  tn__host_ret(&frame, TN_FFI_F32, memory, TN_TESTING_DIMS(1, 7));
  if (count) tn__host_scalar(&frame.attrs, "count", TN_FFI_S32, count);
  return tn__host_call(gated, &frame);
}

static void handlers_check_sums_leading_dimensions_and_attributes(void** state) {
  (void)state;
  const int64_t x[] = {2, 4, 3}, odd[] = {2, 5, 3}, last[] = {2, 4, 4};
  for (int again = 0; again < 2; ++again) {
    TN_ASSERT_OK(call_gated(NULL, x, 3, 2, 4, 4));
    TN_ASSERT_OK(call_gated(&(int32_t){5}, x, 3, 2, 5, 5));
    TN_ASSERT_REPORT("gated: argument x: expected dims(..., 2 * n, 3), found 2x5x3xf32",
                     call_gated(NULL, odd, 3, 2, 4, 4));
    TN_ASSERT_REPORT("gated: argument x: expected dims(..., 2 * n, 3), found 2x4x4xf32",
                     call_gated(NULL, last, 3, 2, 4, 4));
    TN_ASSERT_REPORT("gated: argument first: expected dims(n + 1) where n is 2, found 4xs8",
                     call_gated(NULL, x, 4, 2, 4, 4));
    TN_ASSERT_REPORT(
        "gated: result y: expected dims(..., n) where ... is 2 and n is 2, found 2x3xf32",
        call_gated(NULL, x, 3, 3, 4, 4));
    TN_ASSERT_REPORT(
        "gated: result z: expected dims(count, n + count - 2) where count is 4 and n is 2 and "
        "count is 4, found 5x4xs32",
        call_gated(NULL, x, 3, 2, 5, 4));
  }
}

static void a_list_that_cannot_be_read_is_an_error_of_the_call(void** state) {
  (void)state;
  tn__host_frame_init(&frame, &host);
  tn__host_arg(&frame, TN_FFI_F32, memory, TN_TESTING_DIMS(2, 3));
  tn__host_ret(&frame, TN_FFI_F32, memory, TN_TESTING_DIMS(2, 3));
  TN_ASSERT_REPORT(
      "wrong: argument x: expected dims(n, k / 2) to have names, numbers and their sums",
      tn__host_call(wrong, &frame));
}

// --- the language

static bool is_dims(const char* text) {
  return tn__count_dims(text) >= 0;
}

static void lists_are_names_numbers_and_sums(void** state) {
  (void)state;
  assert_int_equal(tn__count_dims("n, k"), 2);
  assert_int_equal(tn__count_dims("..."), 0);
  assert_int_equal(tn__count_dims("..., n"), 1);
  assert_int_equal(tn__count_dims(" n_1+ 2*K -3 , 10"), 2);
  assert_int_equal(tn__count_dims("n * 2"), 1);
  static const char* const wrong_lists[] = {
      "n,",  ",n",     "n k", "n / 2",  "n ^ 2", "(n)",       "n * k",      "2n",  "n, ...",
      "n +", "- n - ", "* n", "n ** 2", "1e3",   "a+b+c+d+e", "9999999999", "n..."};
  for (size_t i = 0; i < sizeof wrong_lists / sizeof *wrong_lists; ++i) {
    if (is_dims(wrong_lists[i])) fail_msg("%s is read", wrong_lists[i]);
  }
}

static void sums_are_solved_and_never_overflow(void** state) {
  (void)state;
  tn__sizes_t sizes;
  tn__forget_sizes(&sizes);
  assert_true(tn__match_dims("2 * n + 1", (int64_t[]){7}, 1, &sizes));
  assert_int_equal(tn__size_of(&sizes, "n", 1), 3);
  assert_false(tn__match_dims("n - 4", (int64_t[]){7}, 1, &sizes));
  assert_false(tn__match_dims("m + 9", (int64_t[]){7}, 1, &sizes));
  assert_false(tn__match_dims("0 * m", (int64_t[]){7}, 1, &sizes));
  assert_true(tn__match_dims("m", (int64_t[]){INT64_MAX}, 1, &sizes));
  assert_false(tn__match_dims("m + m", (int64_t[]){7}, 1, &sizes));
  assert_false(tn__match_dims("999999999 * m", (int64_t[]){7}, 1, &sizes));
  // What is not known agrees with everything.
  assert_true(tn__match_dims("a + b", (int64_t[]){7}, 1, &sizes));
  assert_true(tn__match_dims("a, n", (int64_t[]){TN_DIM_DYNAMIC, TN_DIM_DYNAMIC}, 2, &sizes));
  assert_true(tn__match_dims("..., n", (int64_t[]){TN_DIM_DYNAMIC, 5, 3}, 3, &sizes));
  assert_true(tn__match_dims("...", (int64_t[]){4, TN_DIM_DYNAMIC}, 2, &sizes));
  assert_false(tn__match_dims("...", (int64_t[]){4, 6}, 2, &sizes));
  assert_false(tn__match_dims("..., n", (int64_t[]){3}, 1, &sizes));
}

// --- programs

static int register_all(void** state) {
  tn__testing_unregister_all(state);
  const tn_ffi_op_t* const ops[] = {&product_op, &gated_op, &wrong_op, &shrunk_op};
  for (size_t i = 0; i < 4; ++i) {
    const tn_op_def_t definition = {.struct_size = sizeof definition, .handler = ops[i]};
    TN_ASSERT_OK(tn_op_register(&definition));
  }
  return 0;
}

#define PRODUCT_CALL(a, b, y)                                                          \
  "func.func @main(%a: tensor<" a "xf32>, %b: tensor<" b "xf32>) -> tensor<" y         \
  "xf32> {\n"                                                                          \
  "  %0 = stablehlo.custom_call @product(%a, %b) {api_version = 4 : i32} : (tensor<" a \
  "xf32>, tensor<" b "xf32>) -> tensor<" y "xf32>\n  return %0 : tensor<" y "xf32>\n}\n"
#define ONE_CALL(name, a, y)                                                        \
  "func.func @main(%a: tensor<" a "xf32>) -> tensor<" y                             \
  "xf32> {\n"                                                                       \
  "  %0 = stablehlo.custom_call @" name "(%a) {api_version = 4 : i32} : (tensor<" a \
  "xf32>) -> "                                                                      \
  "tensor<" y "xf32>\n  return %0 : tensor<" y "xf32>\n}\n"

#define ASSERT_REFUSED(report, text)                                \
  do {                                                              \
    tn_program_t* refused_ = NULL;                                  \
    TN_ASSERT_REPORT(report, tn__testing_compile(text, &refused_)); \
    assert_null(refused_);                                          \
  } while (0)

static void programs_that_contradict_do_not_compile(void** state) {
  (void)state;
  ASSERT_REFUSED(
      "test.mlir:2:8: error: custom call @product: operand 1 (w): expected dims(k, m) where k is "
      "4; found tensor<3x5xf32>",
      PRODUCT_CALL("2x4", "3x5", "2x5"));
  ASSERT_REFUSED(
      "test.mlir:2:8: error: custom call @product: result 0 (y): expected tensor<2x5xf32>; found "
      "tensor<1x1xf32>",
      PRODUCT_CALL("2x4", "4x5", "1x1"));
  ASSERT_REFUSED("operand 0 (x): expected dims(n, k); found tensor<4xf32>",
                 PRODUCT_CALL("4", "4x5", "2x5"));
  ASSERT_REFUSED("operand 0 (x): the signature has dims(n, k / 2); expected names, numbers",
                 ONE_CALL("wrong", "2x2", "2x2"));
  ASSERT_REFUSED("a result has dims(n - 2) where n is 1; expected no negative size",
                 ONE_CALL("shrunk", "1", "1"));
}

static void unknown_sizes_are_compatible_until_they_are_known(void** state) {
  (void)state;
  ASSERT_REFUSED("operand 1 (w): expected dims(k, m) where k is 4; found tensor<3x?xf32>",
                 PRODUCT_CALL("?x4", "3x?", "?x?"));
  ASSERT_REFUSED("result 0 (y): expected tensor<?x5xf32>; found tensor<?x6xf32>",
                 PRODUCT_CALL("?x4", "4x5", "?x6"));
  const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4] = {1, 1, 1, 1};
  float y[25] = {0};
  const tn_testing_array_t inputs[] = {{TN_DTYPE_F32, 2, {2, 4}, x}, {TN_DTYPE_F32, 2, {4, 1}, w}};
  TN_ASSERT_OK(tn__testing_call(PRODUCT_CALL("?x?", "?x?", "?x?"), 2, inputs, 1, (void*[]){y}));
  assert_true(y[0] == 10 && y[1] == 26 && y[2] == 0);
  TN_ASSERT_REPORT(
      "custom call @product: result 0 (y): expected tensor<2x1xf32>; found tensor<5x5xf32>",
      tn__testing_call(PRODUCT_CALL("?x?", "?x?", "5x5"), 2, inputs, 1, (void*[]){y}));
  TN_ASSERT_REPORT("operand 1 (w): expected dims(k, m) where k is 4; found tensor<2x4xf32>",
                   tn__testing_call(PRODUCT_CALL("?x?", "?x?", "?x?"), 2,
                                    (tn_testing_array_t[]){inputs[0], inputs[0]}, 1, (void*[]){y}));
}

// --- arrays

static void arrays_have_the_types_that_the_lists_say(void** state) {
  (void)state;
  tn_device_t* device = NULL;
  tn_scope_t* s = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_scope_create(device, &s));
  tn_array_t* x = tn_array_ones(s, TN_DTYPE_F32, 2, (int64_t[]){2, 3});
  tn_array_t* w = tn_array_ones(s, TN_DTYPE_F32, 2, (int64_t[]){3, 4});
  tn_array_t* y = tn_op_apply_one(s, "product", 2, (tn_array_t*[]){x, w}, 0, NULL);
  assert_int_equal(tn_array_dim(y, 0), 2);
  assert_int_equal(tn_array_dim(y, 1), 4);
  TN_ASSERT_OK(tn_array_eval(1, &y));
  y = tn_op_apply_one(s, "product", 2, (tn_array_t*[]){x, x}, 0, NULL);
  TN_ASSERT_REPORT(
      "product: operand 1 (w): expected dims(k, m) where k is 3; found tensor<2x3xf32>",
      tn_array_eval(1, &y));

  tn_array_t* gate = tn_array_ones(s, TN_DTYPE_F32, 4, (int64_t[]){5, 6, 4, 3});
  tn_array_t* first = tn_array_ones(s, TN_DTYPE_S8, 1, (int64_t[]){3});
  tn_array_t* results[4] = {NULL, NULL, NULL, NULL};
  const tn_attribute_t count = tn_attribute_integer("count", TN_DTYPE_S32, 6);
  const int64_t own[] = {9, 7};
  tn_application_t application = {.struct_size = sizeof application,
                                  .name = "gated",
                                  .operand_count = 2,
                                  .operands = (tn_array_t*[]){gate, first},
                                  .attribute_count = 1,
                                  .attributes = &count,
                                  .result_count = 4};
  // Nothing says the first dimension of the last one.
  tn_op_apply(s, &application, results);
  TN_ASSERT_REPORT("gated: the shape of result 3 does not follow from its operands",
                   tn_array_eval(1, results));
  const tn_array_type_t types[] = {{TN_DTYPE_F32, 3, (int64_t[]){5, 6, 2}},
                                   {TN_DTYPE_S32, 2, (int64_t[]){6, 6}},
                                   {TN_DTYPE_S8, 2, (int64_t[]){5, 6}},
                                   {TN_DTYPE_F32, 2, own}};
  application.result_types = types;
  tn_op_apply(s, &application, results);
  TN_ASSERT_OK(tn_array_eval(4, results));
  tn_scope_destroy(s);
  tn_device_release(device);
}

// --- what tools see

static bool see_parameters(void* user, const tn_target_info_t* info) {
  if (strcmp(info->name, "product") != 0) return true;
  assert_string_equal(info->signature, "product(x: f32[n, k], w: f32[k, m]) -> (y: f32[n, m])");
  assert_int_equal(info->parameter_count, 3);
  assert_string_equal(info->parameters[1].dims, "k, m");
  assert_string_equal(info->parameters[1].doc, "the weights");
  *(bool*)user = true;
  return true;
}

static void tools_see_the_dimensions(void** state) {
  (void)state;
  bool is_seen = false;
  TN_ASSERT_OK(tn_target_enumerate(see_parameters, &is_seen));
  assert_true(is_seen);
}

// A library of before: its parameters end where `dims` begins.
static void libraries_without_named_dimensions_load(void** state) {
  (void)state;
  enum { OLD_SIZE = offsetof(tn_ffi_param_t, dims) };
  static _Alignas(16) char params[3][OLD_SIZE];
  for (size_t i = 0; i < 3; ++i) memcpy(params[i], &product_op.params[i], OLD_SIZE);
  tn_ffi_op_t old = product_op;
  old.name = "old_product";
  old.param_size = OLD_SIZE;
  old.params = (const tn_ffi_param_t*)(const void*)params;
  const tn_op_def_t definition = {.struct_size = sizeof definition, .handler = &old};
  TN_ASSERT_OK(tn_op_register(&definition));
  // Its own decoder still knows; nothing else does.
  tn_program_t* program = NULL;
  TN_ASSERT_OK(tn__testing_compile(ONE_CALL("shrunk", "5", "3"), &program));
  tn_program_release(program);
  TN_ASSERT_OK(tn_target_unregister("old_product", "Host"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(handlers_check_named_dimensions, init_host, deinit_host),
      cmocka_unit_test_setup_teardown(handlers_check_sums_leading_dimensions_and_attributes,
                                      init_host, deinit_host),
      cmocka_unit_test_setup_teardown(a_list_that_cannot_be_read_is_an_error_of_the_call, init_host,
                                      deinit_host),
      cmocka_unit_test(lists_are_names_numbers_and_sums),
      cmocka_unit_test(sums_are_solved_and_never_overflow),
      cmocka_unit_test_setup(programs_that_contradict_do_not_compile, register_all),
      cmocka_unit_test_setup(unknown_sizes_are_compatible_until_they_are_known, register_all),
      cmocka_unit_test_setup(arrays_have_the_types_that_the_lists_say, register_all),
      cmocka_unit_test_setup(tools_see_the_dimensions, register_all),
      cmocka_unit_test_setup(libraries_without_named_dimensions_load, register_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
