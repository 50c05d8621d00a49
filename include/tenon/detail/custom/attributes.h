// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes and variadic values: converted to C types, with and without a signature.
#ifndef TENON_DETAIL_CUSTOM_ATTRIBUTES_H_
#define TENON_DETAIL_CUSTOM_ATTRIBUTES_H_

#include <tenon/detail/custom/error.h>

TN__INLINE tn_arg_any_t tn__remaining(tn_remaining_t remaining, int64_t index) {
  const tn_ffi_buffer_t* buffer =
      (const tn_ffi_buffer_t*)remaining.values->values[remaining.first + index];
  const tn_arg_any_t view = {buffer->data, buffer->dims, buffer->rank, buffer->dtype};
  return view;
}

static const tn_ffi_attrs_t tn__no_attrs = {TN_FFI_ATTRS_SIZE, NULL, 0, NULL, NULL, NULL};

// Converts a scalar to another type; false if that type cannot represent the value.
TN__APART bool tn__convert(tn_ffi_attr_t attr, tn_ffi_dtype_t dtype, void* out) {
  const tn_ffi_scalar_t* from = (const tn_ffi_scalar_t*)attr.value;
  if (from->dtype == TN_FFI_F32 && dtype == TN_FFI_F64) {
    float value;
    memcpy(&value, from->value, sizeof value);
    const double wide = value;
    return memcpy(out, &wide, sizeof wide) != NULL;
  }
  if (from->dtype == TN_FFI_F64 && dtype == TN_FFI_F32) {
    double value;
    memcpy(&value, from->value, sizeof value);
    const float narrow = (float)value;
    memcpy(out, &narrow, sizeof narrow);
    return (double)narrow == value || value != value;
  }
  if (from->dtype < TN_FFI_S8 || from->dtype > TN_FFI_U64 || dtype < TN_FFI_S8 ||
      dtype > TN_FFI_U64)
    return false;
  // Integers: the bits that the type keeps must represent the same number, including its sign.
  const bool from_signed = from->dtype <= TN_FFI_S64, to_signed = dtype <= TN_FFI_S64;
  const int from_shift = 64 - 8 * (int)tn_ffi_dtype_size(from->dtype),
            to_shift = 64 - 8 * (int)tn_ffi_dtype_size(dtype);
  uint64_t bits = 0;
  memcpy(&bits, from->value, tn_ffi_dtype_size(from->dtype));
  if (from_signed) bits = (uint64_t)((int64_t)(bits << from_shift) >> from_shift);
  const uint64_t kept = to_signed ? (uint64_t)((int64_t)(bits << to_shift) >> to_shift)
                                  : bits << to_shift >> to_shift;
  memcpy(out, &kept, tn_ffi_dtype_size(dtype));
  return kept == bits && (from_signed && (int64_t)bits < 0) == (to_signed && (int64_t)kept < 0);
}

// Scalar types of attributes: X(C type, NAME). For each: the set with its dtype, tn_span_TYPE_t,
// and decoders of a scalar without and with conversion and of an array.
// clang-format off
#define TN__SCALARS(X)                                                            \
  X(bool, PRED) X(int8_t, S8) X(int16_t, S16) X(int32_t, S32) X(int64_t, S64)     \
  X(uint8_t, U8) X(uint16_t, U16) X(uint32_t, U32) X(uint64_t, U64) X(float, F32) \
  X(double, F64)
