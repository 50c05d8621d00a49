// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls on a device that is not the host: functions that are registered for its platform get
// its stream and its addresses, and what they enqueue is in the order of the program.
#include <tenon/custom.h>
#include <tenon/custom_call_status.h>

#include "device/cuda/cuda.h"
#include "device/opencl/opencl.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
enum { IS_BLOCKING = 0 };

static const char *device_name, *platform;
static const tn_opencl_t* cl;
static const tn_cuda_t* cuda;  // NULL: it is a device of OpenCL

// Where a driver is missing there is nothing to test.
static int setup(void** state) {
  const char* reason = NULL;
  tn_device_t* device = NULL;
  tn_status_release(tn_device_create(device_name, NULL, &device));
  platform = device ? tn_device_platform(device) : "";
  cl = tn__opencl_load(&reason);
  cuda = strcmp(platform, "CUDA") == 0 ? tn__cuda_load(&reason) : NULL;
  *state = device;
  return 0;
}

static int teardown(void** state) {
  tn_device_release(*state);
  return 0;
}

static tn_device_t* device_of(void** state) {
  if (!*state) skip();
  return *state;
}

// With CUDA in the device's context, which is current.
static void copy(void* stream, void* to, const void* from, size_t float_count) {
  if (cuda) {
    assert_int_equal(
        cuda->MemcpyAsync((uintptr_t)to, (uintptr_t)from, float_count * sizeof(float), stream),
        TN_CU_SUCCESS);
    return;
  }
  assert_int_equal(cl->EnqueueSVMMemcpy(stream, IS_BLOCKING, to, from, float_count * sizeof(float),
                                        0, NULL, NULL),
                   TN_CL_SUCCESS);
}

// The halves of 4 floats, exchanged.
static void exchange(void* stream, float* to, const float* from) {
  copy(stream, to, from + 2, 2);
  copy(stream, to + 2, from, 2);
}

static void expect_run(tn_device_t* device, const char* text, const float* expected) {
  tn_program_t* program = tn__testing_program_on(device, text, false);
  tn_buffer_t *x = NULL, *y = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4},
                                          (float[]){1, 2, 3, 4}, 4 * sizeof(float), &x));
  for (int i = 0; i < 3; ++i) {
    TN_ASSERT_OK(tn_program_run(program, 1, &x, NULL, 1, &y));
    tn__testing_expect_floats(y, 4, expected);
    tn_buffer_release(y);
  }
  tn_buffer_release(x);
  tn_program_release(program);
}

static void expect_error(tn_device_t* device, const char* text, const char* error) {
  tn_program_t* program = tn__testing_program_on(device, text, false);
  tn_buffer_t *x = NULL, *y = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4},
                                          (float[]){1, 2, 3, 4}, 4 * sizeof(float), &x));
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_REPORT(error, tn_program_run(program, 1, &x, NULL, 1, &y));
    assert_null(y);
  }
  tn_buffer_release(x);
  tn_program_release(program);
}

#define REGISTER(name, platform, function, version) \
  TN_ASSERT_OK(tn_target_register(name, platform, (tn_target_function_t)(function), version))

// --- untyped

static void exchange_untyped(void* stream, void** buffers, const char* opaque, size_t length) {
  assert_non_null(stream);
  assert_int_equal(length, 3);
  assert_memory_equal(opaque, "abc", 3);
  exchange(stream, buffers[1], buffers[0]);
}

// Of api version 0, which is another name of version 1, and 1.
static void untyped_functions_get_the_stream_the_buffers_and_the_opaque_bytes(void** state) {
  tn_device_t* device = device_of(state);
  REGISTER("exchange_untyped", platform, exchange_untyped, TN_API_VERSION_ORIGINAL);
  expect_run(device,
             "func.func @main(%x: " F4 ") -> " F4
             " {\n"
             "  %a = stablehlo.negate %x : " F4
             "\n"
             "  %y = stablehlo.custom_call @exchange_untyped(%a) {backend_config = \"abc\"} : (" F4
             ") -> " F4
             "\n"
             "  %z = stablehlo.negate %y : " F4
             "\n"
             "  return %z : " F4 "\n}\n",
             (float[]){3, 4, 1, 2});
}

