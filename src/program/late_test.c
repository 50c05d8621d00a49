// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers that are late: their future is not complete when the time limit has passed, or when they
// return an error. What they were given stays theirs until they complete it. The sanitizers see
// what is freed too early, or never.
#include "call/abi.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define CALL(target, config)                                                      \
  "func.func @main(%x: " F4 ") -> " F4 " {\n  %0 = stablehlo.negate %x : " F4     \
  "\n  %1 = stablehlo.custom_call @" target                                       \
  "(%0) {api_version = 4 : i32, backend_config = {" config "}} : (" F4 ") -> " F4 \
  "\n  %2 = stablehlo.negate %1 : " F4 "\n  return %2 : " F4 "\n}\n"

// What the handler remembers of its last call that it has not completed.
static struct {
  const tn_ffi_api_t* api;
  tn_ffi_call_frame_t* frame;
  tn_ffi_future_t* future;
  const float* x;
  float* y;
  char* scratch;
} late;
static bool is_late, fails;
static int64_t object_type;
static int live_objects;

static void destroy_object(void* object) {
  assert_ptr_equal(object, &live_objects);
  --live_objects;
}

static bool answer(tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start) return false;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = 3;
  return true;
}

static tn_status_t set_object(const tn_ffi_call_frame_t* frame) {
  tn_ffi_type_id_t type = {object_type};
  tn_ffi_state_set_t set = {TN_FFI_STATE_SET_SIZE, NULL,  frame->context,
                            frame->stage,          &type, &live_objects};
  tn_status_t error = frame->api->state_set(&set);
  if (!error) ++live_objects;
  return error;
}

static tn_status_t defer(tn_ffi_call_frame_t* frame) {
  tn_ffi_future_create_t create = {TN_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  late.api = frame->api;
  late.frame = frame;
  tn_status_t error = frame->api->future_create(&create);
  if (!error) late.future = frame->future = create.future;
  return error;
}

static tn_status_t handler(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  memcpy(y->data, x->data, 4 * sizeof(float));
  if (!is_late) return TN_OK;
  late.x = x->data;
  late.y = y->data;
  tn_ffi_memory_allocate_t allocate = {
      TN_FFI_MEMORY_ALLOCATE_SIZE, NULL, frame->context, 64, 16, NULL};
  tn_status_t error = frame->api->memory_allocate(&allocate);
  if (error) return error;
  late.scratch = allocate.data;
  error = defer(frame);
  if (error || !fails) return error;
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, "gave up", TN_FFI_ABORTED};
  return frame->api->error_create(&create);
}

static tn_status_t prepare_handler(tn_ffi_call_frame_t* frame) {
  return answer(frame) ? TN_OK : set_object(frame);
}
static tn_status_t instantiate_late(tn_ffi_call_frame_t* frame) {
  return answer(frame) ? TN_OK : defer(frame);
}

// What a thread of the handler does when it comes to it at last: uses everything it was given.
static void use_it(void) {
  const tn_ffi_buffer_t *x = late.frame->args.values[0], *y = late.frame->rets.values[0];
  assert_ptr_equal(x->data, late.x);
  assert_ptr_equal(y->data, late.y);
  assert_int_equal(y->dims[0], 4);
  assert_int_equal(late.frame->attrs.count, 1);
  assert_string_equal(((const tn_ffi_bytes_t*)late.frame->attrs.values[0])->data, "kept");
  for (int i = 0; i < 4; ++i) {
    assert_true(late.x[i] == (float)-(i + 1));
    late.y[i] = 99;
  }
  memset(late.scratch, 1, 64);
}

static void complete(void) {
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, late.future};
  TN_ASSERT_OK(late.api->future_finish(&finish));
}

