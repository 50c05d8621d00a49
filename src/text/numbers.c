// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/float_format.h"

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c - 'A' + 10;
}

bool tn__number_parse_unsigned(const char* p, const char* end, uint64_t* out) {
  uint64_t value = 0;
  *out = 0;
  if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
    for (p += 2; p < end; ++p) {
      if (value >> 60) return false;
      value = value << 4 | (uint64_t)hex_digit(*p);
    }
  } else {
    for (; p < end; ++p) {
      if (__builtin_mul_overflow(value, 10, &value)) return false;
      if (__builtin_add_overflow(value, (uint64_t)(*p - '0'), &value)) return false;
    }
  }
  *out = value;
  return true;
}

// What is left of a decimal number: digits without leading zeros, times ten to the exponent.
enum { DIGITS_KEPT = 800 };  // more than any double needs to be rounded correctly
typedef struct decimal {
  char digits[DIGITS_KEPT + 1];
  size_t digit_count;
  uint64_t mantissa;  // of the first 19 digits
  int64_t exponent;
} decimal_t;

static int64_t parse_exponent(const char* p, const char* end) {
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  int64_t exponent = 0;
  for (; p < end; ++p) {
    if (exponent < 1000000000) exponent = exponent * 10 + (*p - '0');
  }
  return negative ? -exponent : exponent;
}

static void parse_decimal(const char* p, const char* end, decimal_t* out) {
  bool fraction = false;
  out->digit_count = 0;
  out->mantissa = 0;
  out->exponent = 0;
  for (; p < end && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') {
      fraction = true;
      continue;
    }
    if (*p == '0' && out->digit_count == 0) {
      out->exponent -= fraction;
      continue;
    }
    if (out->digit_count < 19) out->mantissa = out->mantissa * 10 + (uint64_t)(*p - '0');
    if (out->digit_count < DIGITS_KEPT) {
      out->digits[out->digit_count++] = *p;
      out->exponent -= fraction;
    } else {
      // Too far to the right to matter but for breaking a tie.
      if (*p != '0') out->digits[DIGITS_KEPT - 1] = '1';
      out->exponent += !fraction;
    }
  }
  if (p < end) out->exponent += parse_exponent(p + 1, end);
}

double tn__number_parse_double(const char* begin, const char* end) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  decimal_t decimal;
  parse_decimal(begin, end, &decimal);
  // Both factors are exact, so that the one operation rounds correctly.
  if (decimal.digit_count <= 19 && decimal.mantissa <= UINT64_C(1) << 53) {
    if (decimal.mantissa == 0) return 0;
    if (decimal.exponent >= 0 && decimal.exponent <= 22) {
      return (double)decimal.mantissa * powers[decimal.exponent];
    }
    if (decimal.exponent < 0 && decimal.exponent >= -22) {
      return (double)decimal.mantissa / powers[-decimal.exponent];
    }
  }
  // Without a decimal point, whose character depends on the locale.
  char text[DIGITS_KEPT + 32];
  memcpy(text, decimal.digits, decimal.digit_count);
  snprintf(text + decimal.digit_count, 32, "e%lld", (long long)decimal.exponent);
  return tn__c_strtod(text, NULL);
}

bool tn__number_fit_integer(tn_dtype_t dtype, bool negative, uint64_t magnitude, int64_t* out) {
  uint32_t bits = tn_dtype_bit_width(dtype);
  uint64_t limit = UINT64_C(1) << (bits - 1);  // of negatives
  *out = 0;
  if (negative ? magnitude > limit || (magnitude && tn_dtype_kind(dtype) == TN_KIND_UNSIGNED)
               : bits < 64 && magnitude >> bits) {
    return false;
  }
  uint64_t value = negative ? -magnitude : magnitude;
  if (tn_dtype_kind(dtype) == TN_KIND_BOOL) {
    value &= 1;
  } else if (tn_dtype_kind(dtype) == TN_KIND_SIGNED && (value & limit) && bits < 64) {
    value |= ~UINT64_C(0) << bits;
  }
  *out = (int64_t)value;
  return true;
}

