// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/element.h"
#include "text/bytecode/encodings.h"
#include "text/element_data.h"

// Booleans as one byte, all of them, or eight to a byte. A byte may be each of these where there
// are few: all ones and all zeros are a splat in any reading, anything else is packed.
static tn_status_t read_booleans(const tn_type_t* type, tn_string_view_t bytes, uint8_t* data) {
  size_t count = (size_t)tn__type_size(type);
  const uint8_t* source = (const uint8_t*)bytes.data;
  if (bytes.length == count && count > 1) {
    memcpy(data, source, count);
    tn__elements_tidy(TN_DTYPE_PRED, data, count);
    return TN_OK;
  }
  for (size_t i = 0; i < count; ++i) data[i] = source[i / 8] >> (i % 8) & 1;
  return TN_OK;
}

// How the bytes may be spread over elements.
static bool is_splat_of(const tn_type_t* type, tn_string_view_t bytes) {
  size_t count = (size_t)tn__type_size(type);
  if (count == 0 || bytes.length != tn_dtype_byte_size(type->dtype)) return false;
  if (type->dtype != TN_DTYPE_PRED) return true;
  uint8_t byte = (uint8_t)bytes.data[0];
  return count == 1 || count > 8 || byte == 0 || byte == UINT8_MAX;
}

tn_status_t tn__bytecode_elements(tn_bytecode_t* bytecode, const uint8_t* position,
                                  const tn_type_t* type, tn_string_view_t bytes,
                                  const tn_attr_t** out_attr) {
  tn_attr_t* attr = NULL;
  size_t length = tn__type_byte_size(type), size = tn_dtype_byte_size(type->dtype);
  bool is_splat = is_splat_of(type, bytes);
  bool is_packed = type->dtype == TN_DTYPE_PRED && length != 0 && bytes.length == (length + 7) / 8;
  *out_attr = NULL;
  if (!is_splat && !is_packed && bytes.length != length && !(length == 0 && bytes.length == size)) {
    return tn__bytecode_fail(bytecode, position,
                             "%zu bytes of data; %s needs %zu, or %zu for a splat", bytes.length,
                             TN_TYPE_TEXT(type), length, size);
  }
  TN_RETURN_IF_ERROR(tn__element_data_make(bytecode->arena, type, is_splat ? size : length, &attr));
  char* data = (char*)attr->elements.data;
  *out_attr = attr;
  if (length == 0) return TN_OK;
  if (is_splat) {
    memcpy(data, bytes.data, size);
    tn__elements_tidy(type->dtype, data, 1);
    attr->elements.splat = true;
    return TN_OK;
  }
  if (type->dtype == TN_DTYPE_PRED) {
    TN_RETURN_IF_ERROR(read_booleans(type, bytes, (uint8_t*)data));
  } else {
    memcpy(data, bytes.data, length);
    tn__elements_tidy(type->dtype, data, length);
  }
  tn__element_data_note_splat(attr);
  return TN_OK;
}