static size_t seen_count;
static void* seen[8];

// Operands (a token, x, (x, (x))), then results (token, y).
static void exchange_leaves(void* stream, void** buffers, const char* opaque, size_t length,
                            XlaCustomCallStatus* status) {
  (void)opaque, (void)length, (void)status;
  seen_count = 6;
  memcpy(seen, buffers, seen_count * sizeof *seen);
  exchange(stream, buffers[5], buffers[3]);
}

static void tuples_are_flat_and_tokens_have_no_buffer(void** state) {
  tn_device_t* device = device_of(state);
  REGISTER("exchange_leaves", platform, exchange_leaves, TN_API_VERSION_STATUS_RETURNING);
  expect_run(
      device,
      "func.func @main(%x: " F4 ") -> " F4
      " {\n"
      "  %t = stablehlo.create_token : !stablehlo.token\n"
      "  %a = stablehlo.negate %x : " F4
      "\n"
      "  %i = stablehlo.tuple %a : tuple<" F4
      ">\n"
      "  %o = stablehlo.tuple %a, %i : tuple<" F4 ", tuple<" F4
      ">>\n"
      "  %r:2 = stablehlo.custom_call @exchange_leaves(%t, %x, %o) {api_version = 2 : i32} : "
      "(!stablehlo.token, " F4 ", tuple<" F4 ", tuple<" F4 ">>) -> (!stablehlo.token, " F4
      ")\n"
      "  return %r#1 : " F4 "\n}\n",
      (float[]){-3, -4, -1, -2});
  assert_int_equal(seen_count, 6);
  assert_null(seen[0]);
  assert_null(seen[4]);
  assert_ptr_equal(seen[2], seen[3]);
}

static void fail_untyped(void* stream, void** buffers, const char* opaque, size_t length,
                         XlaCustomCallStatus* status) {
  (void)stream, (void)buffers, (void)opaque, (void)length;
  XlaCustomCallStatusSetFailure(status, "no such day", 11);
}

static void an_untyped_function_fails_by_its_status(void** state) {
  tn_device_t* device = device_of(state);
  REGISTER("fail_untyped", platform, fail_untyped, TN_API_VERSION_STATUS_RETURNING_UNIFIED);
  expect_error(device,
               "func.func @main(%x: " F4 ") -> " F4
               " {\n"
               "  %y = stablehlo.custom_call @fail_untyped(%x) {api_version = 3 : i32} : (" F4
               ") -> " F4
               "\n"
               "  return %y : " F4 "\n}\n",
               "custom call @fail_untyped: INTERNAL: no such day");
}

// --- typed

#define SAME(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))

#define TYPED(target)                                                              \
  "func.func @main(%x: " F4 ") -> " F4 " {\n  %y = stablehlo.custom_call @" target \
  "(%x) {api_version = 4 : i32, backend_config = {}} : (" F4 ") -> " F4            \
  "\n  %z = stablehlo.negate %y : " F4 "\n  return %z : " F4 "\n}\n"

// By way of scratch memory of the device, which the copies still use when it has returned.
TN_OP_ON("OpenCL", "exchange_typed", 0, exchange_typed, SAME, "exchanges halves") {
  void* stream = NULL;
  int32_t ordinal = -1;
  TN_TRY(tn_stream(call, &stream));
  TN_TRY(tn_device_ordinal(call, &ordinal));
  if (ordinal != 0) return TN_ERROR(call, INTERNAL, "device %d", (int)ordinal);
  float *first = tn_scratch(call, 4 * sizeof(float)), *second = tn_scratch(call, 64);
  if (!first || !second) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no scratch memory");
  copy(stream, first, call->x.data, 4);
  exchange(stream, second, first);
  copy(stream, call->y.data, second, 4);
  return TN_OK;
}

static void typed_handlers_get_the_stream_scratch_memory_and_the_ordinal(void** state) {
  tn_device_t* device = device_of(state);
  REGISTER("exchange_typed", platform, exchange_typed, TN_API_VERSION_TYPED_FFI);
  expect_run(device, TYPED("exchange_typed"), (float[]){-3, -4, -1, -2});
}

typedef struct counter {
  int initialized, executed;
} counter_t;
TN_STATE(counter_t, free)
static counter_t total;

