// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/float_format.h"

#include <string.h>

enum { DOUBLE_MANTISSA = 52, DOUBLE_BIAS = 1023, DOUBLE_TOP = 2047 };

static const tn_float_format_t formats[TN_DTYPE_LIMIT] = {
    [TN_DTYPE_F64] = {64, 11, 52, 1023, TN_FLOAT_IEEE},
    [TN_DTYPE_F32] = {32, 8, 23, 127, TN_FLOAT_IEEE},
    [TN_DTYPE_F16] = {16, 5, 10, 15, TN_FLOAT_IEEE},
    [TN_DTYPE_BF16] = {16, 8, 7, 127, TN_FLOAT_IEEE},
    [TN_DTYPE_F8E5M2] = {8, 5, 2, 15, TN_FLOAT_IEEE},
    [TN_DTYPE_F8E4M3] = {8, 4, 3, 7, TN_FLOAT_IEEE},
    [TN_DTYPE_F8E3M4] = {8, 3, 4, 3, TN_FLOAT_IEEE},
    [TN_DTYPE_F8E4M3FN] = {8, 4, 3, 7, TN_FLOAT_NAN_ONLY},
    [TN_DTYPE_F8E4M3FNUZ] = {8, 4, 3, 8, TN_FLOAT_NAN_IS_ZERO},
    [TN_DTYPE_F8E4M3B11FNUZ] = {8, 4, 3, 11, TN_FLOAT_NAN_IS_ZERO},
    [TN_DTYPE_F8E5M2FNUZ] = {8, 5, 2, 16, TN_FLOAT_NAN_IS_ZERO},
    [TN_DTYPE_F8E8M0FNU] = {8, 8, 0, 127, TN_FLOAT_POWERS},
    [TN_DTYPE_F6E2M3FN] = {6, 2, 3, 1, TN_FLOAT_FINITE},
    [TN_DTYPE_F6E3M2FN] = {6, 3, 2, 3, TN_FLOAT_FINITE},
    [TN_DTYPE_F4E2M1FN] = {4, 2, 1, 1, TN_FLOAT_FINITE},
};

const tn_float_format_t* tn__float_format(tn_dtype_t dtype) {
  if (!tn_dtype_is_valid((int)dtype) || formats[dtype].bits == 0) return NULL;
  return &formats[dtype];
}

