// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The bits of every floating-point element type, from one table: decoding to double is exact, and
// encoding from double rounds once, to nearest with ties to even.
#ifndef TENON_BASE_FLOAT_FORMAT_H_
#define TENON_BASE_FLOAT_FORMAT_H_

#include <stdbool.h>
#include <tenon/detail/dtype.h>

// What the highest exponent (and the sign bit of zero) stand for.
typedef enum tn_float_specials {
  TN_FLOAT_IEEE,         // infinities and NaNs
  TN_FLOAT_NAN_ONLY,     // all ones is NaN, of either sign; no infinity
  TN_FLOAT_NAN_IS_ZERO,  // the bits of -0 are the one NaN; neither infinity nor -0
  TN_FLOAT_FINITE,       // neither infinity nor NaN
  TN_FLOAT_POWERS,       // unsigned powers of two: no zero, all ones is NaN, no infinity
} tn_float_specials_t;

typedef struct tn_float_format {
  uint32_t bits;           // 0: the dtype is no float
  uint32_t exponent_bits;  // between the sign and the mantissa
  uint32_t mantissa_bits;  // without the implied one
  int32_t bias;
  tn_float_specials_t specials;
} tn_float_format_t;

// NULL for a dtype that is no float (a complex one is two of its parts).
const tn_float_format_t* tn__float_format(tn_dtype_t dtype);

// The value of the low `bits` bits. NaNs keep their sign and what fits of their payload.
double tn__float_decode(const tn_float_format_t* format, uint64_t bits);
// What is out of range becomes infinity, else NaN, else the largest value, whichever the format
// has. NaN becomes the format's NaN, or -0 where there is none. A format of powers takes its
// smallest value for what is too small and for zero, and NaN for what is negative.
uint64_t tn__float_encode(const tn_float_format_t* format, double value);

bool tn__float_bits_are_nan(const tn_float_format_t* format, uint64_t bits);
bool tn__float_bits_are_infinite(const tn_float_format_t* format, uint64_t bits);
// The largest finite magnitude.
uint64_t tn__float_largest_bits(const tn_float_format_t* format);

// One element of a float dtype in memory.
double tn__float_load(tn_dtype_t dtype, const void* element);
void tn__float_store(tn_dtype_t dtype, double value, void* element);

#endif  // TENON_BASE_FLOAT_FORMAT_H_
