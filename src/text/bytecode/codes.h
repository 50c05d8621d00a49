// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The numbers by which the encodings of the dialects builtin and vhlo are told apart.
#ifndef TENON_TEXT_BYTECODE_CODES_H_
#define TENON_TEXT_BYTECODE_CODES_H_

#include <tenon/detail/dtype.h>
#include "base/view.h"

#include "text/bytecode/version.h"

// Bits of the byte that says what an operation has.
enum {
  TN_HAS_DICTIONARY = 0x01,
  TN_HAS_RESULTS = 0x02,
  TN_HAS_OPERANDS = 0x04,
  TN_HAS_SUCCESSORS = 0x08,
  TN_HAS_REGIONS = 0x10,
  TN_HAS_USE_LISTS = 0x20,
  TN_HAS_PROPERTIES = 0x40,
};

// --- attributes

typedef enum tn_builtin_attr {
  TN_BUILTIN_ARRAY,
  TN_BUILTIN_DICTIONARY,
  TN_BUILTIN_STRING,
  TN_BUILTIN_TYPED_STRING,
  TN_BUILTIN_FLAT_SYMBOL,
  TN_BUILTIN_SYMBOL,
  TN_BUILTIN_TYPE_ATTR,
  TN_BUILTIN_UNIT,
  TN_BUILTIN_INTEGER_ATTR,
  TN_BUILTIN_FLOAT_ATTR,
  TN_BUILTIN_CALL_SITE,
  TN_BUILTIN_FILE_LINE_COLUMN,
  TN_BUILTIN_FUSED,
  TN_BUILTIN_FUSED_METADATA,
  TN_BUILTIN_NAMED_PLACE,
  TN_BUILTIN_UNKNOWN_PLACE,
  TN_BUILTIN_RESOURCE,
  TN_BUILTIN_DENSE_ARRAY,
  TN_BUILTIN_ELEMENTS,
} tn_builtin_attr_t;

typedef enum tn_vhlo_attr {
  TN_VHLO_ARRAY = 1,
  TN_VHLO_BOOLEAN,
  TN_VHLO_COMPARISON_DIRECTION,
  TN_VHLO_COMPARISON_TYPE,
  TN_VHLO_API_VERSION,
  TN_VHLO_DICTIONARY,
  TN_VHLO_FFT_TYPE,
  TN_VHLO_FLOAT,
  TN_VHLO_INTEGER,
  TN_VHLO_OUTPUT_OPERAND_ALIAS,
  TN_VHLO_PRECISION,
  TN_VHLO_RNG_ALGORITHM,
  TN_VHLO_RNG_DISTRIBUTION,
  TN_VHLO_STRING,
  TN_VHLO_ELEMENTS,
  TN_VHLO_TRANSPOSE,
  TN_VHLO_TYPE_ATTR,
  TN_VHLO_TYPE_EXTENSIONS,
  TN_VHLO_ACCURACY_MODE,
  TN_VHLO_ACCURACY,
  TN_VHLO_FIRST_MESH,
  TN_VHLO_LAST_MESH = 25,
} tn_vhlo_attr_t;

// The enumeration (enums.def) whose values an attribute of vhlo holds; NULL when it is none.
const char* tn__vhlo_enumeration(uint64_t code);
// The other way round; 0 when vhlo has none.
uint64_t tn__vhlo_enumeration_code(tn_string_view_t enumeration);

// --- types

typedef enum tn_builtin_type {
  TN_BUILTIN_INTEGER,
  TN_BUILTIN_INDEX,
  TN_BUILTIN_FUNCTION,
  TN_BUILTIN_BF16,
  TN_BUILTIN_F16,
  TN_BUILTIN_F32,
  TN_BUILTIN_F64,
  TN_BUILTIN_COMPLEX = 9,
  TN_BUILTIN_NONE = 12,
  TN_BUILTIN_TENSOR,
  TN_BUILTIN_ENCODED_TENSOR,
  TN_BUILTIN_TUPLE,
} tn_builtin_type_t;

// The element types that builtin encodes, but for complex ones. `detail` of an integer is its width
// times 4, and 2 when it is unsigned (1, when it says that it is signed, is read as none).
typedef struct tn_builtin_element {
  uint8_t code;
  uint16_t detail;  // 0: none
  tn_dtype_t dtype;
} tn_builtin_element_t;
// By what is in the file; INVALID when there is none.
tn_dtype_t tn__builtin_element_dtype(uint64_t code, uint64_t detail);
// NULL when builtin has none.
const tn_builtin_element_t* tn__builtin_element(tn_dtype_t dtype);

typedef enum tn_vhlo_type {
  TN_VHLO_COMPLEX = 1,
  TN_VHLO_FUNCTION = 8,
  TN_VHLO_TENSOR = 20,
  TN_VHLO_ENCODED_TENSOR = 21,
  TN_VHLO_TOKEN = 22,
  TN_VHLO_TUPLE = 23,
  TN_VHLO_QUANTIZED = 24,
  TN_VHLO_UNRANKED_TENSOR = 25,
  TN_VHLO_QUANTIZED_PER_AXIS = 30,
  TN_VHLO_NONE = 33,
  TN_VHLO_TF32 = 34,
  TN_VHLO_BUFFER = 41,
  TN_VHLO_FUTURE = 42,
} tn_vhlo_type_t;

// An element type, but for complex ones.
typedef struct tn_vhlo_element {
  uint8_t code;
  tn_dtype_t dtype;
  tn_artifact_version_t since;
} tn_vhlo_element_t;
// INVALID when there is none.
tn_dtype_t tn__vhlo_element_dtype(uint64_t code);
// NULL when vhlo has none.
const tn_vhlo_element_t* tn__vhlo_element(tn_dtype_t dtype);

#endif  // TENON_TEXT_BYTECODE_CODES_H_
