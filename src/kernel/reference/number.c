// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/reference/number.h"

#include <math.h>
#include <string.h>

long double complex tn__complex_of(tn_number_t number) {
  const long double parts[2] = {number.re, number.im};
  long double complex value;
  memcpy(&value, parts, sizeof value);
  return value;
}

static tn_wide_t load_integer(tn_dtype_t dtype, const void* element) {
  uint64_t bits = 0;
  const size_t size = tn_dtype_byte_size(dtype);
  memcpy(&bits, element, size);
  if (tn_dtype_kind(dtype) == TN_KIND_BOOL) return bits != 0;
  if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) return bits;
  const unsigned unused = 64 - 8 * (unsigned)size;
  return (int64_t)(bits << unused) >> unused;
}

static tn_wide_t keep_low_bits(tn_dtype_t dtype, tn_wide_t value) {
  const uint32_t width = tn_dtype_bit_width(dtype);
  const tn_unsigned_wide_t one = 1, bits = (tn_unsigned_wide_t)value & ((one << width) - 1);
  const bool is_negative = tn_dtype_kind(dtype) == TN_KIND_SIGNED && (bits >> (width - 1) & 1) != 0;
  return (tn_wide_t)bits - (is_negative ? (tn_wide_t)(one << width) : 0);
}

static tn_dtype_t part_of(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
}

tn_number_t tn__number_load(tn_dtype_t dtype, const void* element) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT: return tn__number_real(tn_dtype_load(dtype, element));
    case TN_KIND_COMPLEX: {
      const tn_dtype_t part = part_of(dtype);
      return (tn_number_t){
          .re = tn_dtype_load(part, element),
          .im = tn_dtype_load(part, (const char*)element + tn_dtype_byte_size(part)),
      };
    }
    default: return tn__number_integer(load_integer(dtype, element));
  }
}

static void store_float(tn_dtype_t dtype, long double value, void* element) {
  if (dtype == TN_DTYPE_F32) {  // not by way of double: that would round twice
    const float rounded = (float)value;
    memcpy(element, &rounded, sizeof rounded);
  } else {
    tn_dtype_store(dtype, (double)value, element);
  }
}

void tn__number_store(tn_dtype_t dtype, tn_number_t number, void* element) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT: store_float(dtype, number.re, element); break;
    case TN_KIND_COMPLEX: {
      const tn_dtype_t part = part_of(dtype);
      store_float(part, number.re, element);
      store_float(part, number.im, (char*)element + tn_dtype_byte_size(part));
      break;
    }
    case TN_KIND_BOOL: {
      const uint8_t truth = number.integer != 0;
      memcpy(element, &truth, sizeof truth);
      break;
    }
    default: {
      const uint64_t bits = (uint64_t)keep_low_bits(dtype, number.integer);
      memcpy(element, &bits, tn_dtype_byte_size(dtype));
    }
  }
}

// --- between kinds

static tn_wide_t truncate(tn_dtype_t dtype, long double value) {
  const bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  const uint32_t width = tn_dtype_bit_width(dtype);
  const tn_wide_t one = 1;
  const tn_wide_t least = is_signed ? -(one << (width - 1)) : 0;
  const tn_wide_t greatest = is_signed ? (one << (width - 1)) - 1 : (one << width) - 1;
  if (isnan(value)) return 0;
  if (value <= (long double)least) return least;
  return value >= (long double)greatest ? greatest : (tn_wide_t)value;
}

tn_number_t tn__number_convert(tn_dtype_t from, tn_dtype_t to, tn_number_t number) {
  const bool was_integer = !(tn_dtype_kind(from) & (TN_KIND_FLOAT | TN_KIND_COMPLEX));
  switch (tn_dtype_kind(to)) {
    case TN_KIND_FLOAT:
    case TN_KIND_COMPLEX:
      if (was_integer) return tn__number_real((long double)number.integer);
      if (tn_dtype_kind(to) == TN_KIND_FLOAT) number.im = 0;
      return number;
    case TN_KIND_BOOL:
      if (was_integer) return number;
      return tn__number_integer(number.re != 0);
    default: return was_integer ? number : tn__number_integer(truncate(to, number.re));
  }
}
