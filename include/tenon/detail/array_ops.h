// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations on lazy arrays, with the names and semantics of mlx.core.
//
// Each takes the scope as its first parameter and returns a view that the scope owns (array.h).
// Operands broadcast as in NumPy; dtypes are promoted by tn_promote_types. A negative `axis` counts
// from the end. Lists are copied.
//
// C has no default arguments: pass them all. TN_DEFAULT(x) and the other annotations after
// parameters are notes for bindings to other languages, and expand to nothing (array.h).
#ifndef TENON_DETAIL_ARRAY_OPS_H_
#define TENON_DETAIL_ARRAY_OPS_H_

#include <tenon/detail/array.h>

TN_EXTERN_C_BEGIN

// As the `axis` of repeat, argmax, cumsum, sort, take and so on: the array is flattened first.
#define TN_ALL_AXES INT64_MAX

// --- elementwise functions of floats: integers and booleans are converted to float32

// Inverse cosine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_arccos(tn_scope_t* scope, tn_array_t* a);
// Inverse hyperbolic cosine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_arccosh(tn_scope_t* scope, tn_array_t* a);
// Inverse sine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_arcsin(tn_scope_t* scope, tn_array_t* a);
// Inverse hyperbolic sine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_arcsinh(tn_scope_t* scope, tn_array_t* a);
// Inverse tangent. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_arctan(tn_scope_t* scope, tn_array_t* a);
// Inverse hyperbolic tangent. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_arctanh(tn_scope_t* scope, tn_array_t* a);
// Cosine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_cos(tn_scope_t* scope, tn_array_t* a);
// Hyperbolic cosine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_cosh(tn_scope_t* scope, tn_array_t* a);
// Converts radians to degrees. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_degrees(tn_scope_t* scope, tn_array_t* a);
// Error function. Complex dtypes are not supported. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_erf(tn_scope_t* scope, tn_array_t* a);
// Inverse of the error function. Complex dtypes are not supported. Integers and booleans are
// converted to float32.
TN_API tn_array_t* tn_array_erfinv(tn_scope_t* scope, tn_array_t* a);
// Exponential function. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_exp(tn_scope_t* scope, tn_array_t* a);
// exp(a) - 1, accurate for small a. Complex dtypes are not supported. Integers and booleans are
// converted to float32.
TN_API tn_array_t* tn_array_expm1(tn_scope_t* scope, tn_array_t* a);
// Natural logarithm. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_log(tn_scope_t* scope, tn_array_t* a);
// Logarithm to base 10. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_log10(tn_scope_t* scope, tn_array_t* a);
// log(1 + a), accurate for small a. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_log1p(tn_scope_t* scope, tn_array_t* a);
// Logarithm to base 2. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_log2(tn_scope_t* scope, tn_array_t* a);
// Converts degrees to radians. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_radians(tn_scope_t* scope, tn_array_t* a);
// 1 / a. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_reciprocal(tn_scope_t* scope, tn_array_t* a);
// 1 / sqrt(a). Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_rsqrt(tn_scope_t* scope, tn_array_t* a);
// Logistic function, 1 / (1 + exp(-a)). Complex dtypes are not supported. Integers and booleans are
// converted to float32.
TN_API tn_array_t* tn_array_sigmoid(tn_scope_t* scope, tn_array_t* a);
// Sine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_sin(tn_scope_t* scope, tn_array_t* a);
// Hyperbolic sine. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_sinh(tn_scope_t* scope, tn_array_t* a);
// Square root. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_sqrt(tn_scope_t* scope, tn_array_t* a);
// Tangent. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_tan(tn_scope_t* scope, tn_array_t* a);
// Hyperbolic tangent. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_tanh(tn_scope_t* scope, tn_array_t* a);
// Angle of the point (b, a), in radians: arctan(a / b) in the correct quadrant. Complex dtypes are
// not supported. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_arctan2(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a / b. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_divide(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// log(exp(a) + exp(b)), without overflow. Integers and booleans are converted to float32.
TN_API tn_array_t* tn_array_logaddexp(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);

// --- elementwise functions that keep the dtype