TN_STAGED_OP("OpenCL", "staged_exchange", 0, staged_exchange, SAME, counter_t, "by stages") {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  total = (counter_t){call->state->initialized, ++call->state->executed};
  exchange(stream, call->y.data, call->x.data);
  return TN_OK;
}
TN_INSTANTIATE(staged_exchange) {
  void* stream = NULL;
  tn_status_t error = tn_stream(call, &stream);  // there is none yet
  if (error == TN_OK) return TN_ERROR(call, INTERNAL, "a stream");
  tn__drop_error(call->tn->frame->api, error);
  *state = calloc(1, sizeof **state);
  return *state ? TN_OK : TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory");
}
TN_PREPARE(staged_exchange) {
  return TN_OK;
}
TN_INITIALIZE(staged_exchange) {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  ++call->state->initialized;
  return TN_OK;
}

static void stages_are_called_in_order_and_keep_their_state(void** state) {
  tn_device_t* device = device_of(state);
  TN_ASSERT_OK(tn_target_register_stages(
      "staged_exchange", platform,
      &(tn_handler_stages_t){(tn_target_function_t)staged_exchange_instantiate,
                             (tn_target_function_t)staged_exchange_prepare,
                             (tn_target_function_t)staged_exchange_initialize,
                             (tn_target_function_t)staged_exchange}));
  expect_run(device, TYPED("staged_exchange"), (float[]){-3, -4, -1, -2});
  assert_int_equal(total.initialized, 3);
  assert_int_equal(total.executed, 3);
}

TN_OP_ON("OpenCL", "fail_typed", 0, fail_typed, SAME, "fails") {
  return TN_ERROR(call, ABORTED, "not today");
}

static void a_typed_handler_fails_by_its_error(void** state) {
  tn_device_t* device = device_of(state);
  REGISTER("fail_typed", platform, fail_typed, TN_API_VERSION_TYPED_FFI);
  expect_error(device, TYPED("fail_typed"),
               "custom call @fail_typed: ABORTED: fail_typed: not today");
}

// --- which one is called

TN_OP(both, SAME, "on the host: adds nothing") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->x.data[i];
  return TN_OK;
}

TN_OP(host_stream, SAME, "asks for a stream that there is not") {
  void* stream = NULL;
  TN_TRY(tn_stream(call, &stream));
  return TN_OK;
}

static void a_function_for_the_platform_comes_before_the_hosts(void** state) {
  tn_device_t* device = device_of(state);
  REGISTER("both", "Host", both, TN_API_VERSION_TYPED_FFI);
  expect_run(device, TYPED("both"), (float[]){-1, -2, -3, -4});
  REGISTER("both", platform, exchange_typed, TN_API_VERSION_TYPED_FFI);
  expect_run(device, TYPED("both"), (float[]){-3, -4, -1, -2});
  TN_ASSERT_OK(tn_target_unregister("both", platform));
}

static void a_handler_of_the_host_has_no_stream_there(void** state) {
  tn_device_t* device = device_of(state);
  REGISTER("host_stream", "Host", host_stream, TN_API_VERSION_TYPED_FFI);
  expect_error(device, TYPED("host_stream"), "the platform Host has no streams for handlers");
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(untyped_functions_get_the_stream_the_buffers_and_the_opaque_bytes),
      cmocka_unit_test(tuples_are_flat_and_tokens_have_no_buffer),
      cmocka_unit_test(an_untyped_function_fails_by_its_status),
      cmocka_unit_test(typed_handlers_get_the_stream_scratch_memory_and_the_ordinal),
      cmocka_unit_test(stages_are_called_in_order_and_keep_their_state),
      cmocka_unit_test(a_typed_handler_fails_by_its_error),
      cmocka_unit_test(a_function_for_the_platform_comes_before_the_hosts),
      cmocka_unit_test(a_handler_of_the_host_has_no_stream_there),
  };
  static const char* const names[] = {"opencl", "cuda"};
  int failed = 0;
  for (size_t i = 0; i < 2; ++i) {
    device_name = names[i];
    failed +=
        _cmocka_run_group_tests(names[i], tests, sizeof tests / sizeof *tests, setup, teardown);
  }
  return failed;
}
