// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers that say they are compatible with command buffers, and whether guarded calls believe it.
#include <tenon/custom.h>

#include "device/cuda/cuda.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define SAME(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))
#define HANDLER(name) TN_OP_ON("CUDA", #name, TN_FFI_COMMAND_BUFFER_COMPATIBLE, name, SAME, "y = x")

static const tn_cuda_t* cuda;
static int call_count;

static bool copy(void* stream, void* to, const void* from) {
  return cuda->MemcpyAsync((uintptr_t)to, (uintptr_t)from, 4 * sizeof(float), stream) ==
         TN_CU_SUCCESS;
}

HANDLER(keeps_its_word) {
  void* stream = NULL;
  ++call_count;
  TN_TRY(tn_stream(call, &stream));
  float* between = tn_scratch(call, 4 * sizeof(float));
  if (!between || !copy(stream, between, call->x.data) || !copy(stream, call->y.data, between)) {
    return TN_ERROR(call, INTERNAL, "no copy");
  }
  return TN_OK;
}

// On a stream beside its own, which comes back.
static tn_cu_stream_t beside;
static tn_cu_event_t forked, joined;

static bool fork_copy(void* stream, void* to, const void* from, bool is_joined) {
  return cuda->EventRecord(forked, stream) == TN_CU_SUCCESS &&
         cuda->StreamWaitEvent(beside, forked, 0) == TN_CU_SUCCESS && copy(beside, to, from) &&
         cuda->EventRecord(joined, beside) == TN_CU_SUCCESS &&
         (!is_joined || cuda->StreamWaitEvent(stream, joined, 0) == TN_CU_SUCCESS);
}

HANDLER(forks) {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  return fork_copy(stream, call->y.data, call->x.data, true) ? TN_OK
                                                             : TN_ERROR(call, INTERNAL, "no copy");
}

HANDLER(forks_for_good) {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  return fork_copy(stream, call->y.data, call->x.data, false) ? TN_OK
                                                              : TN_ERROR(call, INTERNAL, "no copy");
}

HANDLER(waits) {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  copy(stream, call->y.data, call->x.data);
  cuda->StreamSynchronize(stream);
  return TN_OK;
}

HANDLER(allocates) {
  void* stream = NULL;
  uint64_t address = 0;
  TN_TRY(tn_stream(call, &stream));
  if (cuda->MemAlloc(&address, 64) != TN_CU_SUCCESS) return TN_ERROR(call, INTERNAL, "no memory");
  copy(stream, call->y.data, call->x.data);
  cuda->MemFree(address);
  return TN_OK;
}

HANDLER(refuses_the_second_call) {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  if (call_count++ % 2) return TN_ERROR(call, UNAVAILABLE, "once is enough");
  copy(stream, call->y.data, call->x.data);
  return TN_OK;
}

HANDLER(forgets) {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  if (call_count++ % 2 == 0) copy(stream, call->y.data, call->x.data);
  return TN_OK;
}

// Work of the host is not in a graph.
HANDLER(computes_on_the_host) {
  static float numbers[4];
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  copy(stream, call->y.data, call->x.data);
  numbers[0] = (float)++call_count;
  copy(stream, call->y.data, numbers);
  return TN_OK;
}

TN_OP_ON("CUDA", "says_nothing", 0, says_nothing, SAME, "y = x") {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  copy(stream, call->y.data, call->x.data);
  cuda->StreamSynchronize(stream);
  return TN_OK;
}

// --- running them

static tn_device_t* device;

static int setup(void** state) {
  const char* reason = NULL;
  (void)state;
  tn_status_release(tn_device_create("cuda", NULL, &device));
  cuda = device ? tn__cuda_load(&reason) : NULL;
  if (!cuda) return -1;
#define REGISTER(name) \
  TN_ASSERT_OK(        \
      tn_target_register(#name, "CUDA", (tn_target_function_t)name, TN_API_VERSION_TYPED_FFI))
  REGISTER(keeps_its_word);
  REGISTER(forks);
  REGISTER(forks_for_good);
  REGISTER(waits);
  REGISTER(allocates);
  REGISTER(refuses_the_second_call);
  REGISTER(forgets);
  REGISTER(computes_on_the_host);
  REGISTER(says_nothing);
#undef REGISTER
  return 0;
}

static int teardown(void** state) {
  (void)state;
  tn_device_release(device);
  return 0;
}

// x is given to the handler in memory that the result then has, where `in_place`.
static tn_status_t run(const char* target, bool is_guarded, bool in_place, float* out_y) {
  const tn_compile_options_t options = {.struct_size = sizeof options, .guard_calls = is_guarded};
  static const char aliases[] =
      ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
      "operand_index = 0, operand_tuple_indices = []>]";
  char text[1024];
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *x = NULL, *y = NULL;
  snprintf(
      text, sizeof text,
      "func.func @main(%%x: " F4 ") -> " F4 " {\n  %%a = stablehlo.negate %%x : " F4
      "\n  %%b = stablehlo.custom_call @%s(%%a) {api_version = 4 : i32, backend_config = {}%s} "
      ": (" F4 ") -> " F4 "\n  %%y = stablehlo.negate %%b : " F4 "\n  return %%y : " F4 "\n}\n",
      target, in_place ? aliases : "");
  call_count = 0;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, &options, &program));
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4},
                                          (float[]){1, 2, 3, 4}, 4 * sizeof(float), &x));
  tn_status_t status = TN_OK;
  for (int i = 0; i < 2 && !status; ++i) {
    tn_buffer_release(y);
    y = NULL;
    status = tn_program_run(program, 1, &x, NULL, 1, &y);
  }
  if (!status) TN_ASSERT_OK(tn_buffer_to_host(y, out_y, 4 * sizeof(float)));
  tn_buffer_release(x);
  tn_buffer_release(y);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

