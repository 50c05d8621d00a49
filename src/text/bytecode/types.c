// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/codes.h"
#include "text/bytecode/encodings.h"

// --- those of both dialects

static tn_status_t set_element(tn_encoded_type_t* type, tn_dtype_t dtype) {
  type->kind = TN_ENCODED_ELEMENT;
  type->element = dtype;
  return TN_OK;
}

static tn_status_t read_complex(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                tn_encoded_type_t* type) {
  const uint8_t* position = cursor->position;
  tn_dtype_t part = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__bytecode_element_type(bytecode, cursor, &part));
  if (part == TN_DTYPE_F32) return set_element(type, TN_DTYPE_C64);
  if (part == TN_DTYPE_F64) return set_element(type, TN_DTYPE_C128);
  return tn__bytecode_fail(bytecode, position, "a complex type of %s; expected f32 or f64",
                           tn_dtype_name(part));
}

// Types of values into `types`, which has room for `count`.
static tn_status_t read_types(tn_bytecode_t* bytecode, tn_cursor_t* cursor, size_t count,
                              const tn_type_t** types) {
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(tn__bytecode_value_type(bytecode, cursor, &types[i]));
  }
  return TN_OK;
}

static tn_status_t read_tuple(tn_bytecode_t* bytecode, tn_cursor_t* cursor, bool is_future,
                              tn_encoded_type_t* type) {
  const uint8_t* position = cursor->position;
  void* memory = NULL;
  size_t count = tn__cursor_count(cursor);
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(&bytecode->scratch, count, sizeof(tn_type_t*), &memory));
  TN_RETURN_IF_ERROR(read_types(bytecode, cursor, count, memory));
  type->kind = TN_ENCODED_VALUE;
  return tn__bytecode_locate(bytecode, position,
                             is_future
                                 ? tn__type_future(bytecode->arena, count, memory, &type->type)
                                 : tn__type_tuple(bytecode->arena, count, memory, &type->type));
}

static tn_status_t read_function(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                 tn_encoded_type_t* type) {
  void* memory = NULL;
  tn_cursor_t ahead = *cursor;  // to know both counts first
  type->argument_count = tn__cursor_count(&ahead);
  for (size_t i = 0; i < type->argument_count; ++i) tn__cursor_varint(&ahead);
  type->result_count = tn__cursor_count(&ahead);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &ahead, "a function type"));
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(
      &bytecode->scratch, type->argument_count + type->result_count, sizeof(tn_type_t*), &memory));
  type->kind = TN_ENCODED_FUNCTION;
  type->types = memory;
  tn__cursor_varint(cursor);
  TN_RETURN_IF_ERROR(read_types(bytecode, cursor, type->argument_count, type->types));
  tn__cursor_varint(cursor);
  return read_types(bytecode, cursor, type->result_count, type->types + type->argument_count);
}

// --- tensors

// The bounds of dynamic dimensions: an attribute that nothing else mentions.
static tn_status_t read_bounds(tn_bytecode_t* bytecode, uint64_t index, const uint8_t* position,
                               tn_type_t* type) {
  if (index >= bytecode->attr_count) {
    return tn__bytecode_fail(bytecode, position, "attribute %llu of %zu", (unsigned long long)index,
                             bytecode->attr_count);
  }
  const tn_encoded_t* encoded = &bytecode->attrs[index].encoded;
  tn_cursor_t cursor = tn__cursor(encoded->begin, encoded->begin + encoded->length);
  bool is_known = encoded->dialect == TN_DIALECT_VHLO && encoded->custom &&
                  tn__cursor_varint(&cursor) == TN_VHLO_TYPE_EXTENSIONS;
  if (!is_known) {
    return tn__bytecode_unsupported(bytecode, position,
                                    "only bounds are supported as a tensor's encoding");
  }
  size_t count = tn__cursor_count(&cursor);
  if (count != type->rank) {
    return tn__bytecode_fail(bytecode, encoded->begin, "%zu bounds for a tensor of rank %zu", count,
                             type->rank);
  }
  int64_t* bounds = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(bytecode->arena, count, &bounds));
  for (size_t i = 0; i < count; ++i) {
    bounds[i] = tn__cursor_signed_varint(&cursor);
    if (bounds[i] == TN_DIM_DYNAMIC) continue;
    if (bounds[i] < 0 || type->dims[i] != TN_DIM_DYNAMIC) {
      return tn__bytecode_fail(bytecode, encoded->begin, "dimension %zu cannot have the bound %lld",
                               i, (long long)bounds[i]);
    }
  }
  if (count) type->bounds = bounds;
  return tn__bytecode_check(bytecode, &cursor, "the bounds of a tensor");
}

