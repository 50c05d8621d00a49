// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs as graphs: a program that launches the same in every run is captured once, and launched as
// one from then on.
#include <tenon/custom.h>

#include "device/cuda/cuda.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define SAME(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))
enum { CALLS = 8 };  // of a program

static const tn_cuda_t* cuda;
static int call_count;
static bool waits, fails;

static bool copy(void* stream, void* to, const void* from) {
  return cuda->MemcpyAsync((uintptr_t)to, (uintptr_t)from, 4 * sizeof(float), stream) ==
         TN_CU_SUCCESS;
}

// By way of scratch memory, which a graph keeps.
TN_OP_ON("CUDA", "constant", TN_FFI_COMMAND_BUFFER_COMPATIBLE, constant, SAME, "y = x") {
  void* stream = NULL;
  ++call_count;
  TN_TRY(tn_stream(call, &stream));
  if (fails) return TN_ERROR(call, UNAVAILABLE, "not today");
  float* between = tn_scratch(call, 4 * sizeof(float));
  if (!between || !copy(stream, between, call->x.data) || !copy(stream, call->y.data, between)) {
    return TN_ERROR(call, INTERNAL, "no copy");
  }
  if (waits) cuda->StreamSynchronize(stream);
  return TN_OK;
}

TN_OP_ON("CUDA", "varying", 0, varying, SAME, "y = x") {
  void* stream = NULL;
  ++call_count;
  TN_TRY(tn_stream(call, &stream));
  return copy(stream, call->y.data, call->x.data) ? TN_OK : TN_ERROR(call, INTERNAL, "no copy");
}

// --- running them

static tn_device_t* device;

static int setup(void** state) {
  const char* reason = NULL;
  (void)state;
  tn_status_release(tn_device_create("cuda", NULL, &device));
  cuda = device ? tn__cuda_load(&reason) : NULL;
  if (!cuda) return -1;
  TN_ASSERT_OK(tn_target_register("constant", "CUDA", (tn_target_function_t)constant,
                                  TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_OK(tn_target_register("varying", "CUDA", (tn_target_function_t)varying,
                                  TN_API_VERSION_TYPED_FFI));
  call_count = 0;
  waits = fails = false;
  return 0;
}

static int teardown(void** state) {
  (void)state;
  tn_device_release(device);
  return 0;
}

// -x by CALLS calls, each of which is negated, and one more.
static tn_program_t* compile(const char* target) {
  char text[4096];
  int length = snprintf(text, sizeof text, "func.func @main(%%v0: " F4 ") -> " F4 " {\n");
  for (int i = 0; i < CALLS; ++i) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  %%w%d = stablehlo.custom_call @%s(%%v%d) {api_version = 4 : i32, "
                       "backend_config = {}} : (" F4 ") -> " F4
                       "\n  %%v%d = stablehlo.negate %%w%d : " F4 "\n",
                       i, target, i, i + 1, i);
  }
  snprintf(text + length, sizeof text - (size_t)length, "  return %%v%d : " F4 "\n}\n", CALLS);
  return tn__testing_program_on(device, text, false);
}

static tn_status_t try_run(tn_program_t* program, float first, const tn_run_options_t* options,
                           tn_buffer_t** out_y) {
  const float values[] = {first, 2, 3, 4};
  tn_buffer_t* x = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4}, values,
                                          sizeof values, &x));
  tn_status_t status = tn_program_run(program, 1, &x, options, 1, out_y);
  tn_buffer_release(x);
  return status;
}

static tn_buffer_t* run(tn_program_t* program, float first) {
  tn_buffer_t* y = NULL;
  TN_ASSERT_OK(try_run(program, first, NULL, &y));
  tn__testing_expect_floats(y, 4, (float[]){first, 2, 3, 4});
  return y;
}

