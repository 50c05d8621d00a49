// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Contexts on two threads: each thread creates its own, registers an operation under the same name
// as the other, compiles, runs, evaluates and closes, again and again.
#include <pthread.h>
#include <tenon/arrays.h>
#include <tenon/custom.h>
#include <tenon/tenon.h>

#include "lazy/testing_lazy.h"

enum { THREAD_COUNT = 2, ROUND_COUNT = 20 };

#define SHIFT(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  RET(y, f32, shape_of(x))

TN_OP(up, SHIFT, "y = x + 1") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->x.data[i] + 1;
  return TN_OK;
}
TN_OP(down, SHIFT, "y = x - 1") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->x.data[i] - 1;
  return TN_OK;
}

static const char text[] =
    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n"
    "  %1 = stablehlo.custom_call @shift(%0) {api_version = 4 : i32, backend_config = {}}"
    " : (tensor<3xf32>) -> tensor<3xf32>\n"
    "  return %1 : tensor<3xf32>\n"
    "}\n";

// A thread's own device, operation and what it gives for 0.
typedef struct tn_world {
  const char* device_name;
  const tn_ffi_op_t* op;
  float shift;
} tn_world_t;

static void run_text(tn_device_t* device, float shift) {
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *x = NULL, *y = NULL;
  const float numbers[] = {0, 1, 2};
  float out[3] = {0};
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, NULL, &program));
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){3}, numbers,
                                          sizeof numbers, &x));
  TN_ASSERT_OK(tn_program_run(program, 1, &x, NULL, 1, &y));
  TN_ASSERT_OK(tn_buffer_to_host(y, out, sizeof out));
  for (int i = 0; i < 3; ++i) assert_true(out[i] == 2 * numbers[i] + shift);
  tn_buffer_release(y);
  tn_buffer_release(x);
  tn_program_release(program);
  tn_module_release(module);
}

// Twice the same graph: step by step, and as one program.
static void evaluate(tn_device_t* device, float shift) {
  tn_scope_t* s = NULL;
  TN_ASSERT_OK(tn_scope_create(device, &s));
  for (int i = 0; i < 2; ++i) {
    const int64_t dims[] = {3};
    const tn_array_type_t type = {TN_DTYPE_F32, 1, dims};
    tn_array_t *x = tn__testing_range(s, TN_LIST(3)), *y = NULL;
    x = tn_array_add(s, x, x);
    const tn_application_t application = {.struct_size = sizeof application,
                                          .name = "shift",
                                          .operand_count = 1,
                                          .operands = &x,
                                          .result_count = 1,
                                          .result_types = &type};
    tn_op_apply(s, &application, &y);
    TN_ASSERT_F32(tn_array_negative(s, y), TN_LIST(3), -shift, -shift - 2, -shift - 4);
    tn_scope_clear(s);
  }
  tn_scope_destroy(s);
}

static void* live(void* user) {
  const tn_world_t* world = user;
  for (int round = 0; round < ROUND_COUNT; ++round) {
    tn_context_t* context = NULL;
    tn_device_t* device = NULL;
    TN_ASSERT_OK(tn_context_create(NULL, &context));
    const tn_device_options_t options = {
        .struct_size = sizeof options, .context = context, .thread_count = 2};
    TN_ASSERT_OK(tn_context_register_target(context, "shift", "Host",
                                            (tn_target_function_t)world->op->bundle.execute,
                                            TN_API_VERSION_TYPED_FFI));
    TN_ASSERT_OK(tn_device_create(world->device_name, &options, &device));
    tn_context_release(context);  // the device keeps it
    run_text(device, world->shift);
    evaluate(device, world->shift);
    tn_device_release(device);
  }
  return NULL;
}

static void two_contexts_live_on_two_threads(void** state) {
  (void)state;
  static const char* const names[][THREAD_COUNT] = {{"cpu", "cpu"}, {"cpu", "reference"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    tn_world_t worlds[THREAD_COUNT] = {{names[i][0], &up_op, 1}, {names[i][1], &down_op, -1}};
    pthread_t threads[THREAD_COUNT];
    for (int t = 0; t < THREAD_COUNT; ++t) {
      assert_int_equal(pthread_create(&threads[t], NULL, live, &worlds[t]), 0);
    }
    for (int t = 0; t < THREAD_COUNT; ++t) pthread_join(threads[t], NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_contexts_live_on_two_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
