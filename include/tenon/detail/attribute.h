// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes of operations: named values that are known when a program is compiled.
#ifndef TENON_DETAIL_ATTRIBUTE_H_
#define TENON_DETAIL_ATTRIBUTE_H_

#include <stdbool.h>
#include <tenon/detail/dtype.h>

TN_EXTERN_C_BEGIN

typedef enum tn_attribute_kind {
  TN_ATTRIBUTE_BOOL = 1,
  TN_ATTRIBUTE_INTEGER,
  TN_ATTRIBUTE_FLOAT,
  TN_ATTRIBUTE_STRING,
  TN_ATTRIBUTE_ARRAY,       // elements of `dtype`
  TN_ATTRIBUTE_DICTIONARY,  // `entries`
} tn_attribute_kind_t;

// A named attribute; everything it points to is copied by the call that takes it. An element of a
// list: the struct will not grow.
typedef struct tn_attribute {
  const char* name;
  tn_attribute_kind_t kind;
  tn_dtype_t dtype;  // INTEGER, FLOAT, ARRAY
  int64_t integer;   // BOOL, INTEGER
  double real;       // FLOAT
  const void* data;  // STRING: bytes; ARRAY: elements as in memory
  size_t count;      // STRING: bytes; ARRAY: elements; DICTIONARY: entries
  const struct tn_attribute* entries;
} tn_attribute_t;

// Attributes of one value.
static inline tn_attribute_t tn_attribute_float(const char* name, tn_dtype_t dtype, double value) {
  tn_attribute_t attribute = {name, TN_ATTRIBUTE_FLOAT, dtype, 0, value, NULL, 0, NULL};
  return attribute;
}
static inline tn_attribute_t tn_attribute_integer(const char* name, tn_dtype_t dtype,
                                                  int64_t value) {
  tn_attribute_t attribute = {name, TN_ATTRIBUTE_INTEGER, dtype, value, 0, NULL, 0, NULL};
  return attribute;
}
static inline tn_attribute_t tn_attribute_string(const char* name, const char* data,
                                                 size_t length) {
  tn_attribute_t attribute = {name, TN_ATTRIBUTE_STRING, TN_DTYPE_INVALID, 0, 0, data, length,
                              NULL};
  return attribute;
}
static inline tn_attribute_t tn_attribute_bool(const char* name, bool value) {
  tn_attribute_t attribute = {name, TN_ATTRIBUTE_BOOL, TN_DTYPE_PRED, value, 0, NULL, 0, NULL};
  return attribute;
}
// `count` elements of the dtype, as in memory.
static inline tn_attribute_t tn_attribute_array(const char* name, tn_dtype_t dtype,
                                                const void* data, size_t count) {
  tn_attribute_t attribute = {name, TN_ATTRIBUTE_ARRAY, dtype, 0, 0, data, count, NULL};
  return attribute;
}
static inline tn_attribute_t tn_attribute_dictionary(const char* name,
                                                     const tn_attribute_t* entries, size_t count) {
  tn_attribute_t attribute = {name,   TN_ATTRIBUTE_DICTIONARY, TN_DTYPE_INVALID, 0, 0, NULL, count,
                              entries};
  return attribute;
}

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ATTRIBUTE_H_
