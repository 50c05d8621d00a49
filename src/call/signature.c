// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/signature.h"

#include <stdio.h>

#include "base/writer.h"
#include "call/target.h"

static bool has_dtype(uint64_t dtypes, int dtype) {
  return dtype < 64 && dtypes >> dtype & 1;
}

bool tn__dtypes_are_all(uint64_t dtypes) {
  for (int dtype = 1; dtype < 64; ++dtype) {
    if (tn_dtype_is_valid(dtype) && !has_dtype(dtypes, dtype)) return false;
  }
  return true;
}

tn_dtypes_text_t tn__dtypes_text(uint64_t dtypes) {
  tn_dtypes_text_t out = {"any dtype"};
  size_t length = 0;
  if (tn__dtypes_are_all(dtypes)) return out;
  out.text[0] = 0;
  for (int dtype = 1; dtype < 64; ++dtype) {
    if (!has_dtype(dtypes, dtype) || !tn_dtype_is_valid(dtype)) continue;
    int written = snprintf(out.text + length, sizeof out.text - length, "%s%s",
                           length ? " or " : "", tn_dtype_name((tn_dtype_t)dtype));
    if (written < 0 || (size_t)written >= sizeof out.text - length) break;
    length += (size_t)written;
  }
  return out;
}

const tn_ffi_param_t* tn__op_value_param(const tn_ffi_op_t* op, int32_t kind, size_t index) {
  size_t next = 0;
  for (size_t i = 0; op && i < op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(op, i);
    if (param->kind != kind) continue;
    if (next == index || param->flags & TN_FFI_PARAM_REMAINING) return param;
    ++next;
  }
  return NULL;
}

size_t tn__op_operand_index(const tn_ffi_op_t* op, const char* name) {
  size_t next = 0;
  for (size_t i = 0; i < op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(op, i);
    if (param->kind != TN_FFI_PARAM_ARG) continue;
    if (strcmp(param->name, name) == 0) return next;
    ++next;
  }
  return SIZE_MAX;
}

// --- writing into an arena

typedef struct text {
  tn_arena_t* arena;
  char* data;
  size_t length, capacity;
} text_t;

static tn_status_t append(void* user, const char* piece, size_t length) {
  text_t* text = user;
  size_t needed = text->length + length + 1;
  if (needed > text->capacity) {
    void* grown = NULL;
    size_t capacity = 2 * needed;
    TN_RETURN_IF_ERROR(tn__arena_allocate(text->arena, capacity, &grown));
    if (text->length) memcpy(grown, text->data, text->length);
    text->data = grown;
    text->capacity = capacity;
  }
  memcpy(text->data + text->length, piece, length);
  text->length += length;
  text->data[text->length] = 0;
  return TN_OK;
}

static void write_value_type(tn_writer_t* writer, const tn_ffi_op_t* op,
                             const tn_ffi_param_t* param) {
  bool is_like = param->flags & TN_FFI_PARAM_LIKE, is_named = *param->name;
  if (!is_named && param->flags & TN_FFI_PARAM_REMAINING)
    tn__write_string(writer, "any number of ");
  if (!param->dtypes) {
    tn__write_string(writer, "unknown");
  } else if (is_like) {
    tn__writef(writer, "like %s", param->same_shape_as);
  } else if (param->same_dtype_as) {
    tn__writef(writer, "dtype of %s", param->same_dtype_as);
  } else {
    tn__write_string(writer, TN_DTYPES_TEXT(param->dtypes));
  }
  if (!is_like && param->same_shape_as) {
    tn__writef(writer, ", shape of %s", param->same_shape_as);
  }
  if (param->rank >= 0) tn__writef(writer, "[rank %lld]", (long long)param->rank);
  if (tn__param_dims(op, param)) tn__writef(writer, "[%s]", tn__param_dims(op, param));
  if (param->flags & TN_FFI_PARAM_OPTIONAL) {
    tn__write_string(writer, is_named ? ", optional" : " or none");
  }
}

// "record(range_t) {lo: int64_t, hi: int64_t = 1}". Inferred types have their fields in their text.
static void write_attr_type(tn_writer_t* writer, const tn_ffi_op_t* op, const tn_ffi_param_t* param,
                            size_t depth) {
  enum { DEPTH_LIMIT = 16 };
  const char* text = param->type_text ? param->type_text : "attribute";
  tn__write_string(writer, text);
  if (!param->field_count || *text == '{' || depth == DEPTH_LIMIT) return;
  for (size_t i = 0; i < param->field_count; ++i) {
    const tn_ffi_param_t* field = tn__param_field(op, param, i);
    tn__writef(writer, "%s%s: ", i ? ", " : " {", field->name);
    write_attr_type(writer, op, field, depth + 1);
    if (field->default_text) {
      tn__writef(writer, " = %s", *field->default_text ? field->default_text : "{}");
    }
  }
  tn__write_string(writer, "}");
}

