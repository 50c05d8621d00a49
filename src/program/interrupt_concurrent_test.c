// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs that would never end are ended: by a time limit, or by a cancellation from another thread.
// Nothing is lost, and the stream goes on.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "base/linux/clock.h"
#include "call/abi.h"
#include "program/testing_run.h"

#define COUNTING                                                                          \
  "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n"                                   \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"                                  \
  "  %0 = stablehlo.while(%i = %x) : tensor<i32>\n"                                       \
  "  cond {\n"                                                                            \
  "    %go = stablehlo.compare NE, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %go : tensor<i1>\n"                                               \
  "  } do {\n"                                                                            \
  "    %two = stablehlo.constant dense<2> : tensor<i32>\n"                                \
  "    %next = stablehlo.add %i, %two : tensor<i32>\n"                                    \
  "    stablehlo.return %next : tensor<i32>\n"                                            \
  "  }\n"                                                                                 \
  "  return %0 : tensor<i32>\n"                                                           \
  "}\n"
// Neither condition nor body has an operation.
#define EMPTY                                                             \
  "func.func @main(%x: tensor<i1>) -> tensor<i1> {\n"                     \
  "  %0 = stablehlo.while(%i = %x) : tensor<i1>\n"                        \
  "  cond {\n    stablehlo.return %i : tensor<i1>\n  } do {\n"            \
  "    stablehlo.return %i : tensor<i1>\n  }\n  return %0 : tensor<i1>\n" \
  "}\n"

enum { SHORT_NS = 20 * 1000 * 1000 };

static tn_buffer_t* scalar(tn_dtype_t dtype, const void* value, size_t byte_size) {
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(
      tn_buffer_create_from_host(tn__testing_device(), dtype, 0, NULL, value, byte_size, &buffer));
  return buffer;
}

// 0 counts past 1, and never ends; 1 ends at once.
static tn_buffer_t* integer(int32_t value) {
  return scalar(TN_DTYPE_S32, &value, sizeof value);
}

static void* cancel_soon(void* user) {
  nanosleep(&(struct timespec){.tv_nsec = SHORT_NS}, NULL);
  tn_cancellation_cancel(user);
  return NULL;
}

static void expect_end(tn_program_t* program, const tn_run_options_t* options,
                       tn_buffer_t* argument, const char* report) {
  tn_buffer_t* result = NULL;
  tn_status_t status = tn_program_run(program, 1, &argument, options, 1, &result);
  if (!status) status = tn_stream_synchronize(options->stream);
  TN_ASSERT_REPORT(report, status);
  tn_buffer_release(result);
}

static void a_loop_without_end_ends_at_its_time_limit(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(COUNTING, false);
  tn_buffer_t* argument = integer(0);
  const tn_run_options_t options = {.struct_size = sizeof options, .timeout_ns = SHORT_NS};
  int64_t start_ns = tn__clock_ns();
  expect_end(program, &options, argument, "the run was not over within its time limit of 0.020 s");
  assert_true(tn__clock_ns() - start_ns >= SHORT_NS);
  tn_buffer_release(argument);
  tn_program_release(program);
}

static void a_loop_of_nothing_ends_at_its_time_limit(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(EMPTY, true);
  tn_buffer_t* argument = scalar(TN_DTYPE_PRED, &(bool){true}, sizeof(bool));
  const tn_run_options_t options = {.struct_size = sizeof options, .timeout_ns = SHORT_NS};
  expect_end(program, &options, argument, "the run was not over within its time limit");
  tn_buffer_release(argument);
  tn_program_release(program);
}

static void the_error_names_the_operation_it_stopped_at(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(COUNTING, false);
  tn_buffer_t* argument = integer(0);
  const tn_run_options_t options = {.struct_size = sizeof options, .timeout_ns = SHORT_NS};
  tn_buffer_t* result = NULL;
  tn_status_t status = tn_program_run(program, 1, &argument, &options, 1, &result);
  assert_int_equal(tn_status_code(status), TN_CODE_DEADLINE_EXCEEDED);
  assert_true(tn_status_line(status) >= 3 && tn_status_line(status) <= 9);
  tn_status_release(status);
  tn_buffer_release(argument);
  tn_program_release(program);
}

static void a_run_is_cancelled_from_another_thread(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(COUNTING, false);
  tn_cancellation_t* cancellation = NULL;
  TN_ASSERT_OK(tn_cancellation_create(NULL, &cancellation));
  tn_buffer_t* argument = integer(0);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, cancel_soon, cancellation), 0);
  const tn_run_options_t options = {.struct_size = sizeof options, .cancellation = cancellation};
  expect_end(program, &options, argument, "the run was cancelled");
  pthread_join(thread, NULL);
  assert_true(tn_cancellation_is_cancelled(cancellation));
  tn_cancellation_release(cancellation);
  tn_buffer_release(argument);
  tn_program_release(program);
}