static tn_status_t read_tensor(tn_bytecode_t* bytecode, tn_cursor_t* cursor, bool is_encoded,
                               tn_encoded_type_t* type) {
  int64_t dims[TN_MAX_RANK];
  const uint8_t* position = cursor->position;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  uint64_t encoding = is_encoded ? tn__cursor_varint(cursor) : 0;
  size_t rank = tn__cursor_count(cursor);
  if (rank > TN_MAX_RANK) {
    return tn__bytecode_fail(bytecode, position, "a tensor of rank %zu; at most %d is supported",
                             rank, TN_MAX_RANK);
  }
  // INT64_MIN, a dynamic dimension, is TN_DIM_DYNAMIC.
  for (size_t i = 0; i < rank; ++i) dims[i] = tn__cursor_signed_varint(cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_element_type(bytecode, cursor, &dtype));
  TN_RETURN_IF_ERROR(tn__bytecode_locate(
      bytecode, position, tn__type_tensor(bytecode->arena, dtype, rank, dims, &type->type)));
  type->kind = TN_ENCODED_VALUE;
  if (!is_encoded) return TN_OK;
  return read_bounds(bytecode, encoding, position, (tn_type_t*)type->type);  // still ours alone
}

// --- the dialects

static tn_status_t unsupported(tn_bytecode_t* bytecode, const uint8_t* position, const char* what) {
  return tn__bytecode_unsupported(bytecode, position, "%s are not supported", what);
}

static tn_status_t read_vhlo_type(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                  tn_encoded_type_t* type) {
  const uint8_t* position = cursor->position;
  uint64_t code = tn__cursor_varint(cursor);
  const tn_dtype_t element = tn__vhlo_element_dtype(code);
  if (element != TN_DTYPE_INVALID) return set_element(type, element);
  switch (code) {
    case TN_VHLO_COMPLEX: return read_complex(bytecode, cursor, type);
    case TN_VHLO_FUNCTION: return read_function(bytecode, cursor, type);
    case TN_VHLO_TENSOR: return read_tensor(bytecode, cursor, false, type);
    case TN_VHLO_ENCODED_TENSOR: return read_tensor(bytecode, cursor, true, type);
    case TN_VHLO_TUPLE: return read_tuple(bytecode, cursor, false, type);
    case TN_VHLO_TOKEN:
      type->kind = TN_ENCODED_VALUE;
      type->type = tn__type_token();
      return TN_OK;
    case TN_VHLO_NONE: return TN_OK;
    case TN_VHLO_TF32: type->kind = TN_ENCODED_TF32; return TN_OK;
    case TN_VHLO_QUANTIZED:
    case TN_VHLO_QUANTIZED_PER_AXIS: return unsupported(bytecode, position, "quantized types");
    case TN_VHLO_UNRANKED_TENSOR: return unsupported(bytecode, position, "tensors without a rank");
    case TN_VHLO_BUFFER: return unsupported(bytecode, position, "types of buffers");
    case TN_VHLO_FUTURE: return read_tuple(bytecode, cursor, true, type);
    default:
      return tn__bytecode_unsupported(bytecode, position, "type %llu of vhlo is not known",
                                      (unsigned long long)code);
  }
}

static tn_status_t read_builtin_type(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                     tn_encoded_type_t* type) {
  const uint8_t* position = cursor->position;
  uint64_t code = tn__cursor_varint(cursor);
  const uint64_t detail = code == TN_BUILTIN_INTEGER ? tn__cursor_varint(cursor) : 0;
  const tn_dtype_t element = tn__builtin_element_dtype(code, detail);
  if (element != TN_DTYPE_INVALID) return set_element(type, element);
  switch (code) {
    case TN_BUILTIN_INTEGER: return unsupported(bytecode, position, "such integers");
    case TN_BUILTIN_FUNCTION: return read_function(bytecode, cursor, type);
    case TN_BUILTIN_COMPLEX: return read_complex(bytecode, cursor, type);
    case TN_BUILTIN_NONE: return TN_OK;
    case TN_BUILTIN_TENSOR: return read_tensor(bytecode, cursor, false, type);
    case TN_BUILTIN_ENCODED_TENSOR: return read_tensor(bytecode, cursor, true, type);
    case TN_BUILTIN_TUPLE: return read_tuple(bytecode, cursor, false, type);
    default:
      return tn__bytecode_unsupported(bytecode, position, "type %llu of builtin is not supported",
                                      (unsigned long long)code);
  }
}

