// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elements in memory as numbers; the bytes of narrow ones.
#include <math.h>
#include <string.h>
#include <tenon/detail/dtype.h>

#include "base/element.h"
#include "base/float_format.h"

double tn_dtype_load(tn_dtype_t dtype, const void* element) {
  size_t size = tn_dtype_byte_size(dtype);
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT: return tn__float_load(dtype, element);
    case TN_KIND_COMPLEX:
      return tn__float_load(dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64, element);
    case TN_KIND_BOOL: return *(const unsigned char*)element != 0;
    case TN_KIND_SIGNED: {
      int64_t value = 0;
      memcpy(&value, element, size);  // little endian: the low bytes
      unsigned shift = 64 - 8 * (unsigned)size;
      return (double)((int64_t)((uint64_t)value << shift) >> shift);
    }
    case TN_KIND_UNSIGNED: {
      uint64_t value = 0;
      memcpy(&value, element, size);
      return (double)value;
    }
    default: return 0;
  }
}

static int64_t saturated_signed(double value, uint32_t bits) {
  double limit = ldexp(1, (int)bits - 1);
  if (isnan(value)) return 0;
  if (value >= limit) return bits == 64 ? INT64_MAX : (int64_t)limit - 1;
  if (value < -limit) return bits == 64 ? INT64_MIN : -(int64_t)limit;
  return (int64_t)value;
}

static uint64_t saturated_unsigned(double value, uint32_t bits) {
  double limit = ldexp(1, (int)bits);
  if (!(value > 0)) return 0;
  if (value >= limit) return bits == 64 ? UINT64_MAX : (uint64_t)limit - 1;
  return (uint64_t)value;
}

void tn_dtype_store(tn_dtype_t dtype, double value, void* element) {
  size_t size = tn_dtype_byte_size(dtype);
  uint32_t bits = tn_dtype_bit_width(dtype);
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT: tn__float_store(dtype, value, element); break;
    case TN_KIND_COMPLEX: {
      tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
      tn__float_store(part, value, element);
      tn__float_store(part, 0, (char*)element + size / 2);
      break;
    }
    case TN_KIND_BOOL: *(unsigned char*)element = value != 0; break;
    case TN_KIND_SIGNED: {
      int64_t whole = saturated_signed(value, bits);
      memcpy(element, &whole, size);
      break;
    }
    case TN_KIND_UNSIGNED: {
      uint64_t whole = saturated_unsigned(value, bits);
      memcpy(element, &whole, size);
      break;
    }
    default: break;
  }
}

// --- distances

static int64_t integer_of(tn_dtype_t dtype, const void* element) {
  uint64_t bits = 0;
  const unsigned unused = 64 - 8 * (unsigned)tn_dtype_byte_size(dtype);
  memcpy(&bits, element, tn_dtype_byte_size(dtype));
  return tn_dtype_kind(dtype) == TN_KIND_SIGNED ? (int64_t)(bits << unused) >> unused
                                                : (int64_t)bits;
}

static uint64_t integers_between(tn_dtype_t dtype, const void* a, const void* b) {
  const int64_t x = integer_of(dtype, a), y = integer_of(dtype, b);
  const bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  const bool a_is_less = is_signed ? x < y : (uint64_t)x < (uint64_t)y;
  return a_is_less ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y;
}

static uint64_t floats_between(tn_dtype_t dtype, const void* a, const void* b) {
  const uint32_t width = tn_dtype_bit_width(dtype);
  const uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
  const double a_value = tn_dtype_load(dtype, a), b_value = tn_dtype_load(dtype, b);
  uint64_t x = 0, y = 0;
  memcpy(&x, a, tn_dtype_byte_size(dtype));
  memcpy(&y, b, tn_dtype_byte_size(dtype));
  x &= mask;
  y &= mask;
  if (isnan(a_value) || isnan(b_value)) return isnan(a_value) && isnan(b_value) ? 0 : UINT64_MAX;
  if (isinf(a_value) || isinf(b_value)) return x == y ? 0 : UINT64_MAX;
  if (tn__float_format(dtype)->specials == TN_FLOAT_POWERS) return x < y ? y - x : x - y;
  const uint64_t sign = UINT64_C(1) << (width - 1);
  const uint64_t x_size = x & ~sign, y_size = y & ~sign;
  if ((x & sign) != (y & sign)) return x_size + y_size;
  return x_size < y_size ? y_size - x_size : x_size - y_size;
}

uint64_t tn_dtype_ulps_between(tn_dtype_t dtype, const void* a, const void* b) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT: return floats_between(dtype, a, b);
    case TN_KIND_COMPLEX: {
      const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
      const size_t size = tn_dtype_byte_size(part);
      const uint64_t re = floats_between(part, a, b);
      const uint64_t im = floats_between(part, (const char*)a + size, (const char*)b + size);
      return re > im ? re : im;
    }
    default: return integers_between(dtype, a, b);
  }
}

// --- narrow ones

static uint8_t tidy(tn_dtype_t dtype, uint32_t bits, uint8_t byte) {
  if (dtype == TN_DTYPE_PRED) return byte != 0;
  byte &= (uint8_t)((1u << bits) - 1);
  const bool is_negative = tn_dtype_kind(dtype) == TN_KIND_SIGNED && byte >> (bits - 1);
  return is_negative ? byte | (uint8_t)(0xFFu << bits) : byte;
}

void tn__elements_tidy(tn_dtype_t dtype, void* data, size_t count) {
  const uint32_t bits = tn_dtype_bit_width(dtype);
  uint8_t* bytes = data;
  if (bits >= 8) return;
  for (size_t i = 0; i < count; ++i) bytes[i] = tidy(dtype, bits, bytes[i]);
}

size_t tn__elements_find_untidy(tn_dtype_t dtype, const void* data, size_t count) {
  const uint32_t bits = tn_dtype_bit_width(dtype);
  const uint8_t* bytes = data;
  if (bits >= 8) return count;
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] != tidy(dtype, bits, bytes[i])) return i;
  }
  return count;
}