static void a_stream_goes_on_behind_a_run_that_was_cancelled(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(COUNTING, false);
  tn_cancellation_t* cancellation = NULL;
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_cancellation_create(NULL, &cancellation));
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &stream));
  tn_buffer_t *endless = integer(0), *quick = integer(1), *result = NULL;
  tn_run_options_t options = {
      .struct_size = sizeof options, .stream = stream, .cancellation = cancellation};
  TN_ASSERT_OK(tn_program_run(program, 1, &endless, &options, 1, &result));
  tn_buffer_release(result);
  cancel_soon(cancellation);
  TN_ASSERT_REPORT("the run was cancelled", tn_stream_synchronize(stream));
  // One that is cancelled before it begins does not begin.
  expect_end(program, &options, endless, "the run was cancelled");
  tn_cancellation_release(cancellation);
  options.cancellation = NULL;
  TN_ASSERT_OK(tn_program_run(program, 1, &quick, &options, 1, &result));
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  int32_t value = 0;
  TN_ASSERT_OK(tn_buffer_to_host(result, &value, sizeof value));
  assert_int_equal(value, 1);
  tn_buffer_release(result);
  tn_buffer_release(quick);
  tn_buffer_release(endless);
  tn_stream_release(stream);
  tn_program_release(program);
}

static void sleep_long(void* out, const void** in) {
  nanosleep(&(struct timespec){.tv_nsec = 2L * SHORT_NS}, NULL);
  memcpy(out, in[0], sizeof(int32_t));
}

static void a_last_operation_that_takes_too_long_is_an_error(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_target_register("testing.sleep_long", "Host", (tn_target_function_t)sleep_long,
                                  TN_API_VERSION_ORIGINAL));
  tn_program_t* program = tn__testing_program(
      "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n"
      "  %0 = stablehlo.custom_call @testing.sleep_long(%x) : (tensor<i32>) -> tensor<i32>\n"
      "  return %0 : tensor<i32>\n}\n",
      false);
  tn_buffer_t *argument = integer(1), *result = NULL;
  tn_run_options_t options = {.struct_size = sizeof options, .timeout_ns = SHORT_NS};
  expect_end(program, &options, argument, "the run was not over within its time limit");
  options.timeout_ns = 0;
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, &options, 1, &result));
  tn_buffer_release(result);
  tn_buffer_release(argument);
  tn_program_release(program);
}

static void an_argument_that_is_never_ready_ends_with_the_time_limit(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(COUNTING, false);
  tn_stream_t* stream = NULL;
  tn_event_t* event = NULL;
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &stream));
  TN_ASSERT_OK(tn_event_create(tn__testing_device(), &event));
  TN_ASSERT_OK(tn_stream_wait_event(stream, event));
  tn_buffer_t *quick = integer(1), *late = NULL;
  const tn_run_options_t on_stream = {.struct_size = sizeof on_stream, .stream = stream};
  TN_ASSERT_OK(tn_program_run(program, 1, &quick, &on_stream, 1, &late));
  const tn_run_options_t options = {.struct_size = sizeof options, .timeout_ns = SHORT_NS};
  expect_end(program, &options, late, "the run was not over within its time limit");
  TN_ASSERT_OK(tn_event_set(event, NULL));
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  tn_buffer_release(late);
  tn_buffer_release(quick);
  tn_event_release(event);
  tn_stream_release(stream);
  tn_program_release(program);
}

static void options_from_before_there_were_time_limits_are_understood(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(COUNTING, false);
  tn_buffer_t *argument = integer(1), *result = NULL;
  tn_run_options_t options = {.struct_size = offsetof(tn_run_options_t, timeout_ns),
                              .timeout_ns = -7,
                              .cancellation = (void*)&options};
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, &options, 1, &result));
  tn_buffer_release(result);
  options = (tn_run_options_t){.struct_size = sizeof options, .timeout_ns = -7};
  TN_ASSERT_REPORT("timeout_ns is -7; expected 0 or more",
                   tn_program_run(program, 1, &argument, &options, 1, &result));
  options.struct_size = 8;
  TN_ASSERT_REPORT("struct_size is 8", tn_program_run(program, 1, &argument, &options, 1, &result));
  tn_buffer_release(argument);
  tn_program_release(program);
}

// --- compiling for a new size

