// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/testing_host.h"

#include <stdlib.h>
#include <string.h>

struct tn_ffi_future {
  tn_testing_host_t* host;
};

static tn_testing_host_t* current_host;  // who called last: whose types and futures these are

static tn_testing_host_t* host_of(tn_ffi_context_t* context) {
  return (tn_testing_host_t*)(void*)context;
}

static tn_status_t error_create(tn_ffi_error_create_t* request) {
  if (request->struct_size != TN_FFI_ERROR_CREATE_SIZE) abort();
  return tn_status_create((tn_code_t)request->code, "%s", request->message);
}

static void error_get_message(tn_ffi_error_get_message_t* request) {
  request->message = tn_status_message(request->error);
}

static void error_destroy(tn_ffi_error_destroy_t* request) {
  tn_status_release(request->error);
}

static tn_status_t handler_register(tn_ffi_handler_register_t* request) {
  (void)request;
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "no registry");
}

static tn_status_t stream_get(tn_ffi_stream_get_t* request) {
  request->stream = request->context;  // any address will do
  return TN_OK;
}

static tn_status_t type_register(tn_ffi_type_register_t* request) {
  tn_testing_host_t* host = current_host;
  for (int64_t i = 0; i < host->type_count; ++i) {
    if (strlen(host->type_names[i]) == request->name.size &&
        !memcmp(host->type_names[i], request->name.data, request->name.size)) {
      return tn_status_create(TN_CODE_ALREADY_EXISTS, "type %s is taken", host->type_names[i]);
    }
  }
  memcpy(host->type_names[host->type_count], request->name.data, request->name.size);
  host->type_infos[host->type_count] = *request->type_info;
  request->type_id->id = ++host->type_count;
  return TN_OK;
}

static tn_status_t context_get(tn_ffi_context_get_t* request) {
  if (request->type_id->id != 77) {
    return tn_status_create(TN_CODE_NOT_FOUND, "no user data of that type");
  }
  request->data = request->context;
  return TN_OK;
}

static tn_status_t state_set(tn_ffi_state_set_t* request) {
  tn_testing_host_t* host = host_of(request->context);
  if (host->state_types[request->stage]) {
    return tn_status_create(TN_CODE_ALREADY_EXISTS, "the state is set already");
  }
  host->states[request->stage] = request->state;
  host->state_types[request->stage] = request->type_id->id;
  host->state_deleters[request->stage] = host->type_infos[request->type_id->id - 1].deleter;
  return TN_OK;
}

static tn_status_t state_get(tn_ffi_state_get_t* request) {
  tn_testing_host_t* host = host_of(request->context);
  if (host->state_types[request->stage] != request->type_id->id) {
    return tn_status_create(TN_CODE_NOT_FOUND, "no state of that type");
  }
  request->state = host->states[request->stage];
  return TN_OK;
}

static tn_status_t memory_allocate(tn_ffi_memory_allocate_t* request) {
  tn_testing_host_t* host = host_of(request->context);
  if (!host->has_memory) return tn_status_create(TN_CODE_INVALID_ARGUMENT, "no allocator");
  request->data = aligned_alloc(request->alignment,
                                (request->size + request->alignment) & ~(request->alignment - 1));
  ++host->live_blocks;
  return TN_OK;
}

static tn_status_t memory_free(tn_ffi_memory_free_t* request) {
  --host_of(request->context)->live_blocks;
  free(request->data);
  return TN_OK;
}

static tn_status_t schedule(tn_ffi_schedule_t* request) {
  tn_testing_host_t* host = host_of(request->context);
  if (!host->schedules || host->task_count == TN_TESTING_MAX) {
    return tn_status_create(TN_CODE_UNAVAILABLE, "no threads");
  }
  if (!host->keeps_tasks) {
    request->task(request->data);
  } else {
    host->tasks[host->task_count] = request->task;
    host->task_data[host->task_count++] = request->data;
  }
  return TN_OK;
}

void tn__host_run_tasks(tn_testing_host_t* host) {
  for (int64_t i = 0; i < host->task_count; ++i) host->tasks[i](host->task_data[i]);
  host->task_count = 0;
}

