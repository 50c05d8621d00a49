// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes of the IR as handlers of XLA's FFI read them.
#ifndef TENON_CALL_ATTRIBUTES_H_
#define TENON_CALL_ATTRIBUTES_H_

#include "base/names.h"
#include "call/abi.h"
#include "ops/attr.h"

// What was built for one program so far.
typedef struct tn_built_attributes {
  tn_names_t large;        // large attributes, by their address
  size_t splat_byte_size;  // of arrays that the program writes as one element
} tn_built_attributes_t;

// Fills *out, sorted by name as the dictionary is. Everything in it lives in `arena`, the contents
// of strings and arrays copied. Scalars keep their type; i1 is PRED; true and a bare key are PRED,
// too; dense tensors and arrays are arrays of their elements, a tensor of rank 0 one of 1.
// UNIMPLEMENTED, with the attribute's name, for what the ABI cannot say: types, symbols, attributes
// of other dialects, lists of mixed things. RESOURCE_EXHAUSTED for more than TN_LIMIT_SPLAT_BYTES.
//
// Large attributes that are mentioned again share what was built for them, also in later calls with
// the same `arena` and `built` (NULL: in this call alone).
TN_MUST_USE tn_status_t tn__attributes_build(tn_arena_t* arena, tn_built_attributes_t* built,
                                             const tn_attr_dictionary_t* dictionary,
                                             tn_ffi_attrs_t* out);

// The number that a dtype has in the ABI, 0 when it has none. index is s64.
tn_ffi_dtype_t tn__ffi_dtype(tn_dtype_t dtype);

#endif  // TENON_CALL_ATTRIBUTES_H_
