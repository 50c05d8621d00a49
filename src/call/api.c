// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/api.h"

#include "base/pool.h"
#include "call/context.h"
#include "call/functions.h"
#include "call/global_xla.h"
#include "call/live.h"
#include "call/registry.h"
#include "call/scratch.h"
#include "call/types.h"
#include "kernel/encoder.h"

static const char* const stage_names[] = {"instantiate", "prepare", "initialize", "execute"};

// Every request begins with its size, which may be larger than ours (a newer header), not smaller.
static tn_status_t check_request(const char* name, const void* request, size_t expected) {
  size_t found = 0;
  if (request) memcpy(&found, request, sizeof found);
  if (request && found >= expected) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "Unexpected %s size: expected %zu, got %zu. Check installed software "
                          "versions. The framework XLA FFI API version is %d.%d.",
                          name, expected, found, TN_FFI_API_MAJOR, TN_FFI_API_MINOR);
}

static tn_status_t check_context(const char* name, const void* request, size_t expected,
                                 const tn_ffi_context_t* const* context) {
  TN_RETURN_IF_ERROR(check_request(name, request, expected));
  if (*context) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the execution context is NULL", name);
}

// For the body of a slot: what an error becomes on its way to the handler.
#define GIVE_IF_ERROR(expression)                          \
  do {                                                     \
    tn_status_t give_status_ = (expression);               \
    if (give_status_) return tn__error_give(give_status_); \
  } while (0)