static tn_status_t thread_count(tn_ffi_thread_count_t* request) {
  *request->count = host_of(request->context)->thread_count;
  return TN_OK;
}

static tn_status_t future_create(tn_ffi_future_create_t* request) {
  request->future = malloc(sizeof *request->future);
  if (!request->future) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "no memory");
  request->future->host = current_host;
  return TN_OK;
}

static tn_status_t future_fail(tn_ffi_future_fail_t* request) {
  request->future->host->future_is_done = true;
  request->future->host->future_error = request->error;
  free(request->future);
  return TN_OK;
}

static tn_status_t future_finish(tn_ffi_future_finish_t* request) {
  request->future->host->future_is_done = true;
  free(request->future);
  return TN_OK;
}

static tn_status_t run_id_get(tn_ffi_run_id_get_t* request) {
  request->run_id = -42;
  return TN_OK;
}

static tn_status_t device_ordinal_get(tn_ffi_device_ordinal_get_t* request) {
  request->device_ordinal = 3;
  return TN_OK;
}

void tn__testing_host_init(tn_testing_host_t* host) {
  const tn_ffi_api_t api = {
      .struct_size = TN_FFI_API_SIZE,
      .api_version = {TN_FFI_API_VERSION_SIZE, NULL, TN_FFI_API_MAJOR, TN_FFI_API_MINOR},
      .error_create = error_create,
      .error_get_message = error_get_message,
      .error_destroy = error_destroy,
      .handler_register = handler_register,
      .stream_get = stream_get,
      .type_register = type_register,
      .context_get = context_get,
      .state_set = state_set,
      .state_get = state_get,
      .memory_allocate = memory_allocate,
      .memory_free = memory_free,
      .schedule = schedule,
      .thread_count = thread_count,
      .future_create = future_create,
      .future_finish = future_finish,
      .future_fail = future_fail,
      .run_id_get = run_id_get,
      .device_ordinal_get = device_ordinal_get};
  *host = (tn_testing_host_t){.api = api, .has_memory = true, .thread_count = 4, .schedules = true};
  host->context = (tn_ffi_context_t*)(void*)host;
}

void tn__testing_host_deinit(tn_testing_host_t* host) {
  for (int stage = 0; stage < 4; ++stage) {
    if (host->state_types[stage]) host->state_deleters[stage](host->states[stage]);
  }
  tn_status_release(host->future_error);
}

void tn__host_attrs_init(tn_testing_attrs_t* attrs) {
  attrs->attrs =
      (tn_ffi_attrs_t){TN_FFI_ATTRS_SIZE, NULL, 0, attrs->types, attrs->names, attrs->values};
}

// Makes room for one more, in order; its index in the storage, which stays where it is.
static int64_t insert(tn_testing_attrs_t* attrs, const char* name, int32_t type, void* value) {
  const int64_t index = attrs->attrs.count++;
  if (index == TN_TESTING_MAX) abort();
  attrs->name_storage[index] = (tn_ffi_bytes_t){name, strlen(name)};
  int64_t at = index;
  for (; at > 0 && strcmp(attrs->names[at - 1]->data, name) > 0; --at) {
    attrs->types[at] = attrs->types[at - 1];
    attrs->names[at] = attrs->names[at - 1];
    attrs->values[at] = attrs->values[at - 1];
  }
  attrs->types[at] = type;
  attrs->names[at] = &attrs->name_storage[index];
  attrs->values[at] = value ? value : &attrs->storage[index];
  return index;
}

void tn__host_scalar(tn_testing_attrs_t* attrs, const char* name, tn_ffi_dtype_t dtype,
                     const void* value) {
  static const size_t sizes[] = {
      [TN_FFI_PRED] = 1, [TN_FFI_S8] = 1,  [TN_FFI_S16] = 2, [TN_FFI_S32] = 4,
      [TN_FFI_S64] = 8,  [TN_FFI_U8] = 1,  [TN_FFI_U16] = 2, [TN_FFI_U32] = 4,
      [TN_FFI_U64] = 8,  [TN_FFI_F32] = 4, [TN_FFI_F64] = 8};
  const int64_t i = insert(attrs, name, TN_FFI_SCALAR, NULL);
  memcpy(&attrs->scalar_storage[i], value, sizes[dtype]);
  attrs->storage[i].scalar = (tn_ffi_scalar_t){dtype, &attrs->scalar_storage[i]};
}

