// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Results in memory of the caller.
#include "base/testing_allocator.h"
#include "base/type.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define MAIN(arguments, results, body) \
  "func.func @main(" arguments ") -> (" results ") {\n" body "\n}\n"

static _Alignas(64) char memory[1024];
static tn_program_t* program;

static int begin(void** state) {
  (void)state;
  memset(memory, 0x55, sizeof memory);
  return 0;
}
static int end(void** state) {
  (void)state;
  tn_program_release(program);
  program = NULL;
  return 0;
}

// Two results, of 16 bytes each.
static void compile_two(void) {
  program =
      tn__testing_program(MAIN("%x: " F4, F4 ", " F4,
                               "%y = stablehlo.add %x, %x : " F4 "\n%z = stablehlo.negate %x : " F4
                               "\nreturn %y, %z : " F4 ", " F4),
                          false);
}

static tn_status_t run_with(tn_buffer_t* argument, const bool* donated, tn_stream_t* stream,
                            size_t count, const tn_output_memory_t* given, tn_buffer_t** results) {
  const tn_run_options_t options = {.struct_size = sizeof options,
                                    .stream = stream,
                                    .donated = donated,
                                    .output_memory_count = count,
                                    .output_memory = given};
  return tn_program_run(program, 1, &argument, &options, tn_program_output_count(program), results);
}

static tn_status_t run(size_t count, const tn_output_memory_t* given, tn_buffer_t** results) {
  tn_buffer_t* argument = tn__testing_floats(4, (float[]){1, 2, 3, 4});
  tn_status_t status = run_with(argument, NULL, NULL, count, given, results);
  tn_buffer_release(argument);
  return status;
}

static void expect_floats(const void* found, float a, float b, float c, float d) {
  const float expected[] = {a, b, c, d};
  assert_memory_equal(found, expected, sizeof expected);
}

static bool is_at(tn_buffer_t* buffer, const void* place) {
  const void* data = NULL;
  TN_ASSERT_OK(tn_buffer_map(buffer, &data));
  tn_buffer_unmap(buffer);
  return data == place;
}

static bool host_sees_device(void) {
  return strncmp(tn_device_name(tn__testing_device()), "cpu", 3) == 0;
}

// --- where results are

static void results_are_in_the_callers_memory(void** state) {
  (void)state;
  tn_buffer_t* results[2];
  compile_two();
  const tn_output_memory_t given[] = {{.data = memory, .byte_size = 16},
                                      {.data = memory + 64, .byte_size = 100}};
  TN_ASSERT_OK(run(2, given, results));
  expect_floats(memory, 2, 4, 6, 8);
  expect_floats(memory + 64, -1, -2, -3, -4);
  assert_int_equal(memory[16], 0x55);
  assert_int_equal(memory[80], 0x55);
  assert_true(is_at(results[0], memory) == host_sees_device());
  tn__testing_expect_floats(results[1], 4, (float[]){-1, -2, -3, -4});
  tn_buffer_release(results[0]);
  tn_buffer_release(results[1]);
}

static void memory_that_the_device_cannot_use_gets_a_copy(void** state) {
  (void)state;
  tn_buffer_t* results[2];
  compile_two();
  const tn_output_memory_t given[] = {{.data = memory + 4, .byte_size = 16}, {.data = NULL}};
  TN_ASSERT_OK(run(2, given, results));
  expect_floats(memory + 4, 2, 4, 6, 8);
  assert_false(is_at(results[0], memory + 4));
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
}

static void results_of_a_stream_are_there_when_it_has_come_that_far(void** state) {
  (void)state;
  tn_buffer_t* results[2];
  tn_stream_t* stream = NULL;
  compile_two();
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &stream));
  tn_buffer_t* argument = tn__testing_floats(4, (float[]){1, 2, 3, 4});
  const tn_output_memory_t given[] = {{.data = memory, .byte_size = 16},
                                      {.data = memory + 20, .byte_size = 16}};
  TN_ASSERT_OK(run_with(argument, NULL, stream, 2, given, results));
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  expect_floats(memory, 2, 4, 6, 8);
  expect_floats(memory + 20, -1, -2, -3, -4);
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(argument);
  tn_stream_release(stream);
}

static void a_donated_argument_does_not_become_the_result(void** state) {
  (void)state;
  tn_buffer_t* result = NULL;
  program = tn__testing_program(MAIN("%x: " F4 " {tf.aliasing_output = 0 : i32}", F4,
                                     "%y = stablehlo.negate %x : " F4 "\nreturn %y : " F4),
                                false);
  tn_buffer_t* argument = tn__testing_floats(4, (float[]){1, 2, 3, 4});
  TN_ASSERT_OK(run_with(argument, (bool[]){true}, NULL, 1,
                        &(tn_output_memory_t){.data = memory, .byte_size = 16}, &result));
  assert_true(tn_buffer_is_donated(argument));
  expect_floats(memory, -1, -2, -3, -4);
  tn_buffer_release(argument);
  tn_buffer_release(result);
}

