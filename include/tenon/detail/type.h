// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Types of values: tensors, tuples, tokens. Immutable; owned by the module or builder that created
// them (views elsewhere).
#ifndef TENON_DETAIL_TYPE_H_
#define TENON_DETAIL_TYPE_H_

#include <tenon/detail/dtype.h>
#include <tenon/detail/status.h>

TN_EXTERN_C_BEGIN

enum {
  TN_MAX_RANK = 64,             // dimensions of one tensor
  TN_MAX_TYPE_DEPTH = 64,       // nesting of tuples
  TN_MAX_TYPE_PARTS = 1 << 20,  // tensors, tokens and tuples in one type
};

// A dimension that is unknown at compile time; prints as `?`.
#define TN_DIM_DYNAMIC INT64_MIN

typedef enum tn_type_kind {
  TN_TYPE_TENSOR = 1,
  TN_TYPE_TUPLE = 2,
  TN_TYPE_TOKEN = 3,
  TN_TYPE_FUTURE = 4,  // the result of async_start
} tn_type_kind_t;

typedef struct tn_type tn_type_t;

// Properties of types.
TN_API tn_type_kind_t tn_type_kind(const tn_type_t* type);
TN_API tn_dtype_t tn_type_dtype(const tn_type_t* type);  // tensors; TOKEN for tokens; else INVALID
TN_API size_t tn_type_rank(const tn_type_t* type);       // tensors; else 0
TN_API const int64_t* tn_type_dims(const tn_type_t* type);   // view of `rank` dimensions
TN_API size_t tn_type_element_count(const tn_type_t* type);  // tuples, futures; else 0
TN_API const tn_type_t* tn_type_element(const tn_type_t* type,
                                        size_t index);  // NULL if out of range

// Tensors and tokens inside `type`, in preorder: 1 for a tensor.
TN_API size_t tn_type_leaf_count(const tn_type_t* type);

// Same kind, dtype, dimensions, bounds and elements.
TN_API bool tn_type_equal(const tn_type_t* a, const tn_type_t* b);

// StableHLO's spelling, "tensor<2x3xf32>". snprintf's contract.
TN_API size_t tn_type_format(const tn_type_t* type, char* buffer, size_t capacity);

// Serialises the type in the wire format of XLA's ShapeProto; arrays have a row-major layout.
// Writes at most `capacity` bytes and returns the length; 0 for a type that XLA does not have.
TN_API size_t tn_type_serialize(const tn_type_t* type, void* buffer, size_t capacity);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_TYPE_H_
