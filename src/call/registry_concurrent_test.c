// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Targets come, change and go while programs that use them are compiled and run.
#include <pthread.h>
#include <stdatomic.h>
#include <tenon/inspect.h>

#include "call/testing_call.h"
#include "call/testing_foreign.h"

#define TABLE TESTING_LIBRARIES "/testing_library_table.so"
#define PLAIN TESTING_LIBRARIES "/testing_library_plain.so"

enum { ROUNDS = 300 };

static const float four[] = {1, 2, 3, 4};

#define CALL(name, config)                                                                     \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.custom_call @" name \
  "(%a) {" config "} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"

static void one(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = ((const float*)in[0])[i] + 1;
}
static void two(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = ((const float*)in[0])[i] + 2;
}

static atomic_int failures;

// What a thread may not do by an assertion of the test's own.
static void expect(bool condition) {
  if (!condition) atomic_fetch_add(&failures, 1);
}
static void expect_ok_or(tn_status_t status, tn_code_t code) {
  expect(!status || tn_status_code(status) == code);
  tn_status_release(status);
}

static void* change(void* user) {
  (void)user;
  for (int i = 0; i < ROUNDS; ++i) {
    expect_ok_or(tn_target_register("changing", "Host", (tn_target_function_t)(i % 2 ? one : two),
                                    TN_API_VERSION_ORIGINAL),
                 TN_CODE_ALREADY_EXISTS);
    if (i % 3 != 0) expect_ok_or(tn_target_unregister("changing", "cpu"), TN_CODE_NOT_FOUND);
  }
  return NULL;
}

static void* load(void* user) {
  (void)user;
  for (int i = 0; i < ROUNDS; ++i) {
    expect_ok_or(tn_library_load(TABLE), TN_CODE_OK);
    expect_ok_or(tn_library_load(PLAIN ":twice=plain_double"), TN_CODE_OK);
    expect_ok_or(tn_target_unregister("negate", "Host"), TN_CODE_NOT_FOUND);
    expect_ok_or(tn_target_unregister("twice", "Host"), TN_CODE_NOT_FOUND);
  }
  return NULL;
}

static tn_status_t copy_body(tn_ffi_call_frame_t* frame) {
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  memcpy(y->data, x->data, sizeof four);
  return TN_OK;
}
static tn_status_t copy_handler(tn_ffi_call_frame_t* frame) {
  static const tn_testing_foreign_t copy = {
      .stage = TN_FFI_EXECUTE,
      .lists = {{1, 0, false, {{TN_FFI_F32, 1}}}, {1, 0, false, {{TN_FFI_F32, 1}}}},
      .body = copy_body,
  };
  return tn__testing_foreign(&copy, frame);
}

// Each round asks a handler in a child, while other threads hold locks.
static void* learn(void* user) {
  (void)user;
  for (int i = 0; i < ROUNDS / 10; ++i) {
    expect_ok_or(tn_target_register("foreign", "Host", (tn_target_function_t)copy_handler,
                                    TN_API_VERSION_TYPED_FFI),
                 TN_CODE_OK);
    expect_ok_or(tn_target_probe(NULL, "foreign", "Host"), TN_CODE_NOT_FOUND);
    if (i % 3 == 0) expect_ok_or(tn_target_unregister("foreign", "Host"), TN_CODE_NOT_FOUND);
  }
  return NULL;
}

static bool look(void* user, const tn_target_info_t* info) {
  (void)user;
  return info->name_length > 0;
}

static void* use(void* text) {
  for (int i = 0; i < ROUNDS; ++i) {
    tn_program_t* program = NULL;
    tn_status_t status = tn__testing_compile(text, &program);
    if (status) {
      expect_ok_or(status, TN_CODE_NOT_FOUND);
      continue;
    }
    for (int run = 0; run < 3; ++run) {
      float y[4] = {0};
      const tn_testing_array_t x = {TN_DTYPE_F32, 1, {4}, four};
      expect_ok_or(tn__testing_run(program, 1, &x, 1, (void*[]){y}), TN_CODE_OK);
      expect(y[0] == 1 || y[0] == 2 || y[0] == 3 || y[0] == -1);
    }
    tn_program_release(program);
    expect_ok_or(tn_target_enumerate(look, NULL), TN_CODE_OK);
  }
  return NULL;
}

static void the_registry_may_change_at_any_time(void** state) {
  (void)state;
  enum { USERS = 4 };
  pthread_t threads[4 + USERS];
  void* const texts[] = {CALL("changing", ""), CALL("negate", "mhlo.backend_config = {}"),
                         CALL("twice", ""), CALL("foreign", "mhlo.backend_config = {}")};
  float y[4];
  const tn_testing_array_t x = {TN_DTYPE_F32, 1, {4}, four};
  TN_ASSERT_OK(
      tn_target_register("changing", "Host", (tn_target_function_t)one, TN_API_VERSION_ORIGINAL));
  TN_ASSERT_OK(tn__testing_call(texts[0], 1, &x, 1, (void*[]){y}));  // makes the device
  assert_int_equal(pthread_create(&threads[0], NULL, change, NULL), 0);
  assert_int_equal(pthread_create(&threads[1], NULL, change, NULL), 0);
  assert_int_equal(pthread_create(&threads[2], NULL, load, NULL), 0);
  assert_int_equal(pthread_create(&threads[3], NULL, learn, NULL), 0);
  for (int i = 0; i < USERS; ++i) {
    assert_int_equal(pthread_create(&threads[4 + i], NULL, use, texts[i]), 0);
  }
  for (int i = 0; i < 4 + USERS; ++i) pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&failures), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_registry_may_change_at_any_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
