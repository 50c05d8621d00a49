// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A device that is not the host fails in the middle of a run, beside calls on the host that fail:
// the run reports what comes first in the program.
#include <tenon/custom.h>

#include "program/testing_faults.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define CALL(result, target, operand)                         \
  "%" result " = stablehlo.custom_call @" target "(%" operand \
  ")"                                                         \
  " {api_version = 4 : i32, backend_config = {}} : (" F4 ") -> " F4 "\n"
#define LAUNCH(result, operand) "%" result " = stablehlo.exponential %" operand " : " F4 "\n"
#define MAIN(body, results)                                                                     \
  "func.func @main(%x: " F4 ") -> (" F4 ", " F4 ", " F4 ") {\n" body "return " results " : " F4 \
  ", " F4 ", " F4 "\n}\n"

// --- calls on the host

#define SAME(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))

static tn_future_t future;

TN_OP(hold, SAME, "ends when another call says so") {
  return tn_defer(call, &future);
}
TN_OP(finish_held, SAME, "ends it well") {
  tn_finish(future);
  return TN_OK;
}
TN_OP(fail_held, SAME, "ends it with an error") {
  tn_fail(future, ABORTED, "the held call failed");
  return TN_OK;
}
TN_OP(finish_later, SAME, "leaves a future that is complete") {
  tn_future_t own = {0};
  TN_TRY(tn_defer(call, &own));
  tn_finish(own);
  return TN_OK;
}
TN_OP(fail_later, SAME, "leaves a future that fails") {
  tn_future_t own = {0};
  TN_TRY(tn_defer(call, &own));
  tn_fail(own, ABORTED, "failed later");
  return TN_OK;
}
TN_OP(fail_now, SAME, "fails") {
  return TN_ERROR(call, ABORTED, "failed at once");
}

static int setup(void** state) {
  static const tn_ffi_op_t* const ops[] = {&hold_op,         &finish_held_op, &fail_held_op,
                                           &finish_later_op, &fail_later_op,  &fail_now_op};
  tn_device_t* device = NULL;
  TN_ASSERT_OK(tn_device_create("reference", NULL, &device));
  tn__testing_fail_launches(device, "exponential");
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
    TN_ASSERT_OK(tn_target_register(ops[i]->name, "Host",
                                    (tn_target_function_t)ops[i]->bundle.execute,
                                    TN_API_VERSION_TYPED_FFI));
  }
  *state = device;
  return 0;
}

static int teardown(void** state) {
  tn_device_release(*state);
  return 0;
}

// Twice, and then the device still computes.
static void expect(tn_device_t* device, const char* text, const char* error) {
  tn_program_t* program = tn__testing_program_on(device, text, false);
  tn_program_t* sound = tn__testing_program_on(
      device, MAIN("%n = stablehlo.negate %x : " F4 "\n", "%n, %n, %n"), false);
  tn_buffer_t *x = NULL, *results[3];
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4},
                                          (float[]){1, 2, 3, 4}, 4 * sizeof(float), &x));
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_REPORT(error, tn_program_run(program, 1, &x, NULL, 3, results));
    assert_null(results[0]);
  }
  TN_ASSERT_OK(tn_program_run(sound, 1, &x, NULL, 3, results));
  for (int i = 0; i < 3; ++i) {
    tn__testing_expect_floats(results[i], 4, (float[]){-1, -2, -3, -4});
    tn_buffer_release(results[i]);
  }
  tn_buffer_release(x);
  tn_program_release(sound);
  tn_program_release(program);
}

static void a_launch_comes_before_the_call_behind_it(void** state) {
  expect(*state, MAIN(LAUNCH("a", "x") CALL("b", "fail_now", "x"), "%a, %b, %b"),
         "the device failed");
  expect(*state,
         MAIN(LAUNCH("a", "x") CALL("b", "hold", "x") CALL("c", "fail_held", "x"), "%a, %b, %c"),
         "the device failed");
}