#define CHECK_REQUEST(request, name, NAME) \
  GIVE_IF_ERROR(check_request(name, request, TN_FFI_##NAME##_SIZE))
#define CHECK_CONTEXT_OF_SIZE(request, name, size) \
  GIVE_IF_ERROR(                                   \
      check_context(name, request, size, (const tn_ffi_context_t* const*)&(request)->context))
#define CHECK_CONTEXT(request, name, NAME) \
  CHECK_CONTEXT_OF_SIZE(request, name, TN_FFI_##NAME##_SIZE)

// --- errors

static tn_status_t error_create(tn_ffi_error_create_t* request) {
  CHECK_REQUEST(request, "XLA_FFI_Error_Create_Args", ERROR_CREATE);
  bool is_code = request->code > TN_CODE_OK && request->code <= TN_CODE_UNAUTHENTICATED;
  return tn__error_give(tn_status_create(is_code ? (tn_code_t)request->code : TN_CODE_UNKNOWN, "%s",
                                         request->message ? request->message : ""));
}

static void error_get_message(tn_ffi_error_get_message_t* request) {
  tn_status_t status =
      check_request("XLA_FFI_Error_GetMessage_Args", request, TN_FFI_ERROR_GET_MESSAGE_SIZE);
  if (!status) {
    request->message = !request->error                     ? ""
                       : tn__error_is_live(request->error) ? tn_status_message(request->error)
                                                           : "(not an error of this table)";
  }
  tn_status_release(status);
}

static void error_destroy(tn_ffi_error_destroy_t* request) {
  tn_status_t status =
      check_request("XLA_FFI_Error_Destroy_Args", request, TN_FFI_ERROR_DESTROY_SIZE);
  if (!status && request->error && tn__error_take(request->error)) {
    tn_status_release(request->error);
  }
  tn_status_release(status);
}

// --- registration

static tn_string_view_t view_of(tn_ffi_bytes_t bytes) {
  return (tn_string_view_t){bytes.data, bytes.data ? bytes.size : 0};
}

static tn_status_t handler_register(tn_ffi_handler_register_t* request) {
  CHECK_REQUEST(request, "XLA_FFI_Handler_Register_Args", HANDLER_REGISTER);
  const tn_target_spec_t spec = {
      .name = view_of(request->name),
      .platform = view_of(request->platform),
      .versions = TN_TARGET_TYPED,
      .bundle = request->bundle,
      .traits = request->traits,
      .library = tn__library_loading(),
  };
  tn_status_t status = tn__registry_add(tn__library_context(), &spec, TN_REGISTER_LENIENT);
  // XLA's macro drops the error, so loading the library reports it as well.
  if (tn_status_code(status) == TN_CODE_ALREADY_EXISTS && spec.library) {
    tn_status_t copy = tn_status_create(TN_CODE_ALREADY_EXISTS, "%s", tn_status_message(status));
    tn__library_set_error(spec.library, status);
    status = copy;
  }
  return tn__error_give(status);
}

static tn_status_t type_register(tn_ffi_type_register_t* request) {
  CHECK_REQUEST(request, "XLA_FFI_Type_Register_Args", TYPE_REGISTER);
  return tn__error_give(tn__type_register(view_of(request->name),
                                          tn__type_deleter(request->type_info),
                                          tn__library_loading(), &request->type_id->id));
}

// --- what the run knows

static tn_status_t stream_get(tn_ffi_stream_get_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_Stream_Get_Args", STREAM_GET);
  const tn_kernel_context_t* kernel = request->context->kernel;
  request->stream = kernel && kernel->encoder ? kernel->encoder->stream : NULL;
  if (request->stream) return TN_OK;
  return tn__error_give(tn_status_create(
      TN_CODE_UNIMPLEMENTED,
      kernel ? "the platform Host has no streams for handlers"
             : "there is no stream while a program is compiled: ask for it when it is executed"));
}

static tn_status_t context_get(tn_ffi_context_get_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_ExecutionContext_Get_Args", CONTEXT_GET);
  request->data = NULL;
  int64_t id = request->type_id ? request->type_id->id : 0;
  const tn_call_environment_t* environment = tn__context_environment(request->context);
  for (size_t i = 0; environment && i < environment->user_data_count; ++i) {
    if (environment->user_data[i].type_id != id) continue;
    request->data = environment->user_data[i].data;
    return TN_OK;
  }
  return tn__error_give(tn_status_create(
      TN_CODE_NOT_FOUND, "User data with type id %lld not found in execution context",
      (long long)id));
}

static tn_status_t run_id_get(tn_ffi_run_id_get_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_RunId_Get_Args", RUN_ID_GET);
  const tn_call_environment_t* environment = tn__context_environment(request->context);
  request->run_id = environment ? environment->run_id : -1;
  return TN_OK;
}

static tn_status_t device_ordinal_get(tn_ffi_device_ordinal_get_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_DeviceOrdinal_Get_Args", DEVICE_ORDINAL_GET);
  const tn_call_environment_t* environment = tn__context_environment(request->context);
  request->device_ordinal = environment ? environment->device_ordinal : 0;
  return TN_OK;
}

// --- states

// Before version 0.3 only the instantiate stage had a state, and requests named no stage. Before
// 0.2 the request to set it brought the deleter, and was as large as that of 0.3.
typedef struct old_state_request {
  size_t struct_size;
  tn_ffi_extension_t* extension_start;
  tn_ffi_context_t* context;
  const tn_ffi_type_id_t* type_id;
  void* state;
  void (*deleter)(void* object);
} old_state_request_t;
enum {
  OLD_STATE_SIZE = TN_FFI_END_OF(old_state_request_t, state),
  OLDEST_STATE_SET_SIZE = TN_FFI_END_OF(old_state_request_t, deleter),
};

// The place of the stage's state; NULL with an error when the stage has none.
static tn_status_t find_state(const tn_ffi_context_t* context, int32_t stage,
                              const tn_ffi_type_id_t* type_id, tn_call_state_t** out_state) {
  *out_state = NULL;
  if (stage < TN_FFI_INSTANTIATE || stage > TN_FFI_EXECUTE || !type_id) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "state: %s",
                            type_id ? "there is no such stage" : "the type id is NULL");
  }
  *out_state = context->states[stage];
  if (*out_state) return TN_OK;
  return tn_status_create(TN_CODE_FAILED_PRECONDITION, "state: the stage %s has none here",
                          stage_names[stage]);
}

static tn_status_t find_deleter(int64_t type_id, void (**out_deleter)(void* object)) {
  switch (tn__type_find(type_id, out_deleter)) {
    case TN_TYPE_UNKNOWN:
      return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                              "state: the type id %lld is not registered", (long long)type_id);
    case TN_TYPE_WITHOUT_DELETER:
      return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                              "state: the type with the id %lld has no deleter",
                              (long long)type_id);
    case TN_TYPE_OF_STATES: break;
  }
  return TN_OK;
}

// `deleter` NULL: the one that the type is registered with.
static tn_status_t set_state(const tn_ffi_context_t* context, int32_t stage,
                             const tn_ffi_type_id_t* type_id, void* object,
                             void (*deleter)(void* object)) {
  tn_call_state_t* state = NULL;
  TN_RETURN_IF_ERROR(find_state(context, stage, type_id, &state));
  if (state->deleter) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION, "State is already set with a type id %lld",
                            (long long)state->type_id);
  }
  if (!deleter) TN_RETURN_IF_ERROR(find_deleter(type_id->id, &deleter));
  *state = (tn_call_state_t){type_id->id, object, deleter};
  return TN_OK;
}

static tn_status_t state_set(tn_ffi_state_set_t* request) {
  const old_state_request_t* old = (const old_state_request_t*)(const void*)request;
  bool is_old = request && request->struct_size == OLD_STATE_SIZE;
  CHECK_CONTEXT_OF_SIZE(request, "XLA_FFI_State_Set_Args",
                        is_old ? OLD_STATE_SIZE : TN_FFI_STATE_SET_SIZE);
  bool brings_deleter =
      request->struct_size == OLDEST_STATE_SET_SIZE && request->context->brings_deleters;
  if (is_old || brings_deleter) {
    return tn__error_give(set_state(old->context, TN_FFI_INSTANTIATE, old->type_id, old->state,
                                    brings_deleter ? old->deleter : NULL));
  }
  return tn__error_give(
      set_state(request->context, request->stage, request->type_id, request->state, NULL));
}