// Instances of @testing.made that were made, and the cancellation that the first of them cancels.
static atomic_int made_count;
static tn_cancellation_t* cancelled_by_making;

static bool answer(tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start) return false;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = 3;
  return true;
}

static tn_status_t make(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  if (atomic_fetch_add(&made_count, 1) == 0) tn_cancellation_cancel(cancelled_by_making);
  return TN_OK;
}

static tn_status_t copy_operand(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  memcpy(y->data, x->data, (size_t)x->dims[0] * sizeof(float));
  return TN_OK;
}

#define MADE(x, y)                                   \
  "  " y " = stablehlo.custom_call @testing.made(" x \
  ") {api_version = 4 : i32, "                       \
  "has_side_effect = true} : (tensor<1xf32>) -> tensor<1xf32>\n"
static const char made_twice[] =
    "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %c = stablehlo.constant dense<1.0> : tensor<1xf32>\n" MADE("%c", "%0") MADE("%0", "%1")
    "  %2 = stablehlo.add %x, %x : tensor<?xf32>\n"
    "  return %2 : tensor<?xf32>\n}\n";

static tn_program_t* program_of_made_calls(void) {
  TN_ASSERT_OK(tn_target_register_stages(
      "testing.made", "Host",
      &(tn_handler_stages_t){.instantiate = (tn_target_function_t)make,
                             .execute = (tn_target_function_t)copy_operand}));
  return tn__testing_program(made_twice, false);
}

static void expect_compiled(tn_program_t* program, int64_t size, const tn_run_options_t* options,
                            tn_code_t code, int count) {
  static const float zeros[16];
  tn_buffer_t *x = NULL, *y = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 1, &size, zeros,
                                          (size_t)size * sizeof(float), &x));
  atomic_store(&made_count, 0);
  tn_status_t status = tn_program_run(program, 1, &x, options, 1, &y);
  assert_int_equal(tn_status_code(status), code);
  assert_int_equal(atomic_load(&made_count), count);
  assert_true((y == NULL) == (status != TN_OK));
  tn_status_release(status);
  tn_buffer_release(y);
  tn_buffer_release(x);
}

static void no_new_size_is_compiled_for_a_run_that_has_ended(void** state) {
  (void)state;
  tn_program_t* program = program_of_made_calls();
  tn_run_options_t options = {.struct_size = sizeof options};
  TN_ASSERT_OK(tn_cancellation_create(NULL, &options.cancellation));
  tn_cancellation_cancel(options.cancellation);
  expect_compiled(program, 1, &options, TN_CODE_CANCELLED, 0);
  tn_cancellation_release(options.cancellation);
  options.cancellation = NULL;
  options.timeout_ns = 1;
  expect_compiled(program, 2, &options, TN_CODE_DEADLINE_EXCEEDED, 0);
  options.timeout_ns = -1;
  expect_compiled(program, 3, &options, TN_CODE_INVALID_ARGUMENT, 0);
  options.timeout_ns = 0;
  expect_compiled(program, 3, &options, TN_CODE_OK, 2);
  expect_compiled(program, 3, &options, TN_CODE_OK, 0);
  tn_program_release(program);
}

static void compiling_for_a_new_size_is_cancelled_in_the_middle(void** state) {
  (void)state;
  tn_program_t* program = program_of_made_calls();
  tn_run_options_t options = {.struct_size = sizeof options};
  TN_ASSERT_OK(tn_cancellation_create(NULL, &options.cancellation));
  cancelled_by_making = options.cancellation;
  expect_compiled(program, 4, &options, TN_CODE_CANCELLED, 1);
  cancelled_by_making = NULL;
  tn_cancellation_release(options.cancellation);
  options.cancellation = NULL;
  expect_compiled(program, 4, &options, TN_CODE_OK, 2);
  tn_program_release(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_new_size_is_compiled_for_a_run_that_has_ended),
      cmocka_unit_test(compiling_for_a_new_size_is_cancelled_in_the_middle),
      cmocka_unit_test(a_loop_without_end_ends_at_its_time_limit),
      cmocka_unit_test(a_loop_of_nothing_ends_at_its_time_limit),
      cmocka_unit_test(the_error_names_the_operation_it_stopped_at),
      cmocka_unit_test(a_run_is_cancelled_from_another_thread),
      cmocka_unit_test(a_stream_goes_on_behind_a_run_that_was_cancelled),
      cmocka_unit_test(a_last_operation_that_takes_too_long_is_an_error),
      cmocka_unit_test(an_argument_that_is_never_ready_ends_with_the_time_limit),
      cmocka_unit_test(options_from_before_there_were_time_limits_are_understood),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
