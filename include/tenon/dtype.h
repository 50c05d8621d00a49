// Element types: the numbers, names and sizes of dtype.def.
#ifndef TENON_DTYPE_H_
#define TENON_DTYPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/export.h>

TN_EXTERN_C_BEGIN

typedef enum tn_dtype {
  TN_DTYPE_INVALID = 0,
#define TN_DTYPE(name, number, mlir, numpy, bits, kind) TN_DTYPE_##name = number,
#include <tenon/dtype.def>
#undef TN_DTYPE
  TN_DTYPE_LIMIT = 103,  // every dtype is below this
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

TN_API bool tn_dtype_is_valid(int dtype);
TN_API const char* tn_dtype_name(
    tn_dtype_t dtype);  // StableHLO's spelling: "f32"; "invalid" when it is none
TN_API const char* tn_dtype_numpy_name(tn_dtype_t dtype);  // NumPy's or ml_dtypes' name: "float32"
TN_API tn_kind_t tn_dtype_kind(tn_dtype_t dtype);
TN_API uint32_t tn_dtype_bit_width(tn_dtype_t dtype);
TN_API size_t tn_dtype_size(tn_dtype_t dtype);  // bytes one element takes in memory; 0 for tokens
TN_API tn_dtype_t tn_dtype_from_name(const char* name,
                                     size_t length);  // StableHLO or NumPy name; INVALID if none

// One element in memory, as a number. Every float but those of 64 bits is exact either way; storing
// rounds to nearest, ties to even. Integers: the nearest double; storing cuts off what is behind
// the point and saturates. Booleans are 0 and 1. Complex: the real part; storing makes the other 0.
// 0 and nothing for what has no elements.
TN_API double tn_dtype_load(tn_dtype_t dtype, const void* element);
TN_API void tn_dtype_store(tn_dtype_t dtype, double value, void* element);

// How many representable numbers lie between two elements, and one more: 0 for equal ones, of which
// +0 and -0 are two and all NaNs are. UINT64_MAX when one of them is NaN, or infinite and the other
// is not. Of integers the difference; of complex numbers the worse part.
TN_API uint64_t tn_dtype_ulps_between(tn_dtype_t dtype, const void* a, const void* b);

TN_EXTERN_C_END

#endif  // TENON_DTYPE_H_