static void write_type(tn_writer_t* writer, const tn_ffi_op_t* op, const tn_ffi_param_t* param) {
  if (param->kind == TN_FFI_PARAM_ATTR) {
    write_attr_type(writer, op, param, 0);
  } else {
    write_value_type(writer, op, param);
  }
}

static tn_status_t finish_text(tn_writer_t* writer, text_t* text, const char** out) {
  TN_RETURN_IF_ERROR(tn__writer_finish(writer));
  *out = text->data ? text->data : "";
  return TN_OK;
}

static tn_status_t type_text(tn_arena_t* arena, const tn_ffi_op_t* op, const tn_ffi_param_t* param,
                             const char** out) {
  text_t text = {.arena = arena};
  tn_writer_t writer;
  tn__writer_init(&writer, append, &text);
  write_type(&writer, op, param);
  return finish_text(&writer, &text, out);
}

// The parameters of these kinds: "x: f32, eps: float = 1e-5f".
static void write_list(tn_writer_t* writer, const tn_target_parameter_t* parameters,
                       const tn_ffi_op_t* op, bool results) {
  const char* between = "";
  for (size_t i = 0; i < op->param_count; ++i) {
    const tn_target_parameter_t* parameter = &parameters[i];
    if ((parameter->kind == TN_TARGET_RESULT) != results) continue;
    bool is_rest = tn__op_param(op, i)->flags & TN_FFI_PARAM_REMAINING;
    tn__write_string(writer, between);
    if (parameter->name) tn__writef(writer, "%s%s: ", parameter->name, is_rest ? "..." : "");
    tn__write_string(writer, parameter->type);
    if (parameter->default_value && *parameter->default_value) {
      tn__writef(writer, " = %s", parameter->default_value);
    } else if (parameter->default_value) {
      tn__write_string(writer, " = {}");
    }
    between = ", ";
  }
}

// <stdbool.h> makes 0 and 1 of the names before the macros of custom.h see them.
static const char* default_text(const char* text, const char* type) {
  if (!text || strcmp(type, "bool") != 0) return text;
  return strcmp(text, "0") == 0 ? "false" : strcmp(text, "1") == 0 ? "true" : text;
}

static tn_status_t fill(tn_signature_t* signature, const tn_ffi_op_t* op, tn_string_view_t name) {
  tn_target_parameter_t* parameters = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&signature->arena, op->param_count, &parameters));
  for (size_t i = 0; i < op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(op, i);
    parameters[i] = (tn_target_parameter_t){
        .kind = param->kind == TN_FFI_PARAM_ARG    ? TN_TARGET_OPERAND
                : param->kind == TN_FFI_PARAM_ATTR ? TN_TARGET_ATTRIBUTE
                                                   : TN_TARGET_RESULT,
        .name = *param->name ? param->name : NULL,
        .default_value = param->kind == TN_FFI_PARAM_ATTR ? param->default_text : NULL,
        .doc = param->doc,
        .dims = tn__param_dims(op, param),
    };
    TN_RETURN_IF_ERROR(type_text(&signature->arena, op, param, &parameters[i].type));
    parameters[i].default_value = default_text(parameters[i].default_value, parameters[i].type);
  }
  signature->parameters = parameters;
  signature->parameter_count = op->param_count;
  // A legacy function has no metadata but its name and doc.
  if (op->api_version != 4) return TN_OK;
  text_t text = {.arena = &signature->arena};
  tn_writer_t writer;
  tn__writer_init(&writer, append, &text);
  tn__writef(&writer, "%s(", TN_NAME_TEXT(name));
  write_list(&writer, parameters, op, false);
  tn__write_string(&writer, ") -> (");
  write_list(&writer, parameters, op, true);
  tn__write_string(&writer, ")");
  return finish_text(&writer, &text, &signature->text);
}

tn_status_t tn__signature_init(tn_signature_t* out_signature, const tn_ffi_op_t* op,
                               tn_string_view_t name) {
  *out_signature = (tn_signature_t){0};
  tn__arena_init(&out_signature->arena, tn_allocator_system());
  tn_status_t status = fill(out_signature, op, name);
  if (status) tn__signature_deinit(out_signature);
  return status;
}

void tn__signature_deinit(tn_signature_t* signature) {
  if (signature->arena.allocator) tn__arena_deinit(&signature->arena);
  *signature = (tn_signature_t){0};
}
