// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/testing_foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char* const stages[] = {"instantiate", "prepare", "initialize", "execute"};

typedef struct diagnostics {
  char text[1 << 14];
  size_t length;
} diagnostics_t;

TN_PRINTF(2, 3) static void emit(diagnostics_t* all, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length =
      vsnprintf(all->text + all->length, sizeof all->text - all->length, format, arguments);
  va_end(arguments);
  if (length > 0) all->length += (size_t)length;
}

static tn_status_t fail(const tn_ffi_call_frame_t* frame, const char* message) {
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, message, TN_FFI_INVALID_ARGUMENT};
  return frame->api->error_create(&create);
}

// Upper case, as XLA prints them.
static const char* dtype_name(tn_ffi_dtype_t dtype) {
  switch (dtype) {
#define NAME(word, NAME, number, ctype) \
  case number: return #NAME;
    TN_FFI_DTYPES(NAME)
#undef NAME
    default: return "INVALID";
  }
}

static const char* type_name(int32_t type) {
  static const char* const names[] = {"", "array", "dictionary", "scalar", "string"};
  return names[type];
}

static bool check_count(const tn_testing_foreign_t* foreign, int kind,
                        const tn_ffi_values_t* values, const char* what, diagnostics_t* out) {
  const tn_testing_list_t* list = &foreign->lists[kind];
  bool is_least = list->has_rest || list->optional,
       is_unbound = !list->required && !foreign->is_old;
  if (is_least ? values->count >= list->required : values->count == list->required || is_unbound) {
    return true;
  }
  emit(out, "Wrong number of %s: expected %s%d but got %lld", what, is_least ? "at least " : "",
       list->required - list->optional - list->has_rest, (long long)values->count);
  return false;
}

static void decode(const tn_testing_list_t* list, const tn_ffi_values_t* values, const char* what,
                   diagnostics_t* out) {
  for (int32_t i = 0; i < list->required + list->optional && i < values->count; ++i) {
    const tn_testing_buffer_t* wanted = &list->buffers[i];
    const tn_ffi_buffer_t* buffer = values->values[i];
    if (values->types[i] != TN_FFI_BUFFER) {
      emit(out, "Wrong %s type: expected buffer but got ", what);
    } else if (wanted->dtype != TN_TESTING_ANY && wanted->dtype != buffer->dtype) {
      emit(out, "Wrong buffer dtype: expected %s but got %s", dtype_name(wanted->dtype),
           dtype_name(buffer->dtype));
    } else if (wanted->rank != TN_TESTING_ANY && wanted->rank != buffer->rank) {
      emit(out, "Wrong buffer rank: expected %lld but got %lld", (long long)wanted->rank,
           (long long)buffer->rank);
    }
  }
}

static void decode_attr(const tn_testing_attr_t* wanted, const tn_ffi_attrs_t* attrs, int32_t index,
                        diagnostics_t* out) {
  const tn_ffi_bytes_t* name = attrs->names[index];
  const tn_ffi_scalar_t* scalar = attrs->values[index];  // arrays begin like them
  if (name->size != strlen(wanted->name) || memcmp(name->data, wanted->name, name->size) != 0) {
    emit(out, "Attribute name mismatch: %.*s vs %s", (int)name->size, name->data, wanted->name);
  } else if (attrs->types[index] != wanted->type) {
    emit(out, "Wrong attribute type: expected %s but got %s", type_name(wanted->type),
         type_name(attrs->types[index]));
  } else if (wanted->type == TN_FFI_SCALAR && scalar->dtype != wanted->dtype) {
    emit(out, "Wrong scalar data type: expected %s but got %s", dtype_name(wanted->dtype),
         dtype_name(scalar->dtype));
  } else if (wanted->type == TN_FFI_ARRAY && scalar->dtype != wanted->dtype) {
    emit(out, "Wrong array data type: expected %s but got %s", dtype_name(wanted->dtype),
         dtype_name(scalar->dtype));
  }
}

static bool answer(const tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start || frame->extension_start->type != TN_FFI_METADATA) return false;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = 2;
  metadata->traits = TN_FFI_COMMAND_BUFFER_COMPATIBLE;
  metadata->state_type_id.id = 0;
  return true;
}

static void decode_all(const tn_testing_foreign_t* foreign, tn_ffi_call_frame_t* frame,
                       diagnostics_t* out) {
  if (foreign->asks_for_stream) {
    tn_ffi_stream_get_t get = {TN_FFI_STREAM_GET_SIZE, NULL, frame->context, NULL};
    tn_status_t error = frame->api->stream_get(&get);
    if (error) {
      tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, error};
      frame->api->error_destroy(&destroy);
      emit(out, "Failed to get platform stream: it is refused");
    }
  }
  decode(&foreign->lists[0], &frame->args, "argument", out);
  decode(&foreign->lists[1], &frame->rets, "result", out);
  for (int32_t i = 0; i < foreign->attr_count; ++i) {
    decode_attr(&foreign->attrs[i], &frame->attrs, i, out);
  }
}

tn_status_t tn__testing_foreign(const tn_testing_foreign_t* foreign, tn_ffi_call_frame_t* frame) {
  diagnostics_t text = {.length = 0};
  if (frame->struct_size != TN_FFI_CALL_FRAME_SIZE) {
    emit(&text, "Unexpected XLA_FFI_CallFrame size: expected %d got %zu.", TN_FFI_CALL_FRAME_SIZE,
         frame->struct_size);
    return fail(frame, text.text);
  }
  if (answer(frame)) return TN_OK;
  if (frame->stage != foreign->stage) {
    emit(&text, "Wrong execution stage: expected `%s` but got `%s`", stages[foreign->stage],
         stages[frame->stage]);
    return fail(frame, text.text);
  }
  if (!foreign->is_old) emit(&text, "[%s] ", stages[frame->stage]);
  bool is_good = check_count(foreign, 0, &frame->args, "arguments", &text) &&
                 check_count(foreign, 1, &frame->rets, "results", &text);
  bool counts_attrs = foreign->attr_count || foreign->is_old;
  if (is_good && counts_attrs && frame->attrs.count != foreign->attr_count) {
    emit(&text, "Wrong number of attributes: expected %d but got %lld", foreign->attr_count,
         (long long)frame->attrs.count);
    is_good = false;
  }
  if (!is_good) return fail(frame, text.text);
  diagnostics_t details = {.length = 0};
  decode_all(foreign, frame, &details);
  if (details.length) {
    emit(&text, "Failed to decode all FFI handler operands (bad operands at: 0)\nDiagnostics:\n%s",
         details.text);
    return fail(frame, text.text);
  }
  return foreign->body ? foreign->body(frame) : TN_OK;
}