// Types without an encoding of their own are there as text; of those, element types are known.
static tn_status_t read_text_type(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                  tn_encoded_type_t* type) {
  const uint8_t* position = cursor->position;
  tn_string_view_t text = tn__cursor_text(cursor);
  tn_dtype_t dtype = text.length ? tn_dtype_from_name(text.data, text.length) : TN_DTYPE_INVALID;
  if (dtype != TN_DTYPE_INVALID && tn__sv_is(text, tn_dtype_name(dtype))) {
    return set_element(type, dtype);
  }
  return tn__bytecode_unsupported(bytecode, position, "type %.*s is not supported", TN_SV(text));
}

static tn_status_t read_type(tn_bytecode_t* bytecode, tn_encoded_type_t* type) {
  const tn_encoded_t* encoded = &type->encoded;
  tn_cursor_t cursor = tn__cursor(encoded->begin, encoded->begin + encoded->length);
  if (!encoded->custom) {
    TN_RETURN_IF_ERROR(read_text_type(bytecode, &cursor, type));
  } else if (encoded->dialect == TN_DIALECT_VHLO) {
    TN_RETURN_IF_ERROR(read_vhlo_type(bytecode, &cursor, type));
  } else if (encoded->dialect == TN_DIALECT_BUILTIN) {
    TN_RETURN_IF_ERROR(read_builtin_type(bytecode, &cursor, type));
  } else {
    return tn__bytecode_unsupported(bytecode, encoded->begin,
                                    "a type of a dialect that is not known");
  }
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "a type"));
  if (tn__cursor_done(&cursor)) return TN_OK;
  return tn__bytecode_fail(bytecode, cursor.position, "more bytes than the type has");
}

// --- entry points

tn_status_t tn__bytecode_type(tn_bytecode_t* bytecode, uint64_t index, const uint8_t* position,
                              const tn_encoded_type_t** out_type) {
  *out_type = NULL;
  if (index >= bytecode->type_count) {
    return tn__bytecode_fail(bytecode, position, "type %llu of %zu", (unsigned long long)index,
                             bytecode->type_count);
  }
  tn_encoded_type_t* type = &bytecode->types[index];
  *out_type = type;
  if (type->encoded.state == TN_ENCODED_READ) return TN_OK;
  if (type->encoded.state == TN_ENCODED_OPEN) {
    return tn__bytecode_fail(bytecode, position, "type %llu contains itself",
                             (unsigned long long)index);
  }
  TN_RETURN_IF_ERROR(tn__bytecode_enter(bytecode, position));
  type->encoded.state = TN_ENCODED_OPEN;
  TN_RETURN_IF_ERROR(read_type(bytecode, type));
  type->encoded.state = TN_ENCODED_READ;
  tn__bytecode_leave(bytecode);
  return TN_OK;
}

tn_status_t tn__bytecode_value_type_at(tn_bytecode_t* bytecode, uint64_t index,
                                       const uint8_t* position, const tn_type_t** out_type) {
  const tn_encoded_type_t* type = NULL;
  *out_type = NULL;
  TN_RETURN_IF_ERROR(tn__bytecode_type(bytecode, index, position, &type));
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
  if (type->kind != TN_ENCODED_VALUE) {
    return tn__bytecode_fail(bytecode, position, "type %llu is not that of a value",
                             (unsigned long long)index);
  }
  *out_type = type->type;
  return TN_OK;
}

tn_status_t tn__bytecode_value_type(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                    const tn_type_t** out_type) {
  const uint8_t* position = cursor->position;
  uint64_t index = tn__cursor_varint(cursor);
  *out_type = NULL;
  if (cursor->bad) return tn__bytecode_check(bytecode, cursor, "the number of a type");
  return tn__bytecode_value_type_at(bytecode, index, position, out_type);
}

tn_status_t tn__bytecode_element_type(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                      tn_dtype_t* out_dtype) {
  const uint8_t* position = cursor->position;
  uint64_t index = tn__cursor_varint(cursor);
  const tn_encoded_type_t* type = NULL;
  *out_dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "the number of a type"));
  TN_RETURN_IF_ERROR(tn__bytecode_type(bytecode, index, position, &type));
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
  if (type->kind != TN_ENCODED_ELEMENT) {
    return tn__bytecode_fail(bytecode, position, "type %llu is not that of an element",
                             (unsigned long long)index);
  }
  *out_dtype = type->element;
  return TN_OK;
}
