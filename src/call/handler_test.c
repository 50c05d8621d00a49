// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers that no header wrote: what they may ask of their host, and what they may do wrong.
#include "call/handler.h"

#include <pthread.h>
#include <unistd.h>

#include "call/testing_call.h"

static const float four[] = {1, 2, 3, 4};
#define FOUR                   \
  (tn_testing_array_t) {       \
    TN_DTYPE_F32, 1, {4}, four \
  }
#define CALL(config)                                               \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = " \
  "stablehlo.custom_call @handler(%a) {" config                    \
  "} : (tensor<4xf32>) -> tensor<4xf32>\n"                         \
  "  return %0 : tensor<4xf32>\n}\n"
#define TYPED "mhlo.backend_config = {}"

// Every handler here is this one with another body. It answers for version 0.3 with `state_id`.
typedef tn_status_t (*body_fn)(tn_ffi_call_frame_t* frame);
static body_fn body, instantiate_body, prepare_body, initialize_body;
static int64_t state_id;

static bool answer(tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start) return false;
  assert_int_equal(frame->struct_size, 168);
  assert_int_equal(frame->stage, TN_FFI_EXECUTE);
  assert_null(frame->context);
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  assert_int_equal(frame->extension_start->struct_size, 32);
  assert_int_equal(metadata->struct_size, 36);
  metadata->api_version.major = 0;
  metadata->api_version.minor = 3;
  metadata->state_type_id.id = state_id;
  return true;
}

static tn_status_t handler(tn_ffi_call_frame_t* frame) {
  return answer(frame) || !body ? TN_OK : body(frame);
}
static tn_status_t instantiate_handler(tn_ffi_call_frame_t* frame) {
  return answer(frame) ? TN_OK : instantiate_body(frame);
}
static tn_status_t prepare_handler(tn_ffi_call_frame_t* frame) {
  return answer(frame) ? TN_OK : prepare_body(frame);
}
static tn_status_t initialize_handler(tn_ffi_call_frame_t* frame) {
  return answer(frame) ? TN_OK : initialize_body(frame);
}