static tn_status_t get_state(const tn_ffi_context_t* context, int32_t stage,
                             const tn_ffi_type_id_t* type_id, void** out_object) {
  tn_call_state_t* state = NULL;
  *out_object = NULL;
  TN_RETURN_IF_ERROR(find_state(context, stage, type_id, &state));
  if (!state->deleter) {
    return tn_status_create(TN_CODE_NOT_FOUND, "state: the stage %s has set none",
                            stage_names[stage]);
  }
  if (state->type_id != type_id->id) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "state: the stage %s has set one of the type id %lld; expected %lld",
                            stage_names[stage], (long long)state->type_id, (long long)type_id->id);
  }
  *out_object = state->object;
  return TN_OK;
}

static tn_status_t state_get(tn_ffi_state_get_t* request) {
  old_state_request_t* old = (old_state_request_t*)(void*)request;
  bool is_old = request && request->struct_size == OLD_STATE_SIZE;
  CHECK_CONTEXT_OF_SIZE(request, "XLA_FFI_State_Get_Args",
                        is_old ? OLD_STATE_SIZE : TN_FFI_STATE_GET_SIZE);
  if (is_old) {
    return tn__error_give(get_state(old->context, TN_FFI_INSTANTIATE, old->type_id, &old->state));
  }
  return tn__error_give(
      get_state(request->context, request->stage, request->type_id, &request->state));
}

// --- memory and threads

static tn_status_t memory_allocate(tn_ffi_memory_allocate_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_DeviceMemory_Allocate_Args", MEMORY_ALLOCATE);
  return tn__error_give(
      tn__scratch_allocate(request->context, request->size, request->alignment, &request->data));
}

static tn_status_t memory_free(tn_ffi_memory_free_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_DeviceMemory_Free_Args", MEMORY_FREE);
  return tn__error_give(tn__scratch_free(request->context, request->data));
}

static tn_status_t schedule(tn_ffi_schedule_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_ThreadPool_Schedule_Args", SCHEDULE);
  const tn_kernel_context_t* kernel = request->context->kernel;
  if (!kernel || !kernel->pool) {
    return tn__error_give(tn_status_create(TN_CODE_UNAVAILABLE,
                                           "there is no thread pool while a program is compiled"));
  }
  return tn__error_give(tn__pool_schedule(kernel->pool, request->task, request->data));
}

static tn_status_t thread_count(tn_ffi_thread_count_t* request) {
  CHECK_CONTEXT(request, "XLA_FFI_ThreadPool_NumThreads_Args", THREAD_COUNT);
  const tn_kernel_context_t* kernel = request->context->kernel;
  if (request->count) *request->count = kernel ? tn__pool_thread_count(kernel->pool) : 1;
  return TN_OK;
}

// --- futures

static tn_status_t future_create(tn_ffi_future_create_t* request) {
  CHECK_REQUEST(request, "XLA_FFI_Future_Create_Args", FUTURE_CREATE);
  request->future = tn__future_create();
  return request->future ? TN_OK : tn__status_out_of_memory();
}

static tn_status_t future_finish(tn_ffi_future_finish_t* request) {
  CHECK_REQUEST(request, "XLA_FFI_Future_SetAvailable_Args", FUTURE_FINISH);
  return tn__error_give(tn__future_set(request->future, NULL));
}

static tn_status_t future_fail(tn_ffi_future_fail_t* request) {
  CHECK_REQUEST(request, "XLA_FFI_Future_SetError_Args", FUTURE_FAIL);
  if (!request->error) {
    return tn__error_give(
        tn_status_create(TN_CODE_INVALID_ARGUMENT, "a future cannot fail without an error"));
  }
  if (!tn__error_take(request->error)) {
    return tn__error_give(tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "the future's error was not made by the frame's own table"));
  }
  return tn__error_give(tn__future_set(request->future, request->error));
}

const tn_ffi_api_t* tn__call_api(void) {
  static const tn_ffi_api_t api = {
      .struct_size = TN_FFI_API_SIZE,
      // Handlers only read it; the member is of a type that frames have too.
      .extension_start = (tn_ffi_extension_t*)&tn__call_functions.extension,
      .api_version = {TN_FFI_API_VERSION_SIZE, NULL, TN_FFI_API_MAJOR, TN_FFI_API_MINOR},
#define TN_API_FUNCTION(name) .name = name,
#include "call/api_functions.def"
#undef TN_API_FUNCTION
  };
  return &api;
}

// For libraries that ask for it while they are loaded, before anything of Tenon runs.
__attribute__((constructor)) static void publish(void) {
  tn__global_set_api(tn__call_api());
  tn__global_set_register(tn__register_at_start);
}