static void a_dlpack_tensor_is_memory_for_a_result(void** state) {
  (void)state;
  tn_buffer_t* result = NULL;
  tn_output_memory_t given;
  tn_dl_tensor_t tensor = {.data = memory,
                           .device = {1, 0},
                           .rank = 1,
                           .dtype = {2, 32, 1},
                           .dims = (int64_t[]){4},
                           .byte_offset = 64};
  program = tn__testing_program(
      MAIN("%x: " F4, F4, "%y = stablehlo.negate %x : " F4 "\nreturn %y : " F4), false);
  TN_ASSERT_OK(tn_output_memory_from_dlpack(&tensor, 0, &given));
  TN_ASSERT_OK(run(1, &given, &result));
  expect_floats(memory + 64, -1, -2, -3, -4);
  tn_buffer_release(result);
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_output_memory_from_dlpack(&tensor, TN_DL_READ_ONLY, &given));
  tensor.strides = (int64_t[]){0};  // all four in one place
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_output_memory_from_dlpack(&tensor, 0, &given));
  tensor.strides = NULL;
  tensor.dims[0] = 3;
  TN_ASSERT_OK(tn_output_memory_from_dlpack(&tensor, 0, &given));
  TN_ASSERT_CODE(INVALID_ARGUMENT, run(1, &given, &result));
}

static void an_argument_that_is_returned_is_copied(void** state) {
  (void)state;
  tn_buffer_t* result = NULL;
  program = tn__testing_program(MAIN("%x: " F4, F4, "return %x : " F4), false);
  TN_ASSERT_OK(run(1, &(tn_output_memory_t){.data = memory, .byte_size = 16}, &result));
  expect_floats(memory, 1, 2, 3, 4);
  tn_buffer_release(result);
}

static void sizes_that_are_known_when_it_runs_are_checked_then(void** state) {
  (void)state;
  tn_buffer_t* result = NULL;
  program = tn__testing_program(
      MAIN("%x: tensor<?xf32>", "tensor<?xf32>",
           "%y = stablehlo.negate %x : tensor<?xf32>\nreturn %y : tensor<?xf32>"),
      false);
  TN_ASSERT_OK(run(1, &(tn_output_memory_t){.data = memory, .byte_size = 16}, &result));
  expect_floats(memory, -1, -2, -3, -4);
  tn_buffer_release(result);
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 run(1, &(tn_output_memory_t){.data = memory, .byte_size = 15}, &result));
}

// --- rejections

static void expect_refused(size_t count, const tn_output_memory_t* given, const char* text) {
  tn_buffer_t* results[2];
  char before[sizeof memory];
  memcpy(before, memory, sizeof memory);
  tn_status_t status = run(count, given, results);
  assert_int_equal(tn_status_code(status), TN_CODE_INVALID_ARGUMENT);
  assert_non_null(strstr(tn_status_message(status), text));
  tn_status_release(status);
  assert_null(results[0]);
  assert_memory_equal(before, memory, sizeof memory);
}

static void memory_that_does_not_fit_is_refused_by_result(void** state) {
  (void)state;
  const int64_t dims[] = {4};
  compile_two();
  expect_refused(2,
                 (tn_output_memory_t[]){{.data = memory, .byte_size = 16},
                                        {.data = memory + 64, .byte_size = 15}},
                 "the memory of output 1 has 15 bytes; tensor<4xf32> takes 16");
  expect_refused(2, (tn_output_memory_t[]){{.data = memory + 2, .byte_size = 16}, {.data = NULL}},
                 "the memory of output 0 (tensor<4xf32>) is at ");
  expect_refused(2, (tn_output_memory_t[]){{memory, 32, TN_DTYPE_F64, 1, dims}, {.data = NULL}},
                 "the memory of output 0 is for tensor<4xf64>; the output is tensor<4xf32>");
  expect_refused(1, (tn_output_memory_t[]){{.data = memory, .byte_size = 16}},
                 "tn_run_options_t: memory for 1 output; the program has 2");
  expect_refused(2, (tn_output_memory_t[]){{memory, 32, TN_DTYPE_F32, 1, NULL}, {.data = NULL}},
                 "the memory of output 0: ");
}