static void a_pending_call_comes_before_the_launch_behind_it(void** state) {
  static const char error[] = "custom call @hold: ABORTED: the held call failed";
  expect(*state,
         MAIN(CALL("a", "hold", "x") LAUNCH("b", "x") CALL("c", "fail_held", "x"), "%a, %b, %c"),
         error);
  expect(*state,
         MAIN(CALL("a", "hold", "x") LAUNCH("b", "x") CALL("c", "fail_held", "x")
                  CALL("d", "fail_now", "c"),
              "%a, %b, %d"),
         error);
  // What needs the call's result meets the error.
  expect(*state,
         MAIN(CALL("a", "hold", "x") LAUNCH("b", "x") CALL("c", "fail_held", "x")
                  CALL("d", "finish_held", "a"),
              "%b, %c, %d"),
         error);
}

static void a_call_that_ends_well_hides_no_launch(void** state) {
  expect(*state,
         MAIN(CALL("a", "hold", "x") LAUNCH("b", "x") CALL("c", "finish_held", "x")
                  CALL("d", "fail_now", "c"),
              "%a, %b, %d"),
         "the device failed");
  expect(*state,
         MAIN(CALL("a", "hold", "x") LAUNCH("b", "x") CALL("c", "finish_held", "x"), "%a, %b, %c"),
         "the device failed");
}

// Two pending calls with a launch between, which comes before the second.
static void launches_between_pending_calls_have_their_turn(void** state) {
  expect(*state,
         MAIN(CALL("a", "finish_later", "x") LAUNCH("b", "x") CALL("c", "fail_later", "x"),
              "%a, %b, %c"),
         "the device failed");
}

static void blocks_inside_keep_the_order(void** state) {
  expect(*state,
         "func.func private @inner(%v: " F4 ") -> " F4
         " attributes {no_inline} {\n" LAUNCH("p", "v") "return %p : " F4 "\n}\n" MAIN(
             CALL("a", "hold", "x") "%b = call @inner(%x) : (" F4 ") -> " F4
                                    "\n" CALL("c", "fail_held", "x"),
             "%a, %b, %c"),
         "the held call failed");
  expect(
      *state,
      MAIN(
          "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "%s = stablehlo.slice %x [0:1] : (" F4 ") -> tensor<1xf32>\n"
          "%t = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>\n"
          "%go = stablehlo.compare GT, %t, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" CALL(
              "a", "hold",
              "x") "%b = \"stablehlo.if\"(%go) ({\n" LAUNCH("p",
                                                            "x") "stablehlo.return %p : " F4
                                                                 "\n}, {\nstablehlo.return %x : " F4
                                                                 "\n}) : (tensor<i1>) -> " F4
                                                                 "\n" CALL("c", "fail_held", "x"),
          "%a, %b, %c"),
      "the held call failed");
}

static void results_on_a_stream_carry_the_error(void** state) {
  tn_program_t* program = tn__testing_program_on(
      *state, MAIN(LAUNCH("a", "x") CALL("b", "fail_now", "a"), "%a, %b, %x"), false);
  tn_stream_t* stream = NULL;
  tn_buffer_t *x = NULL, *results[3];
  float out[4];
  TN_ASSERT_OK(tn_stream_create(*state, &stream));
  TN_ASSERT_OK(tn_buffer_create_from_host(*state, TN_DTYPE_F32, 1, (int64_t[]){4},
                                          (float[]){1, 2, 3, 4}, sizeof out, &x));
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  TN_ASSERT_OK(tn_program_run(program, 1, &x, &options, 3, results));
  for (int i = 0; i < 3; ++i) {
    TN_ASSERT_REPORT("the device failed", tn_buffer_to_host(results[i], out, sizeof out));
    tn_buffer_release(results[i]);
  }
  tn_buffer_release(x);
  tn_stream_release(stream);
  tn_program_release(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_comes_before_the_call_behind_it),
      cmocka_unit_test(a_pending_call_comes_before_the_launch_behind_it),
      cmocka_unit_test(a_call_that_ends_well_hides_no_launch),
      cmocka_unit_test(launches_between_pending_calls_have_their_turn),
      cmocka_unit_test(blocks_inside_keep_the_order),
      cmocka_unit_test(results_on_a_stream_carry_the_error),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
