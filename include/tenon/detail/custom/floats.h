// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Conversion of the floats that C has no type for.
#ifndef TENON_DETAIL_CUSTOM_FLOATS_H_
#define TENON_DETAIL_CUSTOM_FLOATS_H_

#include <tenon/detail/custom/call.h>

// The small formats: bits of exponent and mantissa, bias, and special values.
enum { TN__IEEE, TN__NAN_ALL_ONES, TN__NAN_MINUS_ZERO, TN__FINITE };
typedef struct tn__format {
  tn_ffi_dtype_t dtype;
  int32_t exponent, mantissa, bias, kind;
} tn__format_t;
TN__UNUSED tn__format_t tn__format_of(tn_ffi_dtype_t dtype) {
  static const tn__format_t formats[] = {{TN_FFI_F16, 5, 10, 15, TN__IEEE},
                                         {TN_FFI_BF16, 8, 7, 127, TN__IEEE},
                                         {TN_FFI_F8E5M2, 5, 2, 15, TN__IEEE},
                                         {TN_FFI_F8E4M3, 4, 3, 7, TN__IEEE},
                                         {TN_FFI_F8E3M4, 3, 4, 3, TN__IEEE},
                                         {TN_FFI_F8E4M3FN, 4, 3, 7, TN__NAN_ALL_ONES},
                                         {TN_FFI_F8E4M3B11FNUZ, 4, 3, 11, TN__NAN_MINUS_ZERO},
                                         {TN_FFI_F8E4M3FNUZ, 4, 3, 8, TN__NAN_MINUS_ZERO},
                                         {TN_FFI_F8E5M2FNUZ, 5, 2, 16, TN__NAN_MINUS_ZERO},
                                         {TN_FFI_F4E2M1FN, 2, 1, 1, TN__FINITE}};

  size_t i = 0;
  while (i + 1 < sizeof formats / sizeof *formats && formats[i].dtype != dtype) ++i;
  return formats[i];
}