// Registers the handler with this body alone, and runs it once.
static tn_status_t run(body_fn this_body) {
  float y[4];
  body = this_body;
  TN_ASSERT_OK(tn_target_register("handler", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  return tn__testing_call(CALL(TYPED), 1, &FOUR, 1, (void*[]){y});
}

static tn_status_t make_error(const tn_ffi_api_t* api, int32_t code, const char* message) {
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, message, code};
  return api->error_create(&create);
}

// --- the frame

static tn_status_t check_frame(tn_ffi_call_frame_t* frame) {
  assert_int_equal(frame->struct_size, 168);
  assert_null(frame->extension_start);
  assert_int_equal(frame->api->struct_size, 192);
  assert_int_equal(frame->api->api_version.minor, 3);
  assert_int_equal(frame->args.struct_size, 40);
  assert_int_equal(frame->rets.struct_size, 40);
  assert_int_equal(frame->attrs.struct_size, 48);
  assert_int_equal(frame->args.count, 1);
  assert_int_equal(frame->rets.count, 1);
  assert_int_equal(frame->args.types[0], TN_FFI_BUFFER);
  assert_null(frame->future);
  const tn_ffi_buffer_t* x = frame->args.values[0];
  assert_int_equal(x->struct_size, 48);
  assert_int_equal(x->dtype, TN_FFI_F32);
  assert_int_equal(x->rank, 1);
  assert_int_equal(x->dims[0], 4);
  assert_int_equal((uintptr_t)x->data % 64, 0);
  assert_memory_equal(x->data, four, sizeof four);
  return TN_OK;
}

static void frames_have_the_sizes_of_the_binary_interface(void** state) {
  (void)state;
  TN_ASSERT_OK(run(check_frame));
}

static tn_status_t check_attributes(tn_ffi_call_frame_t* frame) {
  static const char* const names[] = {"Beta", "Z",      "alpha",  "array", "empty", "flag",
                                      "half", "nested", "scalar", "splat", "text"};
  const tn_ffi_attrs_t* attrs = &frame->attrs;
  assert_int_equal(attrs->count, 11);
  for (int i = 0; i < 11; ++i) {
    assert_int_equal(attrs->names[i]->size, strlen(names[i]));
    assert_memory_equal(attrs->names[i]->data, names[i], strlen(names[i]));
  }
  const tn_ffi_scalar_t* beta = attrs->values[0];
  assert_int_equal(attrs->types[0], TN_FFI_SCALAR);
  assert_int_equal(beta->dtype, TN_FFI_U8);
  assert_int_equal(*(uint8_t*)beta->value, 200);
  const tn_ffi_scalar_t* z = attrs->values[1];
  assert_int_equal(z->dtype, TN_FFI_S16);
  assert_int_equal(*(int16_t*)z->value, -2);
  const tn_ffi_scalar_t* alpha = attrs->values[2];
  assert_int_equal(alpha->dtype, TN_FFI_F64);
  assert_true(*(double*)alpha->value == 0.1);
  const tn_ffi_array_t* array = attrs->values[3];
  assert_int_equal(attrs->types[3], TN_FFI_ARRAY);
  assert_int_equal(array->dtype, TN_FFI_S32);
  assert_int_equal(array->count, 2);
  assert_int_equal(((int32_t*)array->data)[1], 8);
  const tn_ffi_array_t* empty = attrs->values[4];
  assert_int_equal(empty->count, 0);
  const tn_ffi_scalar_t* flag = attrs->values[5];
  assert_int_equal(flag->dtype, TN_FFI_PRED);
  assert_true(*(bool*)flag->value);
  const tn_ffi_scalar_t* half = attrs->values[6];
  assert_int_equal(half->dtype, TN_FFI_BF16);
  assert_int_equal(*(uint16_t*)half->value, 0x3F00);
  const tn_ffi_attrs_t* nested = attrs->values[7];
  assert_int_equal(attrs->types[7], TN_FFI_DICTIONARY);
  assert_int_equal(nested->struct_size, 48);
  assert_int_equal(nested->count, 2);
  assert_memory_equal(nested->names[0]->data, "hi", 2);
  const tn_ffi_array_t* scalar = attrs->values[8];
  assert_int_equal(attrs->types[8], TN_FFI_ARRAY);  // a tensor of rank 0 is a list of one
  assert_int_equal(scalar->count, 1);
  const tn_ffi_array_t* splat = attrs->values[9];
  assert_int_equal(splat->count, 6);
  assert_true(((float*)splat->data)[5] == 1.5F);
  const tn_ffi_bytes_t* text = attrs->values[10];
  assert_int_equal(attrs->types[10], TN_FFI_STRING);
  assert_int_equal(text->size, 3);
  assert_memory_equal(text->data, "a\0b", 3);
  return TN_OK;
}

static void attributes_of_all_kinds_come_sorted_by_their_bytes(void** state) {
  (void)state;
  float y[4];
  body = check_attributes;
  TN_ASSERT_OK(tn_target_register("handler", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_OK(tn__testing_call(
      CALL("mhlo.backend_config = {alpha = 0.1 : f64, Z = -2 : i16, Beta = 200 : ui8, array = "
           "array<i32: 7, 8>, empty = dense<> : tensor<0xf32>, flag = true, half = 0.5 : bf16, "
           "nested = {lo = 0 : i64, hi = 42 : i64}, scalar = dense<3> : tensor<i64>, splat = "
           "dense<1.5> : tensor<2x3xf32>, text = \"a\\00b\"}"),
      1, &FOUR, 1, (void*[]){y}));
}

static void attributes_that_the_interface_cannot_say_are_refused_by_name(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  body = NULL;
  TN_ASSERT_OK(tn_target_register("handler", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_REPORT("custom call @handler: attribute a: a type; handlers take numbers",
                   tn__testing_compile(CALL("mhlo.backend_config = {a = f32}"), &program));
  TN_ASSERT_REPORT(
      "attribute d: attribute list: a list whose element 1 is a string",
      tn__testing_compile(CALL("mhlo.backend_config = {d = {list = [1, \"two\"]}}"), &program));
}

// x is 2x3 with the first dimension varying fastest, y has the dimensions of its transpose.
static tn_status_t check_layout(tn_ffi_call_frame_t* frame) {
  const tn_ffi_buffer_t* x = frame->args.values[0];
  const tn_ffi_buffer_t* y = frame->rets.values[0];
  assert_int_equal(x->dims[0], 2);
  assert_int_equal(x->dims[1], 3);
  assert_int_equal(y->dims[0], 2);
  assert_int_equal(y->dims[1], 3);
  const float columns[] = {1, 4, 2, 5, 3, 6};
  assert_memory_equal(x->data, columns, sizeof columns);
  memcpy(y->data, (const float[]){10, 40, 20, 50, 30, 60}, sizeof columns);
  return TN_OK;
}

#define COLUMN_CALL(before, result_type, after)                                               \
  "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  " before                      \
  " = stablehlo.custom_call @handler(%a) {mhlo.backend_config = {}, operand_layouts = "       \
  "[dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : " \
  "(tensor<2x3xf32>) -> " result_type "\n" after "  return %r : tensor<2x3xf32>\n}\n"

static void arrays_of_other_layouts_are_turned_round(void** state) {
  (void)state;
  const float rows[] = {1, 2, 3, 4, 5, 6}, wanted[] = {10, 20, 30, 40, 50, 60};
  const tn_testing_array_t x = {TN_DTYPE_F32, 2, {2, 3}, rows};
  float y[6] = {0};
  body = check_layout;
  TN_ASSERT_OK(tn_target_register("handler", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_OK(tn__testing_call(COLUMN_CALL("%r", "tensor<2x3xf32>", ""), 1, &x, 1, (void*[]){y}));
  assert_memory_equal(y, wanted, sizeof wanted);
  memset(y, 0, sizeof y);
  TN_ASSERT_OK(tn__testing_call(
      COLUMN_CALL("%t", "tuple<tensor<2x3xf32>>",
                  "  %r = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2x3xf32>>) -> "
                  "tensor<2x3xf32>\n"),
      1, &x, 1, (void*[]){y}));
  assert_memory_equal(y, wanted, sizeof wanted);
}

static tn_status_t check_layout_in_place(tn_ffi_call_frame_t* frame) {
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  const float columns[] = {1, 4, 2, 5, 3, 6};
  assert_ptr_equal(x->data, y->data);
  assert_memory_equal(x->data, columns, sizeof columns);
  memcpy(y->data, (const float[]){10, 40, 20, 50, 30, 60}, sizeof columns);
  return TN_OK;
}

// As jaxlib's LAPACK kernels are called.
static void arrays_of_other_layouts_may_be_aliased(void** state) {
  (void)state;
  const float rows[] = {1, 2, 3, 4, 5, 6}, wanted[] = {10, 20, 30, 40, 50, 60};
  const tn_testing_array_t x = {TN_DTYPE_F32, 2, {2, 3}, rows};
  float y[6] = {0};
  body = check_layout_in_place;
  TN_ASSERT_OK(tn_target_register("handler", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_OK(tn__testing_call(
      "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
      "  %r = stablehlo.custom_call @handler(%a) {mhlo.backend_config = {}, operand_layouts = "
      "[dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], "
      "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
      "operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
      "  return %r : tensor<2x3xf32>\n}\n",
      1, &x, 1, (void*[]){y}));
  assert_memory_equal(y, wanted, sizeof wanted);
}

// --- services of the runtime

static tn_status_t check_services(tn_ffi_call_frame_t* frame) {
  const tn_ffi_api_t* api = frame->api;
  int64_t threads = 0;
  tn_ffi_thread_count_t count = {TN_FFI_THREAD_COUNT_SIZE, NULL, frame->context, &threads};
  assert_null(api->thread_count(&count));
  assert_true(threads >= 1);
  tn_ffi_device_ordinal_get_t ordinal = {TN_FFI_DEVICE_ORDINAL_GET_SIZE, NULL, frame->context, -7};
  assert_null(api->device_ordinal_get(&ordinal));
  assert_int_equal(ordinal.device_ordinal, 0);
  tn_ffi_run_id_get_t id = {TN_FFI_RUN_ID_GET_SIZE, NULL, frame->context, -7};
  assert_null(api->run_id_get(&id));
  assert_int_not_equal(id.run_id, -7);
  tn_ffi_stream_get_t stream = {TN_FFI_STREAM_GET_SIZE, NULL, frame->context, NULL};
  tn_status_t error = api->stream_get(&stream);
  assert_non_null(error);
  tn_ffi_error_get_message_t message = {TN_FFI_ERROR_GET_MESSAGE_SIZE, NULL, error, NULL};
  api->error_get_message(&message);
  assert_string_equal(message.message, "the platform Host has no streams for handlers");
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, error};
  api->error_destroy(&destroy);
  tn_ffi_type_id_t type = {1};
  tn_ffi_context_get_t user = {TN_FFI_CONTEXT_GET_SIZE, NULL, frame->context, &type, NULL};
  return api->context_get(&user);
}

static void the_host_answers_what_handlers_ask(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "custom call @handler: NOT_FOUND: User data with type id 1 not found in execution context",
      run(check_services));
}

static tn_status_t check_scratch(tn_ffi_call_frame_t* frame) {
  const tn_ffi_api_t* api = frame->api;
  void* blocks[3];
  for (int i = 0; i < 3; ++i) {
    tn_ffi_memory_allocate_t allocate = {
        TN_FFI_MEMORY_ALLOCATE_SIZE, NULL, frame->context, (size_t)i * 100, 64, NULL};
    assert_null(api->memory_allocate(&allocate));
    assert_non_null(allocate.data);
    assert_int_equal((uintptr_t)allocate.data % 64, 0);
    memset(allocate.data, 0xEE, (size_t)i * 100);
    blocks[i] = allocate.data;
  }
  tn_ffi_memory_free_t release = {TN_FFI_MEMORY_FREE_SIZE, NULL, frame->context, 100, blocks[1]};
  assert_null(api->memory_free(&release));
  tn_ffi_memory_allocate_t odd = {TN_FFI_MEMORY_ALLOCATE_SIZE, NULL, frame->context, 100, 48, NULL};
  tn_status_t error = api->memory_allocate(&odd);
  assert_non_null(error);
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, error};
  api->error_destroy(&destroy);
  return api->memory_free(&release);  // for the second time
}

static void scratch_memory_is_taken_back_and_freed_once(void** state) {
  (void)state;
  TN_ASSERT_REPORT("was not allocated by this call, or is freed already", run(check_scratch));
}

static atomic_int tasks_done;
static void count_task(void* data) {
  atomic_fetch_add(&tasks_done, *(int*)data);
}
static tn_status_t schedule_tasks(tn_ffi_call_frame_t* frame) {
  static int one = 1;
  for (int i = 0; i < 8; ++i) {
    tn_ffi_schedule_t schedule = {TN_FFI_SCHEDULE_SIZE, NULL, frame->context, count_task, &one};
    if (frame->api->schedule(&schedule)) count_task(&one);
  }
  while (atomic_load(&tasks_done) < 8) usleep(100);
  return TN_OK;
}

static void tasks_run_on_the_pool(void** state) {
  (void)state;
  TN_ASSERT_OK(run(schedule_tasks));
}

static tn_status_t small_request(tn_ffi_call_frame_t* frame) {
  tn_ffi_run_id_get_t id = {8, NULL, frame->context, 0};
  return frame->api->run_id_get(&id);
}
static tn_status_t large_request(tn_ffi_call_frame_t* frame) {
  struct {
    tn_ffi_run_id_get_t request;
    int64_t more;
  } id = {{sizeof id, NULL, frame->context, 0}, 0};
  return frame->api->run_id_get(&id.request);
}
static tn_status_t request_without_context(tn_ffi_call_frame_t* frame) {
  tn_ffi_run_id_get_t id = {TN_FFI_RUN_ID_GET_SIZE, NULL, NULL, 0};
  return frame->api->run_id_get(&id);
}

static void requests_of_other_sizes_are_handled(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "Unexpected XLA_FFI_RunId_Get_Args size: expected 32, got 8. Check installed "
      "software versions. The framework XLA FFI API version is 0.3.",
      run(small_request));
  TN_ASSERT_OK(run(large_request));
  TN_ASSERT_REPORT("the execution context is NULL", run(request_without_context));
}

// --- errors

static tn_status_t fail_with_unknown_code(tn_ffi_call_frame_t* frame) {
  return make_error(frame->api, 99, "odd");
}
static tn_status_t return_foreign_error(tn_ffi_call_frame_t* frame) {
  (void)frame;
  return (tn_status_t)(uintptr_t)0xDEAD0;
}
static tn_status_t kept_error;
static tn_status_t return_kept_error(tn_ffi_call_frame_t* frame) {
  if (!kept_error) kept_error = make_error(frame->api, TN_FFI_ABORTED, "kept");
  return kept_error;
}
static tn_status_t destroy_foreign_error(tn_ffi_call_frame_t* frame) {
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL,
                                    (tn_status_t)(uintptr_t)0xDEAD0};
  tn_ffi_error_get_message_t message = {TN_FFI_ERROR_GET_MESSAGE_SIZE, NULL, destroy.error, NULL};
  frame->api->error_get_message(&message);
  frame->api->error_destroy(&destroy);
  return make_error(frame->api, TN_FFI_DATA_LOSS, message.message);
}

static void errors_of_strangers_are_refused_and_not_touched(void** state) {
  (void)state;
  TN_ASSERT_REPORT("custom call @handler: UNKNOWN: odd", run(fail_with_unknown_code));
  TN_ASSERT_REPORT("custom call @handler: INTERNAL: the handler returned an error object that",
                   run(return_foreign_error));
  TN_ASSERT_REPORT("ABORTED: kept", run(return_kept_error));
  TN_ASSERT_REPORT("or that was destroyed or returned before", run(return_kept_error));
  TN_ASSERT_REPORT("DATA_LOSS: (not an error of this table)", run(destroy_foreign_error));
}

// --- futures

static struct {
  const tn_ffi_api_t* api;
  tn_ffi_future_t* future;
  tn_ffi_buffer_t buffer;
  tn_status_t error;
} later;

static void* finish_later(void* user) {
  (void)user;
  usleep(5000);
  for (int i = 0; i < 4; ++i) ((float*)later.buffer.data)[i] = 9;
  if (later.error) {
    tn_ffi_future_fail_t fail = {TN_FFI_FUTURE_FAIL_SIZE, NULL, later.future, later.error};
    tn_status_release(later.api->future_fail(&fail));
  } else {
    tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, later.future};
    tn_status_release(later.api->future_finish(&finish));
  }
  return NULL;
}

static pthread_t later_thread;
static tn_status_t defer(tn_ffi_call_frame_t* frame) {
  tn_ffi_future_create_t create = {TN_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  later.api = frame->api;
  tn_status_t error = later.api->future_create(&create);
  if (error) return error;
  later.future = frame->future = create.future;
  later.buffer = *(const tn_ffi_buffer_t*)frame->rets.values[0];
  return TN_OK;
}
static tn_status_t defer_to_thread(tn_ffi_call_frame_t* frame) {
  tn_status_t error = defer(frame);
  if (!error) assert_int_equal(pthread_create(&later_thread, NULL, finish_later, NULL), 0);
  return error;
}
static tn_status_t defer_to_failure(tn_ffi_call_frame_t* frame) {
  later.error = make_error(frame->api, TN_FFI_UNAVAILABLE, "went away");
  return defer_to_thread(frame);
}
static tn_status_t finish_at_once(tn_ffi_call_frame_t* frame) {
  tn_status_t error = defer(frame);
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, later.future};
  return error ? error : frame->api->future_finish(&finish);
}
static tn_status_t finish_twice(tn_ffi_call_frame_t* frame) {
  tn_status_t error = finish_at_once(frame);
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, later.future};
  return error ? error : frame->api->future_finish(&finish);
}
static tn_status_t fail_without_error(tn_ffi_call_frame_t* frame) {
  tn_status_t error = defer(frame);
  tn_ffi_future_fail_t fail = {TN_FFI_FUTURE_FAIL_SIZE, NULL, later.future, NULL};
  return error ? error : frame->api->future_fail(&fail);
}
static tn_status_t leave_foreign_future(tn_ffi_call_frame_t* frame) {
  frame->future = (tn_ffi_future_t*)(uintptr_t)0xDEAD0;
  return TN_OK;
}

static void handlers_may_finish_later(void** state) {
  (void)state;
  float y[4];
  body = defer_to_thread;
  later.error = NULL;
  TN_ASSERT_OK(tn_target_register("handler", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_OK(tn__testing_call(CALL(TYPED), 1, &FOUR, 1, (void*[]){y}));
  pthread_join(later_thread, NULL);
  assert_true(y[0] == 9 && y[3] == 9);
  TN_ASSERT_REPORT("custom call @handler: UNAVAILABLE: went away", run(defer_to_failure));
  pthread_join(later_thread, NULL);
  later.error = NULL;
  TN_ASSERT_OK(run(finish_at_once));
}

static void futures_misused_are_errors(void** state) {
  (void)state;
  TN_ASSERT_REPORT("FAILED_PRECONDITION: the future is complete already", run(finish_twice));
  TN_ASSERT_REPORT("a future cannot fail without an error", run(fail_without_error));
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, later.future};
  tn_status_release(later.api->future_finish(&finish));  // given up by the run: frees it
  TN_ASSERT_REPORT("INTERNAL: the handler left a future that the frame's own table did not make",
                   run(leave_foreign_future));
}

static void a_future_that_never_comes_can_be_given_up(void** state) {
  (void)state;
  tn_call_set_timeout_ns(2000000);
  TN_ASSERT_REPORT(
      "custom call @handler: DEADLINE_EXCEEDED: the handler did not complete its "
      "future within 0.002 s",
      run(defer));
  tn_call_set_timeout_ns(-1);
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, later.future};
  TN_ASSERT_OK(later.api->future_finish(&finish));
}

// --- stages and states

static int64_t counter_type;
static int live_objects;
static char stage_log[64];

static void log_stage(char letter) {
  size_t length = strlen(stage_log);
  assert_true(length + 1 < sizeof stage_log);
  stage_log[length] = letter;
  stage_log[length + 1] = 0;
}

static void destroy_object(void* object) {
  assert_ptr_equal(object, &live_objects);
  --live_objects;
}
static tn_status_t set_object(tn_ffi_call_frame_t* frame) {
  tn_ffi_type_id_t type = {counter_type};
  tn_ffi_state_set_t set = {TN_FFI_STATE_SET_SIZE, NULL,  frame->context,
                            frame->stage,          &type, &live_objects};
  tn_status_t error = frame->api->state_set(&set);
  if (!error) ++live_objects;
  return error;
}
static tn_status_t get_object(tn_ffi_call_frame_t* frame, int32_t stage, int64_t type_id) {
  tn_ffi_type_id_t type = {type_id};
  tn_ffi_state_get_t get = {TN_FFI_STATE_GET_SIZE, NULL, frame->context, stage, &type, NULL};
  tn_status_t error = frame->api->state_get(&get);
  if (!error) assert_ptr_equal(get.state, &live_objects);
  return error;
}
static tn_status_t instantiate_logged(tn_ffi_call_frame_t* frame) {
  log_stage('I');
  assert_int_equal(frame->stage, TN_FFI_INSTANTIATE);
  assert_int_equal(frame->args.count, 0);
  assert_int_equal(frame->rets.count, 0);
  return set_object(frame);
}
static tn_status_t prepare_logged(tn_ffi_call_frame_t* frame) {
  log_stage('p');
  assert_int_equal(frame->stage, TN_FFI_PREPARE);
  assert_int_equal(frame->args.count, 1);
  return set_object(frame);
}
static tn_status_t initialize_logged(tn_ffi_call_frame_t* frame) {
  log_stage('i');
  assert_int_equal(frame->stage, TN_FFI_INITIALIZE);
  tn_status_t error = get_object(frame, TN_FFI_PREPARE, counter_type);
  return error ? error : set_object(frame);
}
static tn_status_t execute_logged(tn_ffi_call_frame_t* frame) {
  log_stage('x');
  assert_int_equal(live_objects, 3);
  for (int32_t stage = TN_FFI_INSTANTIATE; stage < TN_FFI_EXECUTE; ++stage) {
    tn_status_t error = get_object(frame, stage, counter_type);
    if (error) return error;
  }
  return TN_OK;
}

static void register_stages(body_fn instantiate_with, body_fn prepare_with, body_fn initialize_with,
                            body_fn execute_with) {
  instantiate_body = instantiate_with;
  prepare_body = prepare_with;
  initialize_body = initialize_with;
  body = execute_with;
  if (!counter_type) TN_ASSERT_OK(tn_type_register("counter", destroy_object, &counter_type));
  const tn_handler_stages_t stages = {
      .instantiate = instantiate_with ? (tn_target_function_t)instantiate_handler : NULL,
      .prepare = prepare_with ? (tn_target_function_t)prepare_handler : NULL,
      .initialize = initialize_with ? (tn_target_function_t)initialize_handler : NULL,
      .execute = (tn_target_function_t)handler,
  };
  tn_status_release(tn_target_unregister("handler", "Host"));
  TN_ASSERT_OK(tn_target_register_stages("handler", "Host", &stages));
}

static void stages_run_in_order_and_keep_states(void** state) {
  (void)state;
  float y[4];
  tn_program_t* program = NULL;
  register_stages(instantiate_logged, prepare_logged, initialize_logged, execute_logged);
  TN_ASSERT_OK(tn__testing_compile(CALL(TYPED), &program));
  assert_int_equal(live_objects, 1);
  TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
  TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
  assert_int_equal(live_objects, 1);
  tn_program_release(program);
  assert_int_equal(live_objects, 0);
  assert_string_equal(stage_log, "Ipixpix");
}

static tn_status_t set_twice(tn_ffi_call_frame_t* frame) {
  tn_status_t error = set_object(frame);
  return error ? error : set_object(frame);
}
static tn_status_t set_nothing(tn_ffi_call_frame_t* frame) {
  (void)frame;
  return TN_OK;
}
static tn_status_t get_prepared(tn_ffi_call_frame_t* frame) {
  return get_object(frame, TN_FFI_PREPARE, counter_type);
}
static tn_status_t get_of_other_type(tn_ffi_call_frame_t* frame) {
  return get_object(frame, TN_FFI_INSTANTIATE, counter_type + 1);
}
static tn_status_t get_of_no_stage(tn_ffi_call_frame_t* frame) {
  return get_object(frame, 17, counter_type);
}

static void states_misused_are_errors(void** state) {
  (void)state;
  float y[4];
  tn_program_t* program = NULL;
  register_stages(set_twice, NULL, NULL, NULL);
  TN_ASSERT_REPORT("State is already set with a type id",
                   tn__testing_compile(CALL(TYPED), &program));
  register_stages(set_object, NULL, NULL, get_prepared);
  TN_ASSERT_REPORT("state: the stage prepare has set none",
                   tn__testing_call(CALL(TYPED), 1, &FOUR, 1, (void*[]){y}));
  register_stages(set_object, NULL, NULL, get_of_other_type);
  TN_ASSERT_REPORT("state: the stage instantiate has set one of the type id",
                   tn__testing_call(CALL(TYPED), 1, &FOUR, 1, (void*[]){y}));
  register_stages(set_object, NULL, NULL, get_of_no_stage);
  TN_ASSERT_REPORT("there is no such stage",
                   tn__testing_call(CALL(TYPED), 1, &FOUR, 1, (void*[]){y}));
  state_id = counter_type;
  register_stages(set_nothing, NULL, NULL, NULL);
  TN_ASSERT_REPORT("the instantiate stage says that its state has the type id",
                   tn__testing_compile(CALL(TYPED), &program));
  state_id = 0;
  assert_int_equal(live_objects, 0);
}

static void types_have_unique_names_and_ids(void** state) {
  (void)state;
  int64_t id = 0, same = 0, other = 0;
  TN_ASSERT_OK(tn_type_register("unique", destroy_object, &id));
  assert_true(id > 0);
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_type_register("unique", destroy_object, &same));
  other = id;
  TN_ASSERT_OK(tn_type_register("unique", destroy_object, &other));
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_type_register("another", destroy_object, &other));
  other = id + 1000;
  TN_ASSERT_OK(tn_type_register("another", destroy_object, &other));
  assert_int_equal(other, id + 1000);
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_type_register("", destroy_object, &same));
}