static uint64_t low_bits(uint32_t count) {
  return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

static uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double double_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t sign_bit(const tn_float_format_t* format) {
  return format->specials == TN_FLOAT_POWERS ? 0 : UINT64_C(1) << (format->bits - 1);
}

// Exponent and mantissa.
static uint64_t magnitude_bits(const tn_float_format_t* format) {
  return low_bits(format->exponent_bits + format->mantissa_bits);
}

static uint64_t exponent_mask(const tn_float_format_t* format) {
  return low_bits(format->exponent_bits) << format->mantissa_bits;
}

uint64_t tn__float_largest_bits(const tn_float_format_t* format) {
  switch (format->specials) {
    case TN_FLOAT_IEEE: return exponent_mask(format) - 1;
    case TN_FLOAT_NAN_ONLY:
    case TN_FLOAT_POWERS: return magnitude_bits(format) - 1;
    case TN_FLOAT_NAN_IS_ZERO:
    case TN_FLOAT_FINITE: break;
  }
  return magnitude_bits(format);
}

bool tn__float_bits_are_nan(const tn_float_format_t* format, uint64_t bits) {
  bits &= low_bits(format->bits);
  uint64_t magnitude = bits & magnitude_bits(format);
  switch (format->specials) {
    case TN_FLOAT_IEEE: return magnitude > exponent_mask(format);
    case TN_FLOAT_NAN_ONLY:
    case TN_FLOAT_POWERS: return magnitude == magnitude_bits(format);
    case TN_FLOAT_NAN_IS_ZERO: return bits == sign_bit(format);
    case TN_FLOAT_FINITE: break;
  }
  return false;
}

bool tn__float_bits_are_infinite(const tn_float_format_t* format, uint64_t bits) {
  return format->specials == TN_FLOAT_IEEE &&
         (bits & magnitude_bits(format)) == exponent_mask(format);
}

double tn__float_decode(const tn_float_format_t* format, uint64_t bits) {
  if (format->bits == 64) return double_of_bits(bits);
  bits &= low_bits(format->bits);
  uint32_t m = format->mantissa_bits;
  uint64_t sign = bits & sign_bit(format) ? UINT64_C(1) << 63 : 0;
  uint64_t mantissa = bits & low_bits(m);
  int32_t exponent = (int32_t)((bits & exponent_mask(format)) >> m);
  if (tn__float_bits_are_nan(format, bits)) {
    uint64_t quiet = UINT64_C(1) << (DOUBLE_MANTISSA - 1);
    if (format->specials == TN_FLOAT_NAN_IS_ZERO) sign = 0;
    if (format->specials != TN_FLOAT_IEEE) mantissa = 0;
    return double_of_bits(sign | (uint64_t)DOUBLE_TOP << DOUBLE_MANTISSA | quiet |
                          mantissa << (DOUBLE_MANTISSA - m));
  }
  if (tn__float_bits_are_infinite(format, bits)) {
    return double_of_bits(sign | (uint64_t)DOUBLE_TOP << DOUBLE_MANTISSA);
  }
  if (exponent == 0 && format->specials != TN_FLOAT_POWERS) {
    if (mantissa == 0) return double_of_bits(sign);
    // Subnormal here, normal as a double: move the highest bit to where the implied one is.
    exponent = 1;
    while (!(mantissa >> m)) {
      mantissa <<= 1;
      --exponent;
    }
    mantissa &= low_bits(m);
  }
  uint64_t biased = (uint64_t)(exponent - format->bias + DOUBLE_BIAS);
  return double_of_bits(sign | biased << DOUBLE_MANTISSA | mantissa << (DOUBLE_MANTISSA - m));
}

static uint64_t encode_nan(const tn_float_format_t* format, uint64_t sign, uint64_t payload) {
  uint32_t m = format->mantissa_bits;
  switch (format->specials) {
    case TN_FLOAT_IEEE:
      return sign | exponent_mask(format) | UINT64_C(1) << (m - 1) |
             payload >> (DOUBLE_MANTISSA - m);
    case TN_FLOAT_NAN_ONLY:
    case TN_FLOAT_POWERS: return sign | magnitude_bits(format);
    case TN_FLOAT_NAN_IS_ZERO:
    case TN_FLOAT_FINITE: break;
  }
  return sign_bit(format);
}

static uint64_t encode_overflow(const tn_float_format_t* format, uint64_t sign) {
  if (format->specials == TN_FLOAT_IEEE) return sign | exponent_mask(format);
  if (format->specials == TN_FLOAT_FINITE) return sign | magnitude_bits(format);
  return encode_nan(format, sign, 0);
}

// significand / 2^shift, rounded to nearest, ties to even.
static uint64_t round_shift(uint64_t significand, int32_t shift) {
  if (shift <= 0) return significand << -shift;
  if (shift > 63) return 0;  // the significand has at most 53 bits: below half
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & low_bits((uint32_t)shift);
  uint64_t half = UINT64_C(1) << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

// The rounded significand has one bit, which is odd: a tie goes up.
static uint64_t encode_power(const tn_float_format_t* format, bool negative, int32_t exponent,
                             uint64_t significand) {
  if (negative && significand) return magnitude_bits(format);
  if (!significand) return 0;
  int64_t biased = exponent + format->bias + (int64_t)(significand >> (DOUBLE_MANTISSA - 1) & 1);
  if (biased < 0) return 0;
  return (uint64_t)biased >= magnitude_bits(format) ? magnitude_bits(format) : (uint64_t)biased;
}

uint64_t tn__float_encode(const tn_float_format_t* format, double value) {
  uint64_t bits = bits_of_double(value);
  if (format->bits == 64) return bits;
  bool negative = bits >> 63;
  uint64_t sign = negative ? sign_bit(format) : 0;
  int32_t exponent = (int32_t)(bits >> DOUBLE_MANTISSA & DOUBLE_TOP);
  uint64_t significand = bits & low_bits(DOUBLE_MANTISSA);
  if (exponent == DOUBLE_TOP) {
    return significand ? encode_nan(format, sign, significand) : encode_overflow(format, sign);
  }
  if (exponent == 0) {
    exponent = 1;  // subnormal: no implied one
  } else {
    significand |= UINT64_C(1) << DOUBLE_MANTISSA;
  }
  exponent -= DOUBLE_BIAS;
  if (format->specials == TN_FLOAT_POWERS) {
    return encode_power(format, negative, exponent, significand);
  }
  int32_t m = (int32_t)format->mantissa_bits;
  int32_t biased = exponent + format->bias;
  // A carry out of the mantissa moves into the exponent by itself, since the two are adjacent.
  uint64_t magnitude;
  if (biased >= 1) {
    if (biased > (int32_t)low_bits(format->exponent_bits)) return encode_overflow(format, sign);
    magnitude = ((uint64_t)(biased - 1) << m) + round_shift(significand, DOUBLE_MANTISSA - m);
  } else {
    magnitude = round_shift(significand, DOUBLE_MANTISSA - m + 1 - biased);
  }
  if (magnitude > tn__float_largest_bits(format)) return encode_overflow(format, sign);
  if (magnitude == 0 && format->specials == TN_FLOAT_NAN_IS_ZERO) return 0;
  return sign | magnitude;
}

double tn__float_load(tn_dtype_t dtype, const void* element) {
  switch (formats[dtype].bits) {
    case 64: {
      double value;
      memcpy(&value, element, sizeof value);
      return value;
    }
    case 32: {
      float value;
      memcpy(&value, element, sizeof value);
      return (double)value;
    }
    case 16: {
      uint16_t bits;
      memcpy(&bits, element, sizeof bits);
      return tn__float_decode(&formats[dtype], bits);
    }
    default: return tn__float_decode(&formats[dtype], *(const uint8_t*)element);
  }
}

void tn__float_store(tn_dtype_t dtype, double value, void* element) {
  switch (formats[dtype].bits) {
    case 64: memcpy(element, &value, sizeof value); return;
    case 32: {
      float narrow = (float)value;
      memcpy(element, &narrow, sizeof narrow);
      return;
    }
    case 16: {
      uint16_t bits = (uint16_t)tn__float_encode(&formats[dtype], value);
      memcpy(element, &bits, sizeof bits);
      return;
    }
    default: *(uint8_t*)element = (uint8_t)tn__float_encode(&formats[dtype], value);
  }
}
