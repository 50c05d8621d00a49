// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/buffers.h"

#include "call/attributes.h"

static tn_status_t make_buffer(const tn_type_t* type, const char* what, size_t index,
                               tn_ffi_buffer_t* out) {
  bool is_tensor = tn__type_is_tensor(type);
  tn_ffi_dtype_t dtype = is_tensor ? tn__ffi_dtype(type->dtype) : TN_FFI_TOKEN;
  if (dtype == TN_FFI_INVALID) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s %zu has type %s, whose elements have no number in XLA's FFI", what,
                            index, TN_TYPE_TEXT(type));
  }
  *out = (tn_ffi_buffer_t){
      .struct_size = TN_FFI_BUFFER_SIZE,
      .dtype = dtype,
      .rank = is_tensor ? (int64_t)type->rank : 0,
  };
  return TN_OK;
}

// Dimensions are copied: handlers get a pointer that is not const.
static tn_status_t copy_dims(tn_arena_t* arena, const tn_type_t* type, int64_t** out_dims) {
  const size_t rank = tn__type_is_tensor(type) ? type->rank : 0;
  return TN_ARENA_COPY(arena, rank, type->dims, out_dims);
}

tn_status_t tn__call_buffers_make(const tn_call_site_t* call, tn_call_buffers_t* out) {
  tn_arena_t* arena = call->site->arena;
  const size_t count = call->operand_count + call->result_count;
  *out = (tn_call_buffers_t){0};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &out->buffers));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &out->types));
  for (size_t i = 0; i < count; ++i) {
    const bool is_operand = i < call->operand_count;
    const size_t index = is_operand ? i : i - call->operand_count;
    const tn_type_t* type = tn__call_value_type(call, i);
    TN_RETURN_IF_ERROR(
        make_buffer(type, is_operand ? "operand" : "result", index, &out->buffers[i]));
    TN_RETURN_IF_ERROR(copy_dims(arena, type, &out->buffers[i].dims));
    out->types[i] = TN_FFI_BUFFER;
  }
  return TN_OK;
}