// --- registration

static tn_status_t never(tn_ffi_call_frame_t* frame) {
  return make_error(frame->api, TN_FFI_FAILED_PRECONDITION, "not yet");
}

static void registering_refuses_what_cannot_be_called(void** state) {
  (void)state;
  const tn_handler_stages_t no_execute = {.prepare = (tn_target_function_t)handler};
  TN_ASSERT_REPORT("there is no execute stage",
                   tn_target_register_stages("x", "Host", &no_execute));
  TN_ASSERT_REPORT("function is NULL",
                   tn_target_register("x", "Host", NULL, TN_API_VERSION_ORIGINAL));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_target_register("", "Host", (tn_target_function_t)handler,
                                                      TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_target_register(NULL, "Host", (tn_target_function_t)handler,
                                                      TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_target_register("x", "Moon", (tn_target_function_t)handler,
                                                      TN_API_VERSION_TYPED_FFI));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_target_register("x", "Host", (tn_target_function_t)handler,
                                                      (tn_api_version_t)9));
  TN_ASSERT_REPORT(
      "custom call @x: FAILED_PRECONDITION: not yet",
      tn_target_register("x", "Host", (tn_target_function_t)never, TN_API_VERSION_TYPED_FFI));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_have_the_sizes_of_the_binary_interface),
      cmocka_unit_test(attributes_of_all_kinds_come_sorted_by_their_bytes),
      cmocka_unit_test(attributes_that_the_interface_cannot_say_are_refused_by_name),
      cmocka_unit_test(arrays_of_other_layouts_are_turned_round),
      cmocka_unit_test(arrays_of_other_layouts_may_be_aliased),
      cmocka_unit_test(the_host_answers_what_handlers_ask),
      cmocka_unit_test(scratch_memory_is_taken_back_and_freed_once),
      cmocka_unit_test(tasks_run_on_the_pool),
      cmocka_unit_test(requests_of_other_sizes_are_handled),
      cmocka_unit_test(errors_of_strangers_are_refused_and_not_touched),
      cmocka_unit_test(handlers_may_finish_later),
      cmocka_unit_test(futures_misused_are_errors),
      cmocka_unit_test(a_future_that_never_comes_can_be_given_up),
      cmocka_unit_test(stages_run_in_order_and_keep_states),
      cmocka_unit_test(states_misused_are_errors),
      cmocka_unit_test(types_have_unique_names_and_ids),
      cmocka_unit_test(registering_refuses_what_cannot_be_called),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