int64_t tn__number_load_integer(tn_dtype_t dtype, const void* element) {
  bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  switch (tn_dtype_byte_size(dtype)) {
    case 1: {
      uint8_t value;
      memcpy(&value, element, sizeof value);
      return is_signed ? (int8_t)value : value;
    }
    case 2: {
      uint16_t value;
      memcpy(&value, element, sizeof value);
      return is_signed ? (int16_t)value : value;
    }
    case 4: {
      uint32_t value;
      memcpy(&value, element, sizeof value);
      return is_signed ? (int32_t)value : (int64_t)value;
    }
    default: {
      int64_t value;
      memcpy(&value, element, sizeof value);
      return value;
    }
  }
}

void tn__number_store_integer(tn_dtype_t dtype, int64_t value, void* element) {
  switch (tn_dtype_byte_size(dtype)) {
    case 1: *(uint8_t*)element = (uint8_t)value; return;
    case 2: {
      uint16_t narrow = (uint16_t)value;
      memcpy(element, &narrow, sizeof narrow);
      return;
    }
    case 4: {
      uint32_t narrow = (uint32_t)value;
      memcpy(element, &narrow, sizeof narrow);
      return;
    }
    default: memcpy(element, &value, sizeof value);
  }
}

// d.ddde+xx with so many digits after the point.
static size_t print_scientific(double value, int digits, char text[TN_NUMBER_CAPACITY]) {
  int length = tn__c_snprintf(text, TN_NUMBER_CAPACITY, "%.*e", digits, value);
  // The locale may have another decimal point; all of them take one byte between two digits here,
  // or several, which move the rest to the left.
  char* point = text + (*text == '-') + 1;
  char* rest = point;
  while (*rest && (*rest < '0' || *rest > '9') && *rest != 'e') ++rest;
  *point = '.';
  memmove(point + 1, rest, strlen(rest) + 1);
  return length < 0 ? 0 : strlen(text);
}

static size_t print_bits(const tn_float_format_t* format, uint64_t bits,
                         char text[TN_NUMBER_CAPACITY]) {
  int digits = (int)(format->bits + 3) / 4;
  return (size_t)snprintf(text, TN_NUMBER_CAPACITY, "0x%0*llX", digits, (unsigned long long)bits);
}

size_t tn__number_print_float(tn_dtype_t dtype, double value, char text[TN_NUMBER_CAPACITY]) {
  const tn_float_format_t* format = tn__float_format(dtype);
  uint64_t bits = tn__float_encode(format, value);
  if (!isfinite(value)) return print_bits(format, bits, text);
  static const int digit_counts[] = {6, 8, 16};
  size_t length = 0;
  for (size_t i = 0; i < sizeof digit_counts / sizeof *digit_counts; ++i) {
    length = print_scientific(value, digit_counts[i], text);
    double magnitude = tn__number_parse_double(text + (*text == '-'), text + length);
    if (tn__float_encode(format, *text == '-' ? -magnitude : magnitude) == bits) break;
  }
  return length;
}

size_t tn__number_print_element(tn_dtype_t dtype, const void* element,
                                char text[TN_NUMBER_CAPACITY]) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL:
      return (size_t)snprintf(text, TN_NUMBER_CAPACITY,
                              *(const uint8_t*)element ? "true" : "false");
    case TN_KIND_UNSIGNED:
      return (size_t)snprintf(text, TN_NUMBER_CAPACITY, "%llu",
                              (unsigned long long)tn__number_load_integer(dtype, element));
    case TN_KIND_SIGNED:
      return (size_t)snprintf(text, TN_NUMBER_CAPACITY, "%lld",
                              (long long)tn__number_load_integer(dtype, element));
    default: break;
  }
  const tn_float_format_t* format = tn__float_format(dtype);
  // As they are: a NaN on its way through a double could change.
  uint64_t bits = (uint64_t)tn__number_load_integer(dtype, element);
  double value = tn__float_decode(format, bits);
  return isfinite(value) ? tn__number_print_float(dtype, value, text)
                         : print_bits(format, bits, text);
}