TN__INLINE double tn__power_of_two(int32_t exponent) {
  const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

// Conversion of f16, bf16 and all smaller floats from and to their bits (f8e8m0fnu, which is
// 2^(bits - 127), can only be read). Rounds to nearest, ties to even; overflow gives infinity, or
// NaN if the format has no infinity, or the largest value if it has no NaN.
TN__UNUSED float tn_float_read(tn_ffi_dtype_t dtype, uint32_t bits) {
  if (dtype == TN_FFI_F8E8M0FNU)
    return bits == 255 ? __builtin_nanf("") : (float)tn__power_of_two((int32_t)bits - 127);
  const tn__format_t f = tn__format_of(dtype);
  const uint32_t mask = (1u << f.mantissa) - 1, mantissa = bits & mask,
                 top = (1u << f.exponent) - 1;
  const uint32_t exponent = bits >> f.mantissa & top;
  const bool negative = bits >> (f.exponent + f.mantissa) & 1;
  if (f.kind == TN__NAN_MINUS_ZERO && negative && !exponent && !mantissa) return __builtin_nanf("");
  if (f.kind == TN__NAN_ALL_ONES && exponent == top && mantissa == mask) return __builtin_nanf("");
  if (f.kind == TN__IEEE && exponent == top && mantissa) return __builtin_nanf("");
  if (f.kind == TN__IEEE && exponent == top) return negative ? -__builtin_inff() : __builtin_inff();
  const double value = (exponent ? mantissa + mask + 1 : mantissa) *
                       tn__power_of_two((exponent ? (int32_t)exponent : 1) - f.bias - f.mantissa);
  return (float)(negative ? -value : value);
}

TN__UNUSED uint32_t tn_float_write(tn_ffi_dtype_t dtype, float value) {
  const tn__format_t f = tn__format_of(dtype);
  const double magnitude = value < 0 ? -(double)value : (double)value;
  uint32_t sign;
  uint64_t bits;
  memcpy(&sign, &value, sizeof sign);
  memcpy(&bits, &magnitude, sizeof bits);
  sign = sign >> 31 << (f.exponent + f.mantissa);
  const uint32_t mask = (1u << f.mantissa) - 1, top = ((1u << f.exponent) - 1) << f.mantissa;
  const uint32_t largest = f.kind == TN__IEEE           ? top - 1
                           : f.kind == TN__NAN_ALL_ONES ? (top | mask) - 1
                                                        : top | mask;
  const uint32_t nan = f.kind == TN__IEEE           ? sign | top | (mask + 1) >> 1
                       : f.kind == TN__NAN_ALL_ONES ? sign | top | mask
                                                    : 1u << (f.exponent + f.mantissa);
  if (value != value) return nan;
  if (magnitude > 3.4028234663852886e38)
    return f.kind == TN__IEEE ? sign | top : f.kind == TN__FINITE ? sign | largest : nan;
  // In units of the last place: the bits of the result up to a carry, which is also correct.
  int32_t exponent = (int32_t)(bits >> 52 & 2047) - 1023;
  if (exponent < 1 - f.bias) exponent = 1 - f.bias;
  const double units = magnitude * tn__power_of_two(f.mantissa - exponent);
  uint32_t code = (uint32_t)units;
  const double rest = units - code;
  code += rest > 0.5 || (rest == 0.5 && (code & 1));
  code += (uint32_t)(exponent + f.bias - 1) << f.mantissa;
  if (code > largest)
    return f.kind == TN__IEEE ? sign | top : f.kind == TN__FINITE ? sign | largest : nan;
  return code || f.kind != TN__NAN_MINUS_ZERO ? sign | code : 0;
}

// Exact.
TN__INLINE float tn_bf16_to_float(tn_bf16_t value) {
  const uint32_t bits = (uint32_t)value.bits << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

// Rounds to nearest, ties to even.
TN__INLINE tn_bf16_t tn_bf16_from_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool is_nan = (bits & 0x7fffffff) > 255u << 23;
  const tn_bf16_t narrow = {
      (uint16_t)(is_nan ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  return narrow;
}

// Branchless, so that loops are vectorised; and without subnormal floats, which programs such as
// JAX set the processor to flush to zero. A subnormal half is the mantissa of a normal float whose
// leading bit is one too many.
TN__INLINE float tn_f16_to_float(tn_f16_t value) {
  const int32_t magnitude = (int32_t)(value.bits & 0x7fff) << 13;
  const int32_t subnormal = -(magnitude < 1 << 23), special = -(magnitude >= 31 << 23);
  const int32_t excess_bits = subnormal & 113 << 23;  // 2^-14
  uint32_t bits = (uint32_t)(magnitude + (112 << 23) + (subnormal & 1 << 23));
  float wide, excess;
  memcpy(&wide, &bits, sizeof wide);
  memcpy(&excess, &excess_bits, sizeof excess);
  wide -= excess;
  memcpy(&bits, &wide, sizeof bits);
  bits |= (uint32_t)(special & 255 << 23) | (uint32_t)(value.bits & 0x8000) << 16;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

// Likewise. Adding a power of two that is 2^13 above the value's own rounds the value to ten bits
// of mantissa, or fewer for subnormal results.
TN__INLINE tn_f16_t tn_f16_from_float(float value) {
  const int32_t infinite = 255 << 23, least = 113 << 23, most = 143 << 23;  // 2^-14, 2^16
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const int32_t magnitude = (int32_t)(bits & 0x7fffffff);
  const int32_t finite = magnitude < most ? magnitude : most;
  const int32_t exponent = finite & infinite;
  const int32_t anchor_bits = (exponent > least ? exponent : least) + (13 << 23);
  int32_t sum_bits;
  float sum, anchor;
  memcpy(&sum, &finite, sizeof sum);
  memcpy(&anchor, &anchor_bits, sizeof anchor);
  sum += anchor;
  memcpy(&sum_bits, &sum, sizeof sum_bits);
  // The sum exceeds the anchor by the value's exponent and mantissa, in units of 2^-24 or more; a
  // carry propagates into the exponent, and 2^16 becomes infinite.
  const int32_t half = sum_bits - anchor_bits + ((anchor_bits >> 13) - (126 << 10));
  const int32_t nan = -(magnitude > infinite) & 0x200;
  const tn_f16_t narrow = {(uint16_t)((bits >> 16 & 0x8000) | (uint32_t)(half | nan))};
  return narrow;
}

#endif  // TENON_DETAIL_CUSTOM_FLOATS_H_