static int setup(void** state) {
  if (tn__testing_device_setup(state)) return -1;
  const tn_target_function_t execute = (tn_target_function_t)handler;
  TN_ASSERT_OK(tn_type_register("late_test.object", destroy_object, &object_type));
  TN_ASSERT_OK(tn_target_register("testing.late", "Host", execute, TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_OK(tn_target_register_stages(
      "testing.late_prepared", "Host",
      &(tn_handler_stages_t){.prepare = (tn_target_function_t)prepare_handler,
                             .execute = execute}));
  TN_ASSERT_OK(tn_target_register_stages(
      "testing.late_made", "Host",
      &(tn_handler_stages_t){.instantiate = (tn_target_function_t)instantiate_late,
                             .execute = execute}));
  return 0;
}

static int set_limit(void** state) {
  (void)state;
  tn_call_set_timeout_ns(1000000);
  is_late = true;
  return 0;
}
static int take_limit(void** state) {
  (void)state;
  tn_call_set_timeout_ns(-1);
  is_late = fails = false;
  return 0;
}

static tn_status_t run_once(tn_program_t* program) {
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *result = NULL;
  tn_status_t status = tn_program_run(program, 1, &argument, NULL, 1, &result);
  tn_buffer_release(argument);
  if (status) return status;
  tn__testing_expect_floats(result, 4, (float[]){1, 2, 3, 4});
  tn_buffer_release(result);
  return TN_OK;
}

static void a_late_handler_keeps_what_it_was_given(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(CALL("testing.late", "word = \"kept\""), false);
  TN_ASSERT_REPORT("DEADLINE_EXCEEDED", run_once(program));
  is_late = false;
  for (int i = 0; i < 4; ++i) TN_ASSERT_OK(run_once(program));
  use_it();
  TN_ASSERT_OK(run_once(program));  // what was written was not read
  complete();
  for (int i = 0; i < 4; ++i) TN_ASSERT_OK(run_once(program));
  tn_program_release(program);
}

static void a_late_handler_keeps_its_program(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(CALL("testing.late", "word = \"kept\""), false);
  TN_ASSERT_REPORT("DEADLINE_EXCEEDED", run_once(program));
  tn_program_release(program);
  use_it();
  complete();
}

static void a_handler_that_fails_keeps_it_until_its_future_is_complete(void** state) {
  (void)state;
  fails = true;
  tn_call_set_timeout_ns(-1);
  tn_program_t* program = tn__testing_program(CALL("testing.late", "word = \"kept\""), false);
  TN_ASSERT_REPORT("ABORTED: gave up", run_once(program));
  is_late = false;
  TN_ASSERT_OK(run_once(program));
  use_it();
  tn_program_release(program);
  use_it();
  complete();
}

static void states_of_a_run_live_as_long_as_its_late_handler(void** state) {
  (void)state;
  tn_program_t* program =
      tn__testing_program(CALL("testing.late_prepared", "word = \"kept\""), false);
  TN_ASSERT_REPORT("DEADLINE_EXCEEDED", run_once(program));
  assert_int_equal(live_objects, 1);
  is_late = false;
  TN_ASSERT_OK(run_once(program));
  assert_int_equal(live_objects, 1);
  use_it();
  complete();
  // The activation is back in its pool: the next run finds it, and sets its own state.
  for (int i = 0; i < 4; ++i) TN_ASSERT_OK(run_once(program));
  tn_program_release(program);
  assert_int_equal(live_objects, 0);
}

static void a_late_instantiate_stage_keeps_its_attributes(void** state) {
  (void)state;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  const char* text = CALL("testing.late_made", "word = \"kept\"");
  TN_ASSERT_OK(tn_module_parse(NULL, "late.mlir", text, strlen(text), &module));
  TN_ASSERT_REPORT("testing.late_made: DEADLINE_EXCEEDED",
                   tn_program_compile(tn__testing_device(), module, NULL, &program));
  tn_module_release(module);
  assert_string_equal(((const tn_ffi_bytes_t*)late.frame->attrs.values[0])->data, "kept");
  TN_ASSERT_OK(set_object(late.frame));
  assert_int_equal(live_objects, 1);
  complete();
  assert_int_equal(live_objects, 0);
}

static void a_late_handler_on_a_stream_keeps_the_results(void** state) {
  (void)state;
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &stream));
  tn_program_t* program = tn__testing_program(CALL("testing.late", "word = \"kept\""), false);
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *result = NULL;
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, &options, 1, &result));
  TN_ASSERT_REPORT("DEADLINE_EXCEEDED", tn_stream_synchronize(stream));
  tn_buffer_release(argument);
  tn_buffer_release(result);
  tn_stream_release(stream);
  tn_program_release(program);
  use_it();
  complete();
}

static void a_time_limit_of_the_run_ends_the_wait_for_a_future(void** state) {
  (void)state;
  tn_call_set_timeout_ns(-1);
  tn_program_t* program = tn__testing_program(CALL("testing.late", "word = \"kept\""), false);
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *result = NULL;
  tn_run_options_t options = {.struct_size = sizeof options, .timeout_ns = 20 * 1000 * 1000};
  late.frame = NULL;
  for (; !late.frame; options.timeout_ns *= 2) {  // on a busy machine the call may not have begun
    TN_ASSERT_REPORT("the run was not over within its time limit",
                     tn_program_run(program, 1, &argument, &options, 1, &result));
  }
  tn_buffer_release(argument);
  tn_program_release(program);
  use_it();
  complete();
}

// The memory is the caller's, who keeps it until the handler has completed its future.
static void a_late_handler_may_write_into_the_callers_memory(void** state) {
  (void)state;
  static _Alignas(64) float memory[4];
  tn_program_t* program = tn__testing_program(
      "func.func @main(%x: " F4 ") -> " F4 " {\n  %0 = stablehlo.negate %x : " F4
      "\n  %1 = stablehlo.custom_call @testing.late(%0) {api_version = 4 : i32, "
      "backend_config = {word = \"kept\"}} : (" F4 ") -> " F4 "\n  return %1 : " F4 "\n}\n",
      false);
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *result = NULL;
  const tn_run_options_t options = {
      .struct_size = sizeof options,
      .output_memory_count = 1,
      .output_memory = &(tn_output_memory_t){.data = memory, .byte_size = sizeof memory}};
  TN_ASSERT_REPORT("DEADLINE_EXCEEDED",
                   tn_program_run(program, 1, &argument, &options, 1, &result));
  assert_null(result);
  tn_buffer_release(argument);
  tn_program_release(program);
  use_it();
  complete();
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_limit, take_limit)
  const struct CMUnitTest tests[] = {
      TEST(a_late_handler_keeps_what_it_was_given),
      TEST(a_late_handler_keeps_its_program),
      TEST(a_handler_that_fails_keeps_it_until_its_future_is_complete),
      TEST(states_of_a_run_live_as_long_as_its_late_handler),
      TEST(a_late_instantiate_stage_keeps_its_attributes),
      TEST(a_late_handler_on_a_stream_keeps_the_results),
      TEST(a_time_limit_of_the_run_ends_the_wait_for_a_future),
      TEST(a_late_handler_may_write_into_the_callers_memory),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, setup, tn__testing_device_teardown);
}