// Absolute value; of complex arrays it is real.
TN_API tn_array_t* tn_array_abs(tn_scope_t* scope, tn_array_t* a);
// Inverts all bits: integers and booleans.
TN_API tn_array_t* tn_array_bitwise_invert(tn_scope_t* scope, tn_array_t* a);
// Rounds up. Complex dtypes are not supported.
TN_API tn_array_t* tn_array_ceil(tn_scope_t* scope, tn_array_t* a);
// Complex conjugate.
TN_API tn_array_t* tn_array_conjugate(tn_scope_t* scope, tn_array_t* a);
// Rounds down. Complex dtypes are not supported.
TN_API tn_array_t* tn_array_floor(tn_scope_t* scope, tn_array_t* a);
// Imaginary part, a real array.
TN_API tn_array_t* tn_array_imag(tn_scope_t* scope, tn_array_t* a);
// -a. Booleans are not supported.
TN_API tn_array_t* tn_array_negative(tn_scope_t* scope, tn_array_t* a);
// a itself.
TN_API tn_array_t* tn_array_positive(tn_scope_t* scope, tn_array_t* a);
// Real part, a real array.
TN_API tn_array_t* tn_array_real(tn_scope_t* scope, tn_array_t* a);
// -1, 0 or 1; for complex arrays a / abs(a), or 0.
TN_API tn_array_t* tn_array_sign(tn_scope_t* scope, tn_array_t* a);
// a * a.
TN_API tn_array_t* tn_array_square(tn_scope_t* scope, tn_array_t* a);
// Rounds toward zero. Complex dtypes are not supported.
TN_API tn_array_t* tn_array_trunc(tn_scope_t* scope, tn_array_t* a);
// Rounds to multiples of 10^-decimals, ties to even.
TN_API tn_array_t* tn_array_round(tn_scope_t* scope, tn_array_t* a, int decimals TN_DEFAULT(0));
// a + b.
TN_API tn_array_t* tn_array_add(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Bitwise conjunction of integers or booleans.
TN_API tn_array_t* tn_array_bitwise_and(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Bitwise disjunction of integers or booleans.
TN_API tn_array_t* tn_array_bitwise_or(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Bitwise exclusive disjunction of integers or booleans.
TN_API tn_array_t* tn_array_bitwise_xor(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a / b, rounded down. Complex dtypes are not supported. Integer division by 0 is not an error; its
// result is unspecified.
TN_API tn_array_t* tn_array_floor_divide(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a * 2^b: integers and booleans. Shifts by the bit width or more give 0.
TN_API tn_array_t* tn_array_left_shift(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// The larger element of each pair. NaNs propagate.
TN_API tn_array_t* tn_array_maximum(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// The smaller element of each pair. NaNs propagate.
TN_API tn_array_t* tn_array_minimum(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a * b.
TN_API tn_array_t* tn_array_multiply(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a to the power of b.
TN_API tn_array_t* tn_array_power(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Remainder of floor_divide, with the sign of b. Complex dtypes are not supported. Integer division
// by 0 is not an error; its result is unspecified.
TN_API tn_array_t* tn_array_remainder(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a / 2^b, rounded down: integers and booleans. Arithmetic for signed dtypes; shifts by the bit
// width or more keep only the sign.
TN_API tn_array_t* tn_array_right_shift(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a - b.
TN_API tn_array_t* tn_array_subtract(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Quotient (floor_divide) and remainder.
TN_API void tn_array_divmod(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                            tn_array_t** out_quotient, tn_array_t** out_remainder);

// --- comparisons and logic: the result is boolean
//
// Complex numbers are ordered lexicographically: by real part, then by imaginary part. In logic,
// nonzero elements are true.

// a == b.
TN_API tn_array_t* tn_array_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a > b.
TN_API tn_array_t* tn_array_greater(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a >= b.
TN_API tn_array_t* tn_array_greater_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a < b.
TN_API tn_array_t* tn_array_less(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a <= b.
TN_API tn_array_t* tn_array_less_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// a != b.
TN_API tn_array_t* tn_array_not_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Whether a and b are both true.
TN_API tn_array_t* tn_array_logical_and(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Whether a, b or both are true.
TN_API tn_array_t* tn_array_logical_or(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Whether one of a and b is true, and the other one false.
TN_API tn_array_t* tn_array_logical_xor(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Whether a is false.
TN_API tn_array_t* tn_array_logical_not(tn_scope_t* scope, tn_array_t* a);
// Whether elements are neither infinite nor NaN.
TN_API tn_array_t* tn_array_isfinite(tn_scope_t* scope, tn_array_t* a);
// Whether elements are infinite.
TN_API tn_array_t* tn_array_isinf(tn_scope_t* scope, tn_array_t* a);
// Whether elements are NaN.
TN_API tn_array_t* tn_array_isnan(tn_scope_t* scope, tn_array_t* a);
// Whether elements are negative infinity.
TN_API tn_array_t* tn_array_isneginf(tn_scope_t* scope, tn_array_t* a);
// Whether elements are positive infinity.
TN_API tn_array_t* tn_array_isposinf(tn_scope_t* scope, tn_array_t* a);
// abs(a - b) <= atol + rtol * abs(b), or equal infinities; with equal_nan NaNs compare equal.
TN_API tn_array_t* tn_array_isclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                    double rtol TN_DEFAULT(1e-5), double atol TN_DEFAULT(1e-8),
                                    bool equal_nan TN_DEFAULT(false));
// Whether all elements are close (isclose).
TN_API tn_array_t* tn_array_allclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                     double rtol TN_DEFAULT(1e-5), double atol TN_DEFAULT(1e-8),
                                     bool equal_nan TN_DEFAULT(false));
// Whether shapes and all elements are equal; with equal_nan NaNs compare equal.
TN_API tn_array_t* tn_array_array_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                        bool equal_nan TN_DEFAULT(false));

// --- choices and conversions

// Elements of x where the condition is nonzero, otherwise elements of y; x and y are promoted.
TN_API tn_array_t* tn_array_where(tn_scope_t* scope, tn_array_t* condition, tn_array_t* x,
                                  tn_array_t* y);
// Limits elements to [a_min, a_max]; NULL: unbounded.
TN_API tn_array_t* tn_array_clip(tn_scope_t* scope, tn_array_t* a,
                                 tn_array_t* a_min TN_DEFAULT(NULL),
                                 tn_array_t* a_max TN_DEFAULT(NULL));
// Replaces NaN and infinities. `posinf` and `neginf` NULL: the largest and smallest finite values
// of the dtype.
TN_API tn_array_t* tn_array_nan_to_num(tn_scope_t* scope, tn_array_t* a, double nan TN_DEFAULT(0),
                                       const double* posinf TN_DEFAULT(NULL),
                                       const double* neginf TN_DEFAULT(NULL));
// Converts to another dtype. Floats are truncated to integers; values out of range saturate, and
// NaN becomes 0. Conversions to narrower integers keep the low bits. Complex to real takes the real
// part.
TN_API tn_array_t* tn_array_astype(tn_scope_t* scope, tn_array_t* a, tn_dtype_t dtype);
// Reinterprets the bytes as another dtype; the last dimension grows or shrinks if the sizes differ.
TN_API tn_array_t* tn_array_view(tn_scope_t* scope, tn_array_t* a, tn_dtype_t dtype);
// Converts to 8-bit floats (e4m3, finite, saturating), stored as uint8.
TN_API tn_array_t* tn_array_to_fp8(tn_scope_t* scope, tn_array_t* x);
// Converts from 8-bit floats (e4m3, finite), stored as uint8.
TN_API tn_array_t* tn_array_from_fp8(tn_scope_t* scope, tn_array_t* x,
                                     tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_BF16));

// --- shape manipulation without copies (reshape copies if no view is possible)

// Broadcasts to a shape, as NumPy does: dimensions of size 1 are repeated, and missing ones added
// at the front.
TN_API tn_array_t* tn_array_broadcast_to(tn_scope_t* scope, tn_array_t* a, size_t rank,
                                         const int64_t* dims);
// Broadcasts all arrays to their common shape; out_arrays may be `arrays`.
TN_API void tn_array_broadcast_arrays(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                      tn_array_t** out_arrays TN_COUNT(count));
// One dimension may be -1: it is inferred from the others.
TN_API tn_array_t* tn_array_reshape(tn_scope_t* scope, tn_array_t* a, size_t rank,
                                    const int64_t* dims);
// Merges the dimensions from start_axis to end_axis. A 0-d array becomes 1-d.
TN_API tn_array_t* tn_array_flatten(tn_scope_t* scope, tn_array_t* a,
                                    int64_t start_axis TN_DEFAULT(0),
                                    int64_t end_axis TN_DEFAULT(-1));
// Splits one dimension into several; one of them may be -1.
TN_API tn_array_t* tn_array_unflatten(tn_scope_t* scope, tn_array_t* a, int64_t axis, size_t rank,
                                      const int64_t* dims);
// Removes dimensions of size 1: those in `axes`, or all of them if `axes` is NULL.
TN_API tn_array_t* tn_array_squeeze(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                    const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL));
// Inserts dimensions of size 1 at `axes` of the result.
TN_API tn_array_t* tn_array_expand_dims(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                        const int64_t* axes TN_NAMED(axis));
// Adds dimensions of size 1 until there is at least 1.
TN_API tn_array_t* tn_array_atleast_1d(tn_scope_t* scope, tn_array_t* a);
// Adds dimensions of size 1 until there are at least 2.
TN_API tn_array_t* tn_array_atleast_2d(tn_scope_t* scope, tn_array_t* a);
// Adds dimensions of size 1 until there are at least 3.
TN_API tn_array_t* tn_array_atleast_3d(tn_scope_t* scope, tn_array_t* a);
// Dimension i of the result is dimension axes[i] of a; `axes` NULL reverses the dimensions.
TN_API tn_array_t* tn_array_transpose(tn_scope_t* scope, tn_array_t* a,
                                      const int64_t* axes TN_COUNT(rank(a)) TN_DEFAULT(NULL));
// Moves a dimension to another position; the others keep their order.
TN_API tn_array_t* tn_array_moveaxis(tn_scope_t* scope, tn_array_t* a, int64_t source,
                                     int64_t destination);
// Swaps two dimensions.
TN_API tn_array_t* tn_array_swapaxes(tn_scope_t* scope, tn_array_t* a, int64_t axis1,
                                     int64_t axis2);
// Swaps the last two dimensions.
TN_API tn_array_t* tn_array_matrix_transpose(tn_scope_t* scope, tn_array_t* a);
// Reverses the order of elements along `axes`, or along all axes if NULL.
TN_API tn_array_t* tn_array_flip(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                 const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL));
// a[starts[i] : stops[i] : strides[i]] along each axis, with Python's slice semantics: negative
// indices count from the end, and strides may be negative. `strides` NULL: all 1.
TN_API tn_array_t* tn_array_slice(tn_scope_t* scope, tn_array_t* a,
                                  const int64_t* starts TN_COUNT(rank(a)),
                                  const int64_t* stops TN_COUNT(rank(a)),
                                  const int64_t* strides TN_COUNT(rank(a)) TN_DEFAULT(NULL));
// The diagonal [i, i + offset] of two dimensions, as the last dimension of the result.
TN_API tn_array_t* tn_array_diagonal(tn_scope_t* scope, tn_array_t* a, int64_t offset TN_DEFAULT(0),
                                     int64_t axis1 TN_DEFAULT(0), int64_t axis2 TN_DEFAULT(1));
// Splits an axis into `sections` equal parts.
TN_API void tn_array_split(tn_scope_t* scope, tn_array_t* a, size_t sections,
                           int64_t axis TN_DEFAULT(0), tn_array_t** out_parts TN_COUNT(sections));
// Splits an axis at `indices` into index_count + 1 parts.
TN_API void tn_array_split_at(tn_scope_t* scope, tn_array_t* a, size_t index_count,
                              const int64_t* indices, int64_t axis TN_DEFAULT(0),
                              tn_array_t** out_parts TN_COUNT(index_count + 1));
// Splits an axis of size `count` into its elements.
TN_API void tn_array_unstack(tn_scope_t* scope, tn_array_t* a, int64_t axis, size_t count,
                             tn_array_t** out_parts TN_COUNT(count));

// --- shape manipulation with copies

// A row-major copy, or a itself if it is row-major already.
TN_API tn_array_t* tn_array_contiguous(tn_scope_t* scope, tn_array_t* a);
// Element [i, j, ...] of the result is element offset + i * strides[0] + j * strides[1] + ... of
// the flattened a. Strides and offset are in elements.
TN_API tn_array_t* tn_array_as_strided(tn_scope_t* scope, tn_array_t* a, size_t rank,
                                       const int64_t* dims, const int64_t* strides TN_COUNT(rank),
                                       int64_t offset TN_DEFAULT(0));
// Joins arrays along an existing axis; dtypes are promoted.
TN_API tn_array_t* tn_array_concatenate(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                        int64_t axis TN_DEFAULT(0));
// Joins arrays along a new axis.
TN_API tn_array_t* tn_array_stack(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                  int64_t axis TN_DEFAULT(0));
// Coordinate grids from 1-D arrays, with "xy" indexing, or "ij" if matrix_indexing is set. sparse:
// the results are not broadcast.
TN_API void tn_array_meshgrid(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                              bool sparse TN_DEFAULT(false), bool matrix_indexing TN_DEFAULT(false),
                              tn_array_t** out_arrays TN_COUNT(count));
// Rotates by shift[i] along axes[i]; `axes` NULL: the flattened array, by the sum of the shifts.
TN_API tn_array_t* tn_array_roll(tn_scope_t* scope, tn_array_t* a, size_t count,
                                 const int64_t* shift,
                                 const int64_t* axes TN_NAMED(axis) TN_COUNT(count)
                                     TN_DEFAULT(NULL));
// Repeats each element along an axis, or of the flattened array (TN_ALL_AXES).
TN_API tn_array_t* tn_array_repeat(tn_scope_t* scope, tn_array_t* array, int64_t repeats,
                                   int64_t axis TN_DEFAULT(TN_ALL_AXES));
// Repeats the whole array, reps[i] times along each of the last axes.
TN_API tn_array_t* tn_array_tile(tn_scope_t* scope, tn_array_t* a, size_t count,
                                 const int64_t* reps);
typedef enum tn_pad_mode {
  TN_PAD_CONSTANT = 0,
  TN_PAD_EDGE,       // repeats the edge element
  TN_PAD_REFLECT,    // mirrors without repeating the edge element
  TN_PAD_SYMMETRIC,  // mirrors and repeats the edge element
} tn_pad_mode_t;
// Adds low[i] elements before and high[i] elements after axis i; `constant_values` (a scalar, NULL:
// 0) is for TN_PAD_CONSTANT.
TN_API tn_array_t* tn_array_pad(tn_scope_t* scope, tn_array_t* a,
                                const int64_t* low TN_COUNT(rank(a)),
                                const int64_t* high TN_COUNT(rank(a)),
                                tn_pad_mode_t mode TN_DEFAULT(TN_PAD_CONSTANT),
                                tn_array_t* constant_values TN_DEFAULT(NULL));
// The n-th discrete difference along an axis.
TN_API tn_array_t* tn_array_diff(tn_scope_t* scope, tn_array_t* a, int64_t n TN_DEFAULT(1),
                                 int64_t axis TN_DEFAULT(-1));
// The lower triangle of the last two dimensions, up to diagonal k.
TN_API tn_array_t* tn_array_tril(tn_scope_t* scope, tn_array_t* x, int64_t k TN_DEFAULT(0));
// The upper triangle of the last two dimensions, from diagonal k.
TN_API tn_array_t* tn_array_triu(tn_scope_t* scope, tn_array_t* x, int64_t k TN_DEFAULT(0));
// Of a 1-D array: a matrix with these elements on diagonal k; of a matrix: its diagonal k.
TN_API tn_array_t* tn_array_diag(tn_scope_t* scope, tn_array_t* a, int64_t k TN_DEFAULT(0));

// --- reductions: over `axes`, or over all dimensions when `axes` is NULL

// Whether all elements are nonzero.
TN_API tn_array_t* tn_array_all(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                bool keepdims TN_DEFAULT(false));
// Whether any element is nonzero.
TN_API tn_array_t* tn_array_any(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                bool keepdims TN_DEFAULT(false));
// The number of nonzero elements, int32.
TN_API tn_array_t* tn_array_count_nonzero(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                          const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                          bool keepdims TN_DEFAULT(false));
// log(sum(exp(a))), without overflow. Integers are converted to float32.
TN_API tn_array_t* tn_array_logsumexp(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                      const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                      bool keepdims TN_DEFAULT(false));
// The largest element; of no elements an error. NaNs propagate.
TN_API tn_array_t* tn_array_max(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                bool keepdims TN_DEFAULT(false));
// The mean. Integers are converted to float32.
TN_API tn_array_t* tn_array_mean(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                 const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                 bool keepdims TN_DEFAULT(false));
// The median; of no elements an error. Integers are converted to float32.
TN_API tn_array_t* tn_array_median(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                   const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                   bool keepdims TN_DEFAULT(false));
// The smallest element; of no elements an error. NaNs propagate.
TN_API tn_array_t* tn_array_min(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                bool keepdims TN_DEFAULT(false));
// The product. Booleans and narrow integers are multiplied as int32 or uint32.
TN_API tn_array_t* tn_array_prod(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                 const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                 bool keepdims TN_DEFAULT(false));
// The sum. Booleans and narrow integers are added as int32 or uint32.
TN_API tn_array_t* tn_array_sum(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                bool keepdims TN_DEFAULT(false));
// Variance, with divisor count - ddof.
TN_API tn_array_t* tn_array_var(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                bool keepdims TN_DEFAULT(false), int64_t ddof TN_DEFAULT(0));
// Standard deviation: the square root of var.
TN_API tn_array_t* tn_array_std(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                bool keepdims TN_DEFAULT(false), int64_t ddof TN_DEFAULT(0));
// The smallest and the largest element.
TN_API void tn_array_minmax(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                            const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                            bool keepdims TN_DEFAULT(false), tn_array_t** out_min,
                            tn_array_t** out_max);
// The index (uint32) of the first largest element, or of the first NaN; by default of the flattened
// array.
TN_API tn_array_t* tn_array_argmax(tn_scope_t* scope, tn_array_t* a,
                                   int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                   bool keepdims TN_DEFAULT(false));
// The index (uint32) of the first smallest element, or of the first NaN; by default of the
// flattened array.
TN_API tn_array_t* tn_array_argmin(tn_scope_t* scope, tn_array_t* a,
                                   int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                   bool keepdims TN_DEFAULT(false));
// exp(a) / sum(exp(a)) over the axes. precise: 16-bit floats are computed in float32.
TN_API tn_array_t* tn_array_softmax(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                    const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                    bool precise TN_DEFAULT(false));
// The sum of a diagonal. `dtype` TN_DTYPE_INVALID: the dtype of a.
TN_API tn_array_t* tn_array_trace(tn_scope_t* scope, tn_array_t* a, int64_t offset TN_DEFAULT(0),
                                  int64_t axis1 TN_DEFAULT(0), int64_t axis2 TN_DEFAULT(1),
                                  tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_INVALID));

// --- cumulative reductions along an axis (TN_ALL_AXES: of the flattened array)
//
// reverse: from the end; inclusive: each result includes its own element.

// The largest element so far. NaNs propagate.
TN_API tn_array_t* tn_array_cummax(tn_scope_t* scope, tn_array_t* a,
                                   int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                   bool reverse TN_DEFAULT(false), bool inclusive TN_DEFAULT(true));
// The smallest element so far. NaNs propagate.
TN_API tn_array_t* tn_array_cummin(tn_scope_t* scope, tn_array_t* a,
                                   int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                   bool reverse TN_DEFAULT(false), bool inclusive TN_DEFAULT(true));
// The product of the elements so far. Booleans are multiplied as int32.
TN_API tn_array_t* tn_array_cumprod(tn_scope_t* scope, tn_array_t* a,
                                    int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                    bool reverse TN_DEFAULT(false),
                                    bool inclusive TN_DEFAULT(true));
// The sum of the elements so far. Booleans are added as int32.
TN_API tn_array_t* tn_array_cumsum(tn_scope_t* scope, tn_array_t* a,
                                   int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                   bool reverse TN_DEFAULT(false), bool inclusive TN_DEFAULT(true));
// log(cumsum(exp(a))), without overflow. Integers are converted to float32.
TN_API tn_array_t* tn_array_logcumsumexp(tn_scope_t* scope, tn_array_t* a,
                                         int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                         bool reverse TN_DEFAULT(false),
                                         bool inclusive TN_DEFAULT(true));

// --- sorting: along an axis (TN_ALL_AXES: of the flattened array); NaNs sort to the end

// Sorts in ascending order.
TN_API tn_array_t* tn_array_sort(tn_scope_t* scope, tn_array_t* a, int64_t axis TN_DEFAULT(-1));
// The indices (uint32) that would sort the array; stable.
TN_API tn_array_t* tn_array_argsort(tn_scope_t* scope, tn_array_t* a, int64_t axis TN_DEFAULT(-1));
// Partially sorts: element kth is in its sorted position, no element before it is larger, and none
// after it is smaller.
TN_API tn_array_t* tn_array_partition(tn_scope_t* scope, tn_array_t* a, int64_t kth,
                                      int64_t axis TN_DEFAULT(-1));
// The indices (uint32) that would partition the array.
TN_API tn_array_t* tn_array_argpartition(tn_scope_t* scope, tn_array_t* a, int64_t kth,
                                         int64_t axis TN_DEFAULT(-1));
// The k largest elements, in unspecified order.
TN_API tn_array_t* tn_array_topk(tn_scope_t* scope, tn_array_t* a, int64_t k,
                                 int64_t axis TN_DEFAULT(-1));
// The indices (uint32) at which to insert values into a sorted 1-D array: before equal elements, or
// after them (right).
TN_API tn_array_t* tn_array_searchsorted(tn_scope_t* scope, tn_array_t* sorted_sequence,
                                         tn_array_t* values, bool right TN_DEFAULT(false));

// The first `size` distinct elements of a in sorted order, padded with `fill_value` (NULL: the
// smallest element). Also the index of their first occurrence (uint32), the index of each element
// of a among them (uint32, with the shape of a), and their counts (int32); these three may be NULL.
TN_API void tn_array_unique(tn_scope_t* scope, tn_array_t* a, int64_t size,
                            tn_array_t* fill_value TN_DEFAULT(NULL), tn_array_t** out_values,
                            tn_array_t** out_index, tn_array_t** out_inverse,
                            tn_array_t** out_counts);

// --- indexing: by integers; negative indices count from the end
//
// An out-of-bounds index in an array is not an error, since elements are not known when the graph
// is built: reads clamp the index, and updates are dropped.

// Elements along an axis (TN_ALL_AXES: of the flattened array), which the dimensions of `indices`
// replace.
TN_API tn_array_t* tn_array_take(tn_scope_t* scope, tn_array_t* a, tn_array_t* indices,
                                 int64_t axis TN_DEFAULT(TN_ALL_AXES));
// Element [i, indices[i, j], ...]: an index along one axis, the element's own indices along the
// others.
TN_API tn_array_t* tn_array_take_along_axis(tn_scope_t* scope, tn_array_t* a, tn_array_t* indices,
                                            int64_t axis TN_DEFAULT(-1));
// How existing elements and updates are combined.
typedef enum tn_scatter_mode {
  TN_SCATTER_SET = 0,  // for duplicate indices, any of the updates
  TN_SCATTER_ADD,
  TN_SCATTER_SUBTRACT,
  TN_SCATTER_MULTIPLY,
  TN_SCATTER_DIVIDE,
  TN_SCATTER_MAXIMUM,
  TN_SCATTER_MINIMUM,
} tn_scatter_mode_t;
// a with `values` combined at the indices that take_along_axis would read.
TN_API tn_array_t* tn_array_put_along_axis(tn_scope_t* scope, tn_array_t* a, tn_array_t* indices,
                                           tn_array_t* values, int64_t axis TN_DEFAULT(TN_ALL_AXES),
                                           tn_scatter_mode_t mode TN_DEFAULT(TN_SCATTER_SET));

// One item of a NumPy indexing expression a[...], an element of a list: the struct will not grow.
typedef enum tn_index_kind {
  TN_INDEX_INTEGER,
  TN_INDEX_SLICE,
  TN_INDEX_NEW_AXIS,
  TN_INDEX_ELLIPSIS,
  TN_INDEX_ARRAY,  // of integers, or of booleans: a mask
} tn_index_kind_t;
#define TN_INDEX_OPEN INT64_MIN  // an omitted bound of a slice
typedef struct tn_index {
  tn_index_kind_t kind;
  int64_t start;  // INTEGER: the index; SLICE: the first index, or TN_INDEX_OPEN
  int64_t stop;   // SLICE
  int64_t step;   // SLICE; 0: 1
  tn_array_t* array;
} tn_index_t;
#define TN_AT(i) ((tn_index_t){.kind = TN_INDEX_INTEGER, .start = (i)})
#define TN_AT_ARRAY(indices) ((tn_index_t){.kind = TN_INDEX_ARRAY, .array = (indices)})
#define TN_SLICE(from, to) TN_SLICE_BY(from, to, 1)
#define TN_SLICE_BY(from, to, by) \
  ((tn_index_t){.kind = TN_INDEX_SLICE, .start = (from), .stop = (to), .step = (by)})
#define TN_ALL TN_SLICE(TN_INDEX_OPEN, TN_INDEX_OPEN)
#define TN_NEW_AXIS ((tn_index_t){.kind = TN_INDEX_NEW_AXIS})
#define TN_ELLIPSIS ((tn_index_t){.kind = TN_INDEX_ELLIPSIS})
// a[items] with NumPy's rules; a view unless an item is an array. An integer among arrays is
// treated as an array. A boolean mask covers as many dimensions of a as it has, with equal sizes,
// and selects the elements where it is true. The number of these decides the result's shape, so the
// mask is evaluated; a mask that depends on a tracer (tn_vmap, tn_closure_compile,
// tn_export_function) is an error.
TN_API tn_array_t* tn_array_index(tn_scope_t* scope, tn_array_t* a, size_t count,
                                  const tn_index_t* items);
// a with a[items] combined with updates, which broadcast to its shape and are converted to its
// dtype. A single mask over the first dimensions is not evaluated: the updates broadcast to each
// selected element, or are a list with one update for each selected element, in order; selected
// elements beyond its end are unchanged, and surplus updates are dropped. Other masks are as above.
TN_API tn_array_t* tn_array_index_update(tn_scope_t* scope, tn_array_t* a, size_t count,
                                         const tn_index_t* items, tn_array_t* updates,
                                         tn_scatter_mode_t mode);
// a with a slice of it (tn_array_slice) combined with updates, which broadcast to its shape.
TN_API tn_array_t* tn_array_slice_update(tn_scope_t* scope, tn_array_t* a, tn_array_t* updates,
                                         const int64_t* starts TN_COUNT(rank(a)),
                                         const int64_t* stops TN_COUNT(rank(a)),
                                         const int64_t* strides TN_COUNT(rank(a)) TN_DEFAULT(NULL),
                                         tn_scatter_mode_t mode TN_DEFAULT(TN_SCATTER_SET));

// A slice that starts at indices in an array, one for each of `axes`, clamped so that the slice is
// in bounds; it has `slice_size` along all axes.
TN_API tn_array_t* tn_array_slice_at(tn_scope_t* scope, tn_array_t* a, tn_array_t* start_indices,
                                     size_t axis_count, const int64_t* axes,
                                     const int64_t* slice_size TN_COUNT(rank(a)));
// a with the slice of the shape of `update` that starts at indices in an array, as in slice_at,
// replaced by it.
TN_API tn_array_t* tn_array_slice_update_at(tn_scope_t* scope, tn_array_t* a, tn_array_t* update,
                                            tn_array_t* start_indices, size_t axis_count,
                                            const int64_t* axes);

// --- products

// Matrix product; leading dimensions broadcast, and a 1-D operand is a row (a) or a column (b).
TN_API tn_array_t* tn_array_matmul(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// alpha * (a @ b) + beta * c, with the shape of a @ b.
TN_API tn_array_t* tn_array_addmm(tn_scope_t* scope, tn_array_t* c, tn_array_t* a, tn_array_t* b,
                                  double alpha TN_DEFAULT(1), double beta TN_DEFAULT(1));
// Products of the matrices a[lhs_indices] and b[rhs_indices], with indices into the flattened
// leading dimensions; NULL: all, in order.
TN_API tn_array_t* tn_array_gather_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                      tn_array_t* lhs_indices TN_DEFAULT(NULL),
                                      tn_array_t* rhs_indices TN_DEFAULT(NULL));
// a @ b for each pair [start, end) of segments, contracted over that range only.
TN_API tn_array_t* tn_array_segmented_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                         tn_array_t* segments);
// a @ b with block masks: each mask has one element (boolean, or a factor) for each block of the
// result, of a or of b; NULL: no mask.
TN_API tn_array_t* tn_array_block_masked_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                            int64_t block_size TN_DEFAULT(64),
                                            tn_array_t* mask_out TN_DEFAULT(NULL),
                                            tn_array_t* mask_lhs TN_DEFAULT(NULL),
                                            tn_array_t* mask_rhs TN_DEFAULT(NULL));
// Hadamard transform along the last axis, whose size is a power of 2, optionally times 12, 20 or
// 28; `scale` NULL: 1 / sqrt(size). Integers are converted to float32.
TN_API tn_array_t* tn_array_hadamard_transform(tn_scope_t* scope, tn_array_t* a,
                                               const double* scale TN_DEFAULT(NULL));
// Contraction over pairs of axes; NULL: the last axes of a and the first axes of b.
TN_API tn_array_t* tn_array_tensordot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                      size_t axis_count, const int64_t* a_axes TN_DEFAULT(NULL),
                                      const int64_t* b_axes TN_COUNT(axis_count) TN_DEFAULT(NULL));
// Products of the last axes of a and b, summed; of 1-D arrays the dot product.
TN_API tn_array_t* tn_array_inner(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Products of each element of a with each element of b, both flattened: a matrix.
TN_API tn_array_t* tn_array_outer(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Dot product of conj(a) with b along an axis.
TN_API tn_array_t* tn_array_vecdot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                   int64_t axis TN_DEFAULT(-1));
// Einstein summation: "ij,jk->ik" sums over the letters that are not in the output. "..." stands
// for broadcast dimensions. Without an arrow the output has the letters that appear once, in
// alphabetical order.
TN_API tn_array_t* tn_array_einsum(tn_scope_t* scope, const char* subscripts, size_t count,
                                   tn_array_t* const* operands);
// The contraction order that einsum uses: greedily the pair with the smallest product. Writes count
// - 1 pairs of indices into the list of remaining operands, the lower index first; both operands
// are removed from the list, and their product is appended. Errors are those of tn_array_einsum.
TN_API TN_MUST_USE tn_status_t tn_array_einsum_path(tn_scope_t* scope, const char* subscripts,
                                                    size_t count, tn_array_t* const* operands,
                                                    size_t (*out_pairs)[2]);
// Kronecker product.
TN_API tn_array_t* tn_array_kron(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);

// The same `count` arrays, with added dependencies: evaluating one of them evaluates `dependencies`
// first. Differentiation and vmap see the arrays only.
TN_API void tn_array_depends(tn_scope_t* scope, size_t count, tn_array_t* const* inputs,
                             size_t dependency_count, tn_array_t* const* dependencies,
                             tn_array_t** out_arrays TN_COUNT(count));

// --- convolutions: [batch, spatial..., channel] with [output channel, spatial..., channel]

// Lists have one entry for each spatial dimension; NULL: 1 for strides and dilations, 0 for
// padding, padding_low for padding_high.
typedef struct tn_convolution {
  size_t struct_size;  // sizeof(tn_convolution_t)
  const int64_t* stride TN_COUNT(rank(input) - 2) TN_DEFAULT(NULL);
  const int64_t* padding_low TN_COUNT(rank(input) - 2) TN_DEFAULT(NULL);  // may be negative
  const int64_t* padding_high TN_COUNT(rank(input) - 2) TN_DEFAULT(NULL);
  const int64_t* kernel_dilation TN_COUNT(rank(input) - 2) TN_DEFAULT(NULL);
  const int64_t* input_dilation TN_COUNT(rank(input) - 2) TN_DEFAULT(NULL);
  int64_t groups TN_DEFAULT(1);  // feature groups; 0: 1
  bool flip TN_DEFAULT(false);   // reverse the kernel
} tn_convolution_t;
// Convolution, and correlation if the kernel is not flipped. `options` NULL: all defaults.
TN_API tn_array_t* tn_array_conv_general(tn_scope_t* scope, tn_array_t* input, tn_array_t* weight,
                                         const tn_convolution_t* options);
// Convolution over 1 spatial dimension, of `groups` feature groups.
TN_API tn_array_t* tn_array_conv1d(tn_scope_t* scope, tn_array_t* input, tn_array_t* weight,
                                   const int64_t* stride TN_COUNT(1) TN_DEFAULT(NULL),
                                   const int64_t* padding TN_COUNT(1) TN_DEFAULT(NULL),
                                   const int64_t* dilation TN_COUNT(1) TN_DEFAULT(NULL),
                                   int64_t groups TN_DEFAULT(1));
// Convolution over 2 spatial dimensions, of `groups` feature groups.
TN_API tn_array_t* tn_array_conv2d(tn_scope_t* scope, tn_array_t* input, tn_array_t* weight,
                                   const int64_t* stride TN_COUNT(2) TN_DEFAULT(NULL),
                                   const int64_t* padding TN_COUNT(2) TN_DEFAULT(NULL),
                                   const int64_t* dilation TN_COUNT(2) TN_DEFAULT(NULL),
                                   int64_t groups TN_DEFAULT(1));
// Convolution over 3 spatial dimensions, of `groups` feature groups.
TN_API tn_array_t* tn_array_conv3d(tn_scope_t* scope, tn_array_t* input, tn_array_t* weight,
                                   const int64_t* stride TN_COUNT(3) TN_DEFAULT(NULL),
                                   const int64_t* padding TN_COUNT(3) TN_DEFAULT(NULL),
                                   const int64_t* dilation TN_COUNT(3) TN_DEFAULT(NULL),
                                   int64_t groups TN_DEFAULT(1));
// Transposed convolution over 1 spatial dimension; the output has output_padding additional
// elements at the end.
TN_API tn_array_t* tn_array_conv_transpose1d(tn_scope_t* scope, tn_array_t* input,
                                             tn_array_t* weight,
                                             const int64_t* stride TN_COUNT(1) TN_DEFAULT(NULL),
                                             const int64_t* padding TN_COUNT(1) TN_DEFAULT(NULL),
                                             const int64_t* dilation TN_COUNT(1) TN_DEFAULT(NULL),
                                             const int64_t* output_padding TN_COUNT(1)
                                                 TN_DEFAULT(NULL),
                                             int64_t groups TN_DEFAULT(1));
// Transposed convolution over 2 spatial dimensions; the output has output_padding additional
// elements at the end.
TN_API tn_array_t* tn_array_conv_transpose2d(tn_scope_t* scope, tn_array_t* input,
                                             tn_array_t* weight,
                                             const int64_t* stride TN_COUNT(2) TN_DEFAULT(NULL),
                                             const int64_t* padding TN_COUNT(2) TN_DEFAULT(NULL),
                                             const int64_t* dilation TN_COUNT(2) TN_DEFAULT(NULL),
                                             const int64_t* output_padding TN_COUNT(2)
                                                 TN_DEFAULT(NULL),
                                             int64_t groups TN_DEFAULT(1));
// Transposed convolution over 3 spatial dimensions; the output has output_padding additional
// elements at the end.
TN_API tn_array_t* tn_array_conv_transpose3d(tn_scope_t* scope, tn_array_t* input,
                                             tn_array_t* weight,
                                             const int64_t* stride TN_COUNT(3) TN_DEFAULT(NULL),
                                             const int64_t* padding TN_COUNT(3) TN_DEFAULT(NULL),
                                             const int64_t* dilation TN_COUNT(3) TN_DEFAULT(NULL),
                                             const int64_t* output_padding TN_COUNT(3)
                                                 TN_DEFAULT(NULL),
                                             int64_t groups TN_DEFAULT(1));
typedef enum tn_convolve_mode {
  TN_CONVOLVE_FULL = 0,
  TN_CONVOLVE_SAME,
  TN_CONVOLVE_VALID,
} tn_convolve_mode_t;
// Discrete convolution of two 1-D arrays.
TN_API tn_array_t* tn_array_convolve(tn_scope_t* scope, tn_array_t* a, tn_array_t* v,
                                     tn_convolve_mode_t mode TN_DEFAULT(TN_CONVOLVE_FULL));

// --- creation

// An array filled with `vals`, which broadcasts to the shape.
TN_API tn_array_t* tn_array_full(tn_scope_t* scope, size_t rank, const int64_t* dims,
                                 tn_array_t* vals);
// Zeros.
TN_API tn_array_t* tn_array_zeros(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                  size_t rank, const int64_t* dims) TN_ORDER(shape, dtype);
// Ones.
TN_API tn_array_t* tn_array_ones(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                 size_t rank, const int64_t* dims) TN_ORDER(shape, dtype);
// An array whose elements are unspecified (currently zeros).
TN_API tn_array_t* tn_array_empty(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                  size_t rank, const int64_t* dims) TN_ORDER(shape, dtype);
// An array with the shape and dtype of a, whose elements are unspecified (currently zeros).
TN_API tn_array_t* tn_array_empty_like(tn_scope_t* scope, tn_array_t* a);
// An array with the shape and dtype of a, filled with `vals`.
TN_API tn_array_t* tn_array_full_like(tn_scope_t* scope, tn_array_t* a, tn_array_t* vals);
// Zeros with the shape and dtype of a.
TN_API tn_array_t* tn_array_zeros_like(tn_scope_t* scope, tn_array_t* a);
// Ones with the shape and dtype of a.
TN_API tn_array_t* tn_array_ones_like(tn_scope_t* scope, tn_array_t* a);
// start, start + step, ... up to but excluding stop.
TN_API tn_array_t* tn_array_arange(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                   double start, double stop, double step TN_DEFAULT(1))
    TN_ORDER(start, stop, step, dtype);
// `num` evenly spaced numbers from start to stop, which is included if endpoint is set.
TN_API tn_array_t* tn_array_linspace(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                     double start, double stop, int64_t num TN_DEFAULT(50),
                                     bool endpoint TN_DEFAULT(true))
    TN_ORDER(start, stop, num, endpoint, dtype);
// n rows and m columns with ones on diagonal k, zeros elsewhere.
TN_API tn_array_t* tn_array_eye(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                int64_t n, int64_t m, int64_t k TN_DEFAULT(0))
    TN_ORDER(n, m, k, dtype);
// The identity matrix of n rows.
TN_API tn_array_t* tn_array_identity(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                     int64_t n) TN_ORDER(n, dtype);
// n rows and m columns with ones on and below diagonal k, zeros elsewhere.
TN_API tn_array_t* tn_array_tri(tn_scope_t* scope, tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32),
                                int64_t n, int64_t m, int64_t k TN_DEFAULT(0))
    TN_ORDER(n, m, k, dtype);
// Bartlett window, float32: a triangle.
TN_API tn_array_t* tn_array_bartlett(tn_scope_t* scope, int64_t M);
// Blackman window, float32.
TN_API tn_array_t* tn_array_blackman(tn_scope_t* scope, int64_t M);
// Hamming window, float32.
TN_API tn_array_t* tn_array_hamming(tn_scope_t* scope, int64_t M);
// Hann window, float32.
TN_API tn_array_t* tn_array_hanning(tn_scope_t* scope, int64_t M);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_OPS_H_
