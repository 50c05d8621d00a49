// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "inspect/prober.h"

#include <stdio.h>
#include <string.h>

static tn_prober_t* prober;  // for the functions of the table

// --- the table: everything that decoding asks for is noted and refused

static tn_status_t refuse_with(const char* text) {
  char* error = prober->errors[prober->error_count++ % TN_PROBER_ERROR_LIMIT];
  snprintf(error, TN_PROBER_TEXT_LIMIT, "%s", text ? text : "");
  return (tn_status_t)(void*)error;
}
static tn_status_t refuse(void) {
  return refuse_with("this is a probe call");
}
static tn_status_t note_and_refuse(uint32_t what) {
  prober->probe->context |= what;
  return refuse();
}

static tn_status_t asker_error_create(tn_ffi_error_create_t* request) {
  return refuse_with(request->message);
}
static void asker_error_get_message(tn_ffi_error_get_message_t* request) {
  request->message = request->error ? (const char*)request->error : "";
}
static void asker_error_destroy(tn_ffi_error_destroy_t* request) {
  (void)request;
}
static tn_status_t asker_handler_register(tn_ffi_handler_register_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_stream_get(tn_ffi_stream_get_t* request) {
  request->stream = NULL;
  return note_and_refuse(TN_PROBE_STREAM);
}
static tn_status_t asker_type_register(tn_ffi_type_register_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_context_get(tn_ffi_context_get_t* request) {
  request->data = NULL;
  return note_and_refuse(TN_PROBE_USER_DATA);
}
static tn_status_t asker_state_set(tn_ffi_state_set_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_state_get(tn_ffi_state_get_t* request) {
  (void)request;  // older headers have a smaller one
  return note_and_refuse(TN_PROBE_STATE);
}
static tn_status_t asker_memory_allocate(tn_ffi_memory_allocate_t* request) {
  request->data = NULL;
  return refuse();
}
static tn_status_t asker_memory_free(tn_ffi_memory_free_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_schedule(tn_ffi_schedule_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_thread_count(tn_ffi_thread_count_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_future_create(tn_ffi_future_create_t* request) {
  request->future = NULL;
  return refuse();
}
static tn_status_t asker_future_finish(tn_ffi_future_finish_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_future_fail(tn_ffi_future_fail_t* request) {
  (void)request;
  return refuse();
}
static tn_status_t asker_run_id_get(tn_ffi_run_id_get_t* request) {
  (void)request;
  return note_and_refuse(TN_PROBE_RUN_ID);
}
static tn_status_t asker_device_ordinal_get(tn_ffi_device_ordinal_get_t* request) {
  (void)request;
  return note_and_refuse(TN_PROBE_DEVICE_ORDINAL);
}

static const tn_ffi_api_t api = {
    .struct_size = TN_FFI_API_SIZE,
    .api_version = {TN_FFI_API_VERSION_SIZE, NULL, TN_FFI_API_MAJOR, TN_FFI_API_MINOR},
#define TN_API_FUNCTION(name) .name = asker_##name,
#include "call/api_functions.def"
#undef TN_API_FUNCTION
};

// --- the frame

tn_ffi_values_t* tn__prober_list(int kind) {
  return kind == TN_PROBER_OPERANDS ? &prober->frame.args : &prober->frame.rets;
}

void tn__prober_fill(int kind, int64_t count, bool is_strange) {
  tn__prober_list(kind)->count = count;
  for (int64_t i = 0; i < count; ++i) {
    prober->types[kind][i] = is_strange ? TN_PROBER_STRANGE_TYPE : TN_FFI_BUFFER;
    prober->buffers[kind][i].dtype = TN_FFI_INVALID;
    prober->buffers[kind][i].rank = 0;
  }
}

void tn__prober_set_attr(tn_prober_dictionary_t* dictionary, int32_t index, int32_t type,
                         tn_ffi_dtype_t dtype) {
  tn_prober_value_t* value = &dictionary->storage[index];
  dictionary->types[index] = type;
  switch (type) {
    case TN_FFI_SCALAR: value->scalar = (tn_ffi_scalar_t){dtype, prober->zeros}; break;
    case TN_FFI_ARRAY: value->array = (tn_ffi_array_t){dtype, 1, prober->zeros}; break;
    case TN_FFI_STRING: value->string = (tn_ffi_bytes_t){prober->zeros, 0}; break;
    default: value->dictionary = (tn_ffi_attrs_t){.struct_size = TN_FFI_ATTRS_SIZE}; break;
  }
}

void tn__prober_fill_strange(tn_prober_dictionary_t* dictionary, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; ++i) {
    dictionary->name_storage[i] = (tn_ffi_bytes_t){dictionary->strange[i], TN_PROBER_NAME_SIZE - 1};
    tn__prober_set_attr(dictionary, i, TN_FFI_SCALAR, TN_FFI_TOKEN);
  }
}

void tn__prober_set_name(tn_prober_dictionary_t* dictionary, int32_t index,
                         const tn_probe_attr_t* attr) {
  dictionary->name_storage[index] = (tn_ffi_bytes_t){attr->name, (size_t)attr->name_length};
}

void tn__prober_attach(tn_prober_dictionary_t* dictionary, int32_t count, tn_ffi_attrs_t* out) {
  *out = (tn_ffi_attrs_t){TN_FFI_ATTRS_SIZE, NULL, count, dictionary->types, dictionary->names,
                          dictionary->values};
}

static void init_dictionary(tn_prober_dictionary_t* dictionary) {
  for (int i = 0; i < TN_PROBE_ATTR_LIMIT; ++i) {
    snprintf(dictionary->strange[i], TN_PROBER_NAME_SIZE, "?%02d", i);
    dictionary->names[i] = &dictionary->name_storage[i];
    dictionary->values[i] = &dictionary->storage[i];
  }
  tn__prober_fill_strange(dictionary, 0, TN_PROBE_ATTR_LIMIT);
}

static void init_frame(void) {
  for (int i = 0; i < TN_PROBER_ASKED_RANK; ++i) prober->dims[i] = 1;
  for (int kind = 0; kind < 2; ++kind) {
    for (int i = 0; i < TN_PROBE_VALUE_LIMIT; ++i) {
      prober->buffers[kind][i] = (tn_ffi_buffer_t){
          .struct_size = TN_FFI_BUFFER_SIZE, .data = prober->zeros, .dims = prober->dims};
      prober->values[kind][i] = &prober->buffers[kind][i];
      prober->types[kind][i] = TN_PROBER_STRANGE_TYPE;
    }
    *tn__prober_list(kind) =
        (tn_ffi_values_t){TN_FFI_VALUES_SIZE, NULL, 0, prober->types[kind], prober->values[kind]};
  }
  init_dictionary(&prober->attrs);
  init_dictionary(&prober->fields);
  prober->frame.struct_size = TN_FFI_CALL_FRAME_SIZE;
  prober->frame.api = &api;
  // No function of the table reads it, but handlers may look whether it is there.
  prober->frame.context = (tn_ffi_context_t*)(void*)prober->zeros;
  tn__prober_attach(&prober->attrs, 0, &prober->frame.attrs);
}

tn_prober_t* tn__prober_begin(tn_probe_t* probe, tn_ffi_handler_t handler) {
  // Not on the stack, which may be a small one.
  static tn_prober_t the_asker;
  memset(&the_asker, 0, sizeof the_asker);
  the_asker.probe = probe;
  the_asker.handler = handler;
  prober = &the_asker;
  init_frame();
  return prober;
}