// clang-format on
#define TN__SCALAR(ctype, NAME)                                                                    \
  enum { tn_element_##ctype = TN_FFI_##NAME };                                                     \
  typedef struct tn_span_##ctype {                                                                 \
    const ctype* data;                                                                             \
    int64_t count;                                                                                 \
  } tn_span_##ctype##_t;                                                                           \
  TN__INLINE bool tn__exact_##ctype(const tn_ffi_attr_t* attr, ctype* out) {                       \
    const tn_ffi_scalar_t* scalar = (const tn_ffi_scalar_t*)attr->value;                           \
    if (TN__UNLIKELY(attr->type != TN_FFI_SCALAR) || TN__UNLIKELY(scalar->dtype != TN_FFI_##NAME)) \
      return false;                                                                                \
    memcpy(out, scalar->value, sizeof *out);                                                       \
    return true;                                                                                   \
  }                                                                                                \
  TN__INLINE bool tn__as_##ctype(const tn_ffi_attr_t* attr, ctype* out) {                          \
    if (TN__LIKELY(tn__exact_##ctype(attr, out))) return true;                                     \
    ctype                                                                                          \
        converted; /* so that the body's struct is not known outside and may live in registers */  \
    if (attr->type != TN_FFI_SCALAR || !tn__convert(*attr, TN_FFI_##NAME, &converted))             \
      return false;                                                                                \
    *out = converted;                                                                              \
    return true;                                                                                   \
  }                                                                                                \
  TN__INLINE bool tn__as_array_##ctype(const tn_ffi_attr_t* attr, tn_span_##ctype##_t* out) {      \
    const tn_ffi_array_t* array = (const tn_ffi_array_t*)attr->value;                              \
    if (attr->type != TN_FFI_ARRAY || array->dtype != TN_FFI_##NAME) return false;                 \
    out->data = (const ctype*)array->data;                                                         \
    out->count = (int64_t)array->count;                                                            \
    return true;                                                                                   \
  }
TN__SCALARS(TN__SCALAR)

TN__INLINE bool tn__as_string(const tn_ffi_attr_t* attr, tn_string_t* out) {
  const tn_ffi_bytes_t* bytes = (const tn_ffi_bytes_t*)attr->value;
  if (attr->type != TN_FFI_STRING) return false;
  out->data = bytes->data;
  out->size = bytes->size;
  return true;
}

TN__INLINE bool tn__as_dictionary(const tn_ffi_attr_t* attr, tn_dictionary_t* out) {
  if (attr->type != TN_FFI_DICTIONARY) return false;
  out->attrs = (const tn_ffi_attrs_t*)attr->value;
  return true;
}

TN__INLINE bool tn__as_address(const tn_ffi_attr_t* attr, tn_address_t* out) {
  int64_t address = 0;
  if (!tn__exact_int64_t(attr, &address)) return false;
  *out = (tn_address_t)(intptr_t)address;
  return true;
}

// Reads an entry of a dictionary: tn_get(call, dictionary, "name", type, &value), where the type is
// that of a scalar, or string, address, dictionary, array(float).
#define tn_get(call, from, name, type, out) TN__GET_##type((call)->tn, from, name, out)
#define tn_has(from, name) tn__has((from).attrs, name)
TN__UNUSED bool tn__has(const tn_ffi_attrs_t* attrs, const char* name) {
  tn_ffi_attr_t found;
  return tn__find(attrs, name, 0, NULL, &found);
}
#define TN__GETTER(getter, decode, ctype, text)                                              \
  TN__COLD tn_status_t getter(const tn_call_t* call, tn_dictionary_t from, const char* name, \
                              ctype* out) {                                                  \
    tn_ffi_attr_t found = {0, NULL};                                                         \
    if (tn__find(from.attrs, name, 0, NULL, &found) && decode(&found, out)) return TN_OK;    \
    return tn__refuse_attr(call, NULL, from.attrs, name, text);                              \
  }
#define TN__GETTERS(ctype, NAME)                             \
  TN__GETTER(TN__GET_##ctype, tn__as_##ctype, ctype, #ctype) \
  TN__GETTER(TN__GET_array_##ctype, tn__as_array_##ctype, tn_span_##ctype##_t, "array(" #ctype ")")
#define TN__GET_array(T) TN__GET_array_##T
TN__SCALARS(TN__GETTERS)
TN__GETTER(TN__GET_string, tn__as_string, tn_string_t, "string")
TN__GETTER(TN__GET_address, tn__as_address, tn_address_t, "address")
TN__GETTER(TN__GET_dictionary, tn__as_dictionary, tn_dictionary_t, "dictionary")

// One of the variadic arguments or results: tn_get_arg(call, call->xs, i, f32, &x); `any` accepts
// every dtype.
#define tn_get_arg(call, from, index, word, out) \
  tn__get_value((call)->tn, from, index, tn_element_##word, 1 ? (out) : (tn_arg_##word##_t*)NULL)
#define tn_get_ret(call, from, index, word, out) \
  tn__get_value((call)->tn, from, index, tn_element_##word, 1 ? (out) : (tn_ret_##word##_t*)NULL)

TN__UNUSED tn_status_t tn__get_value(const tn_call_t* call, tn_remaining_t from, int64_t index,
                                     tn_ffi_dtype_t dtype, void* out) {
  if (index < 0 || index >= from.count) {
    return tn__error(call, TN_FFI_OUT_OF_RANGE,
                     "remaining value %" PRId64 " does not exist; expected an index below %" PRId64,
                     index, from.count);
  }
  const tn_arg_any_t view = tn__remaining(from, index);
  if (dtype != TN_FFI_INVALID && view.dtype != dtype) {
    return tn__error(call, TN_FFI_INVALID_ARGUMENT,
                     "remaining value %" PRId64 ": expected %s, found %s", index,
                     tn_ffi_dtype_name(dtype), tn_ffi_dtype_name(view.dtype));
  }
  memcpy(out, &view, sizeof view);
  return TN_OK;
}

#endif  // TENON_DETAIL_CUSTOM_ATTRIBUTES_H_
