// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Element types: values, names and sizes, from dtype.def.
#ifndef TENON_DETAIL_DTYPE_H_
#define TENON_DETAIL_DTYPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/detail/export.h>

TN_EXTERN_C_BEGIN

// TN_DTYPE_F32 is TN_FFI_F32 of <tenon/custom.h>, and so are the others.
typedef enum tn_dtype {
  TN_DTYPE_INVALID = 0,
#define TN_DTYPE(name, number, mlir, numpy, bits, kind) TN_DTYPE_##name = number,
#include <tenon/detail/dtype.def>
#undef TN_DTYPE
  TN_DTYPE_LIMIT = 103,  // all dtypes are below this value
} tn_dtype_t;

typedef enum tn_kind {
  TN_KIND_NONE = 0,
  TN_KIND_BOOL = 1 << 0,
  TN_KIND_SIGNED = 1 << 1,
  TN_KIND_UNSIGNED = 1 << 2,
  TN_KIND_FLOAT = 1 << 3,
  TN_KIND_COMPLEX = 1 << 4,
  TN_KIND_TOKEN = 1 << 5,
  // sets
  TN_KIND_INTEGER = TN_KIND_SIGNED | TN_KIND_UNSIGNED,
} tn_kind_t;

// Properties of dtypes.
TN_API bool tn_dtype_is_valid(int dtype);
TN_API const char* tn_dtype_name(
    tn_dtype_t dtype);  // StableHLO's spelling: "f32"; "invalid" for other values
TN_API const char* tn_dtype_numpy_name(tn_dtype_t dtype);  // NumPy's or ml_dtypes' name: "float32"
TN_API tn_kind_t tn_dtype_kind(tn_dtype_t dtype);
TN_API uint32_t tn_dtype_bit_width(tn_dtype_t dtype);
TN_API size_t tn_dtype_byte_size(tn_dtype_t dtype);  // bytes per element in memory; 0 for tokens
TN_API tn_dtype_t tn_dtype_from_name(const char* name,
                                     size_t length);  // StableHLO or NumPy name; INVALID if none

// Converts an element in memory to a double and back. Loads of floats are exact, and so are stores
// of values that the dtype can represent; other stores round to nearest, ties to even. Integers are
// loaded as the nearest double; stores truncate towards zero and saturate. Booleans are 0 and 1. Of
// complex numbers the real part is loaded; stores set the imaginary part to 0. Loads return 0 and
// stores do nothing for dtypes without elements.
TN_API double tn_dtype_load(tn_dtype_t dtype, const void* element);
TN_API void tn_dtype_store(tn_dtype_t dtype, double value, void* element);

// Elements that take less than a byte have one in memory, and a boolean is 0 or 1. Whether `count`
// elements are all such; always, for dtypes of whole bytes.
TN_API bool tn_dtype_are_values(tn_dtype_t dtype, const void* elements, size_t count);
// Makes them such: a boolean other than 0 becomes 1, and of others the lowest bits count, as they
// are packed elsewhere, with the sign in the upper ones. Buffers that Tenon creates of bytes from
// outside go through this; so must what writes to tn_buffer_create's memory.
TN_API void tn_dtype_make_values(tn_dtype_t dtype, void* elements, size_t count);

// The distance of two elements in representable values (ULPs): 0 for equal elements, among them +0
// and -0, and for two NaNs. UINT64_MAX if only one is NaN, or if they differ and one is infinite.
// For integers their difference; for complex numbers the larger distance of the two parts.
TN_API uint64_t tn_dtype_ulps_between(tn_dtype_t dtype, const void* a, const void* b);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_DTYPE_H_