static void memory_that_overlaps_is_refused(void** state) {
  (void)state;
  tn_buffer_t *argument = NULL, *results[2];
  compile_two();
  expect_refused(2,
                 (tn_output_memory_t[]){{.data = memory + 64, .byte_size = 64},
                                        {.data = memory + 76, .byte_size = 16}},
                 "the memory of output 1 overlaps that of output 0");
  if (!host_sees_device()) return;
  TN_ASSERT_OK(tn_buffer_import(tn__testing_device(), TN_DTYPE_F32, 1, (int64_t[]){4}, memory, 16,
                                NULL, NULL, &argument));
  const tn_output_memory_t given[] = {{.data = memory + 64, .byte_size = 16},
                                      {.data = memory + 12, .byte_size = 16}};
  tn_status_t status = run_with(argument, NULL, NULL, 2, given, results);
  assert_string_equal(tn_status_message(status),
                      "the memory of output 1 overlaps that of input 0 x");
  tn_status_release(status);
  // Side by side is fine.
  TN_ASSERT_OK(run_with(argument, NULL, NULL, 2,
                        (tn_output_memory_t[]){{.data = memory + 64, .byte_size = 16},
                                               {.data = memory + 16, .byte_size = 16}},
                        results));
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(argument);
}

static void a_cancelled_run_leaves_memory_that_can_be_given_again(void** state) {
  (void)state;
  tn_cancellation_t* cancellation = NULL;
  tn_buffer_t *results[2], *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4});
  compile_two();
  TN_ASSERT_OK(tn_cancellation_create(NULL, &cancellation));
  tn_cancellation_cancel(cancellation);
  const tn_output_memory_t given[] = {{.data = memory, .byte_size = 16},
                                      {.data = memory + 64, .byte_size = 16}};
  const tn_run_options_t options = {.struct_size = sizeof options,
                                    .cancellation = cancellation,
                                    .output_memory_count = 2,
                                    .output_memory = given};
  TN_ASSERT_CODE(CANCELLED, tn_program_run(program, 1, &argument, &options, 2, results));
  TN_ASSERT_OK(run(2, given, results));
  expect_floats(memory, 2, 4, 6, 8);
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(argument);
  tn_cancellation_release(cancellation);
}

static void cancel(void* user, const tn_run_event_t* event) {
  (void)event;
  tn_cancellation_cancel(user);
}

// What has been written stays written; nothing outside of the given memory is.
static void a_run_that_is_cancelled_while_it_writes_stays_in_the_memory(void** state) {
  (void)state;
  tn_cancellation_t* cancellation = NULL;
  tn_buffer_t *results[2], *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4});
  char untouched[sizeof memory];
  memset(untouched, 0x55, sizeof untouched);
  compile_two();
  TN_ASSERT_OK(tn_cancellation_create(NULL, &cancellation));
  const tn_output_memory_t given[] = {{.data = memory + 64, .byte_size = 16},
                                      {.data = memory + 128, .byte_size = 16}};
  const tn_run_options_t options = {.struct_size = sizeof options,
                                    .cancellation = cancellation,
                                    .observe = cancel,
                                    .observe_user = cancellation,
                                    .output_memory_count = 2,
                                    .output_memory = given};
  TN_ASSERT_CODE(CANCELLED, tn_program_run(program, 1, &argument, &options, 2, results));
  assert_null(results[0]);
  assert_null(results[1]);
  if (host_sees_device()) expect_floats(memory + 64, 2, 4, 6, 8);
  assert_memory_equal(memory, untouched, 64);
  assert_memory_equal(memory + 80, untouched, 48);
  assert_memory_equal(memory + 144, untouched, sizeof memory - 144);
  TN_ASSERT_OK(run(2, given, results));
  expect_floats(memory + 128, -1, -2, -3, -4);
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(argument);
  tn_cancellation_release(cancellation);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  tn_buffer_t* results[2] = {NULL};
  const tn_output_memory_t given[] = {{.data = memory, .byte_size = 16},
                                      {.data = memory + 68, .byte_size = 16}};
  tn_status_t status = run_with(context, NULL, NULL, 2, given, results);
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  return status;
}

static void refused_allocations_leave_nothing_behind(void** state) {
  (void)state;
  compile_two();
  tn_buffer_t* argument = tn__testing_floats(4, (float[]){1, 2, 3, 4});
  tn__testing_sweep_allocations(attempt, argument);
  tn_buffer_release(argument);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(results_are_in_the_callers_memory),
      TEST(memory_that_the_device_cannot_use_gets_a_copy),
      TEST(results_of_a_stream_are_there_when_it_has_come_that_far),
      TEST(a_donated_argument_does_not_become_the_result),
      TEST(a_dlpack_tensor_is_memory_for_a_result),
      TEST(an_argument_that_is_returned_is_copied),
      TEST(sizes_that_are_known_when_it_runs_are_checked_then),
      TEST(memory_that_does_not_fit_is_refused_by_result),
      TEST(memory_that_overlaps_is_refused),
      TEST(a_cancelled_run_leaves_memory_that_can_be_given_again),
      TEST(a_run_that_is_cancelled_while_it_writes_stays_in_the_memory),
      TEST(refused_allocations_leave_nothing_behind),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