void tn__host_array(tn_testing_attrs_t* attrs, const char* name, tn_ffi_dtype_t dtype,
                    const void* data, size_t count) {
  const int64_t i = insert(attrs, name, TN_FFI_ARRAY, NULL);
  attrs->storage[i].array = (tn_ffi_array_t){dtype, count, (void*)(uintptr_t)data};
}

void tn__host_string(tn_testing_attrs_t* attrs, const char* name, const char* text) {
  const int64_t i = insert(attrs, name, TN_FFI_STRING, NULL);
  attrs->storage[i].string = (tn_ffi_bytes_t){text, strlen(text)};
}

void tn__host_dictionary(tn_testing_attrs_t* attrs, const char* name, tn_testing_attrs_t* nested) {
  insert(attrs, name, TN_FFI_DICTIONARY, &nested->attrs);
}

void tn__host_frame_init(tn_testing_frame_t* frame, tn_testing_host_t* host) {
  memset(frame, 0, sizeof *frame);
  tn__host_attrs_init(&frame->attrs);
  tn_ffi_call_frame_t* call = &frame->frame;
  call->struct_size = TN_FFI_CALL_FRAME_SIZE;
  call->api = &host->api;
  call->context = host->context;
  call->stage = TN_FFI_EXECUTE;
  call->args = (tn_ffi_values_t){TN_FFI_VALUES_SIZE, NULL, 0, frame->types[0], frame->values[0]};
  call->rets = (tn_ffi_values_t){TN_FFI_VALUES_SIZE, NULL, 0, frame->types[1], frame->values[1]};
}

static void add(tn_testing_frame_t* frame, int side, tn_ffi_dtype_t dtype, const void* data,
                int64_t rank, const int64_t* dims) {
  tn_ffi_values_t* values = side ? &frame->frame.rets : &frame->frame.args;
  const int64_t i = values->count++;
  if (i == TN_TESTING_MAX || rank > 4) abort();
  for (int64_t axis = 0; axis < rank; ++axis) frame->dims[side][i][axis] = dims[axis];
  frame->buffers[side][i] = (tn_ffi_buffer_t){TN_FFI_BUFFER_SIZE,     NULL, dtype,
                                              (void*)(uintptr_t)data, rank, frame->dims[side][i]};
  frame->types[side][i] = TN_FFI_BUFFER;
  frame->values[side][i] = &frame->buffers[side][i];
}

void tn__host_arg(tn_testing_frame_t* frame, tn_ffi_dtype_t dtype, const void* data, int64_t rank,
                  const int64_t* dims) {
  add(frame, 0, dtype, data, rank, dims);
}

void tn__host_ret(tn_testing_frame_t* frame, tn_ffi_dtype_t dtype, void* data, int64_t rank,
                  const int64_t* dims) {
  add(frame, 1, dtype, data, rank, dims);
}

tn_status_t tn__host_call(tn_ffi_handler_t handler, tn_testing_frame_t* frame) {
  current_host = (tn_testing_host_t*)(void*)frame->frame.context;
  frame->frame.attrs = frame->attrs.attrs;
  return handler(&frame->frame);
}

tn_status_t tn__host_query(tn_ffi_handler_t handler, tn_testing_host_t* host,
                           tn_ffi_metadata_t* out_metadata) {
  tn_testing_frame_t frame;
  tn__host_frame_init(&frame, host);
  *out_metadata = (tn_ffi_metadata_t){.struct_size = TN_FFI_METADATA_SIZE};
  tn_ffi_metadata_extension_t extension = {{TN_FFI_METADATA_EXTENSION_SIZE, TN_FFI_METADATA, NULL},
                                           out_metadata};
  frame.frame.context = NULL;
  frame.frame.extension_start = &extension.extension;
  current_host = host;
  return handler(&frame.frame);
}
