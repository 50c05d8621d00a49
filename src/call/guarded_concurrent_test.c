// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Guarded programs that are compiled, run and released by several threads at once.
#include <pthread.h>

#include "base/testing.h"
#include "call/testing_call.h"

enum { THREADS = 4, ROUNDS = 50 };

static const char text[] =
    "func.func @main() -> tensor<5xf32> {\n"
    "  %x = stablehlo.iota dim = 0 : tensor<5xf32>\n"
    "  %y = stablehlo.custom_call @stray(%x) {api_version = 4 : i32} : (tensor<5xf32>) -> "
    "tensor<5xf32>\n"
    "  return %y : tensor<5xf32>\n"
    "}\n";

static tn_device_t* device;
static tn_module_t* module;
static tn_program_t* shared;

static tn_status_t compile(tn_program_t** out_program) {
  const tn_compile_options_t options = {.struct_size = sizeof options, .guard_calls = true};
  return tn_program_compile(device, module, &options, out_program);
}

static tn_status_t run(tn_program_t* program) {
  tn_buffer_t* result = NULL;
  float y[5] = {0};
  tn_status_t status = tn_program_run(program, 0, NULL, NULL, 1, &result);
  if (!status) status = tn_buffer_to_host(result, y, sizeof y);
  tn_buffer_release(result);
  if (!status && y[4] != 5) status = tn_status_create(TN_CODE_INTERNAL, "a wrong result");
  return status;
}

// Its error, if one occurs.
static void* work(void* user) {
  (void)user;
  tn_status_t status = TN_OK;
  for (int i = 0; i < ROUNDS && !status; ++i) {
    tn_program_t* own = NULL;
    status = compile(&own);
    if (!status) status = run(own);
    if (!status) status = run(shared);
    tn_program_release(own);
  }
  return status;
}

static void threads_do_not_disturb_each_other(void** state) {
  (void)state;
  pthread_t threads[THREADS];
  TN_ASSERT_OK(tn_library_load(TESTING_LIBRARIES "/testing_library_wrong.so"));
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, sizeof text - 1, &module));
  TN_ASSERT_OK(compile(&shared));
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    void* error = NULL;
    pthread_join(threads[i], &error);
    TN_ASSERT_OK((tn_status_t)error);
  }
  tn_program_release(shared);
  tn_module_release(module);
  tn_device_release(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_disturb_each_other)};
  return cmocka_run_group_tests(tests, NULL, tn__testing_unregister_all);
}