static void expect(const char* target, bool is_guarded, bool in_place) {
  float y[4];
  TN_ASSERT_OK(run(target, is_guarded, in_place, y));
  for (int i = 0; i < 4; ++i) assert_true(y[i] == (float)(i + 1));
}

static void create_fork(void** state) {
  (void)state;
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, StreamCreate, &beside, TN_CU_STREAM_NON_BLOCKING));
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, EventCreate, &forked, TN_CU_EVENT_WITHOUT_TIME));
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, EventCreate, &joined, TN_CU_EVENT_WITHOUT_TIME));
}

// In the context of the device.
static void with_fork(void (*test)(void)) {
  tn_cu_context_t context = NULL;
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, DevicePrimaryCtxRetain, &context, 0));
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, CtxPushCurrent, context));
  create_fork(NULL);
  test();
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, StreamDestroy, beside));
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, EventDestroy, forked));
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, EventDestroy, joined));
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, CtxPopCurrent, &context));
  TN_ASSERT_OK(TN_CUDA_CALL(cuda, DevicePrimaryCtxRelease, 0));
}

static void handlers_that_keep_their_word_are_called_twice(void** state) {
  (void)state;
  expect("keeps_its_word", true, false);
  assert_int_equal(call_count, 4);
  expect("keeps_its_word", false, false);
  assert_int_equal(call_count, 2);
}

static void results_in_the_place_of_operands_are_compared_as_well(void** state) {
  (void)state;
  expect("keeps_its_word", true, true);
}

static void expect_forks(void) {
  float y[4];
  expect("forks", true, false);
  TN_ASSERT_REPORT(
      "custom call @forks_for_good: it breaks a capture: cuStreamEndCapture: "
      "CUDA_ERROR_STREAM_CAPTURE_UNJOINED (904)",
      run("forks_for_good", true, false, y));
}

static void a_stream_beside_the_handlers_own_must_come_back(void** state) {
  (void)state;
  with_fork(expect_forks);
}

static void what_waits_or_allocates_breaks_the_capture(void** state) {
  float y[4];
  (void)state;
  TN_ASSERT_REPORT(
      "test.mlir:3:8: error: custom call @waits: it breaks a capture: cuStreamEndCapture: "
      "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901)",
      run("waits", true, false, y));
  TN_ASSERT_REPORT("custom call @allocates: it breaks a capture", run("allocates", true, false, y));
  TN_ASSERT_REPORT("the handler says that it is compatible with command buffers",
                   run("waits", true, false, y));
}

static void an_error_in_the_capture_is_the_handlers(void** state) {
  float y[4];
  (void)state;
  TN_ASSERT_REPORT(
      "custom call @refuses_the_second_call: UNAVAILABLE: refuses_the_second_call: once is enough",
      run("refuses_the_second_call", true, false, y));
  TN_ASSERT_REPORT("this was while its stream was captured",
                   run("refuses_the_second_call", true, false, y));
}

static void a_graph_must_compute_the_same_bits(void** state) {
  float y[4];
  (void)state;
  TN_ASSERT_REPORT(
      "custom call @forgets: result 0 differs between the call and the launch of what was captured "
      "of it, from byte offset 0 of 16 on",
      run("forgets", true, false, y));
  TN_ASSERT_REPORT("custom call @computes_on_the_host: result 0 differs",
                   run("computes_on_the_host", true, false, y));
}

static void nothing_is_checked_that_is_not_said_or_guarded(void** state) {
  (void)state;
  expect("says_nothing", true, false);
  expect("waits", false, false);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(handlers_that_keep_their_word_are_called_twice),
      TEST(results_in_the_place_of_operands_are_compared_as_well),
      TEST(a_stream_beside_the_handlers_own_must_come_back),
      TEST(what_waits_or_allocates_breaks_the_capture),
      TEST(an_error_in_the_capture_is_the_handlers),
      TEST(a_graph_must_compute_the_same_bits),
      TEST(nothing_is_checked_that_is_not_said_or_guarded),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