// The number of calls so far after each run. Argument and result take turns with two addresses.
static void expect_calls(tn_program_t* program, size_t count, const int* calls) {
  for (size_t i = 0; i < count; ++i) {
    tn_buffer_release(run(program, (float)i));
    if (call_count != calls[i] * CALLS) {
      fail_msg("%d calls after run %zu, wanted %d times %d", call_count, i, calls[i], CALLS);
    }
  }
}
#define EXPECT_CALLS(program, ...) \
  expect_calls(program, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

static void the_third_run_with_the_same_addresses_is_captured(void** state) {
  (void)state;
  tn_program_t* program = compile("constant");
  EXPECT_CALLS(program, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6);
  tn_program_release(program);
}

static void other_addresses_are_another_graph(void** state) {
  (void)state;
  tn_program_t* program = compile("constant");
  EXPECT_CALLS(program, 1, 2, 3, 4, 5, 6, 6);
  tn_buffer_t* y = run(program, 7);
  tn_buffer_t* z = run(program, 8);  // not in the memory of y
  assert_int_equal(call_count, 7 * CALLS);
  tn__testing_expect_floats(y, 4, (float[]){7, 2, 3, 4});
  tn_buffer_release(y);
  tn_buffer_release(z);
  tn_program_release(program);
}

// More than are kept.
static void what_was_launched_longest_ago_gives_its_place(void** state) {
  (void)state;
  tn_program_t* program = compile("constant");
  tn_buffer_t* kept[8];
  EXPECT_CALLS(program, 1, 2, 3, 4, 5, 6, 6);
  for (int i = 0; i < 8; ++i) kept[i] = run(program, (float)i);
  for (int i = 0; i < 8; ++i) tn_buffer_release(kept[i]);
  const int before = call_count;
  tn_buffer_release(run(program, 9));
  assert_int_equal(call_count, before + CALLS);
  tn_program_release(program);
}

static void what_may_vary_is_launched_in_every_run(void** state) {
  (void)state;
  tn_program_t* program = compile("varying");
  EXPECT_CALLS(program, 1, 2, 3, 4, 5);
  tn_program_release(program);
}

static void a_capture_that_breaks_is_not_tried_again(void** state) {
  (void)state;
  tn_program_t* program = compile("constant");
  waits = true;
  EXPECT_CALLS(program, 1, 2, 3, 4);
  tn_buffer_release(run(program, 3));
  // As far as it went, and again.
  assert_in_range(call_count, 5 * CALLS + 1, 6 * CALLS);
  const int before = call_count;
  tn_buffer_release(run(program, 4));
  assert_int_equal(call_count, before + CALLS);
  tn_program_release(program);
}

static void an_error_in_the_capture_is_the_runs(void** state) {
  (void)state;
  tn_program_t* program = compile("constant");
  tn_buffer_t* y = NULL;
  EXPECT_CALLS(program, 1, 2, 3, 4);
  fails = true;
  TN_ASSERT_REPORT("test.mlir:2:9: error: custom call @constant: UNAVAILABLE: constant: not today",
                   try_run(program, 1, NULL, &y));
  fails = false;
  tn_buffer_release(run(program, 4));
  tn_program_release(program);
}

static void note(void* user, const tn_run_event_t* event) {
  (void)event;
  ++*(int*)user;
}

static void a_run_that_is_observed_is_no_graph(void** state) {
  (void)state;
  tn_program_t* program = compile("constant");
  int event_count = 0;
  const tn_run_options_t options = {
      .struct_size = sizeof options, .observe = note, .observe_user = &event_count};
  EXPECT_CALLS(program, 1, 2, 3, 4, 5, 6, 6, 6);
  tn_buffer_t* y = NULL;
  TN_ASSERT_OK(try_run(program, 5, &options, &y));
  tn__testing_expect_floats(y, 4, (float[]){5, 2, 3, 4});
  tn_buffer_release(y);
  assert_int_equal(call_count, 7 * CALLS);
  assert_true(event_count >= CALLS);
  tn_program_release(program);
}

static void runs_on_streams_are_graphs_as_well(void** state) {
  (void)state;
  tn_program_t* program = compile("constant");
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  for (int i = 0; i < 10; ++i) {
    tn_buffer_t* y = NULL;
    TN_ASSERT_OK(try_run(program, (float)i, &options, &y));
    tn__testing_expect_floats(y, 4, (float[]){(float)i, 2, 3, 4});
    tn_buffer_release(y);
    TN_ASSERT_OK(tn_stream_synchronize(stream));
  }
  assert_true(call_count < 10 * CALLS);
  tn_stream_release(stream);
  tn_program_release(program);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(the_third_run_with_the_same_addresses_is_captured),
      TEST(other_addresses_are_another_graph),
      TEST(what_was_launched_longest_ago_gives_its_place),
      TEST(what_may_vary_is_launched_in_every_run),
      TEST(a_capture_that_breaks_is_not_tried_again),
      TEST(an_error_in_the_capture_is_the_runs),
      TEST(a_run_that_is_observed_is_no_graph),
      TEST(runs_on_streams_are_graphs_as_well),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
