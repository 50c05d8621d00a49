// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "io/float_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/float_format.h"

enum { MOST_DIGITS = 17 };  // no double needs more

// 0.d1d2d3... would be digits; here d1.d2d3... times ten to the exponent.
typedef struct decimal {
  char digits[MOST_DIGITS + 1];
  int count;
  int exponent;
} decimal_t;

static bool reads_back(tn_dtype_t dtype, double magnitude, const char* text) {
  switch (dtype) {
    case TN_DTYPE_F64:
    case TN_DTYPE_C128: return tn__c_strtod(text, NULL) == magnitude;
    case TN_DTYPE_F32:
    case TN_DTYPE_C64: return (double)tn__c_strtof(text, NULL) == magnitude;
    default: {
      const tn_float_format_t* format = tn__float_format(dtype);
      return tn__float_decode(format, tn__float_encode(format, tn__c_strtod(text, NULL))) ==
             magnitude;
    }
  }
}

static void take(const char* text, decimal_t* out) {
  const char* exponent = strchr(text, 'e');
  out->count = 0;
  for (const char* c = text; c < exponent; ++c) {
    if (*c != '.') out->digits[out->count++] = *c;
  }
  out->exponent = (int)strtol(exponent + 1, NULL, 10);
}

// The next decimal number with as many digits.
static void increment(decimal_t* decimal) {
  int i = decimal->count;
  while (i-- > 0) {
    if (decimal->digits[i] != '9') {
      ++decimal->digits[i];
      return;
    }
    decimal->digits[i] = '0';
  }
  decimal->digits[0] = '1';
  ++decimal->exponent;
}

static void put(const decimal_t* decimal, char* out, size_t capacity) {
  snprintf(out, capacity, "%c.%.*se%d", decimal->digits[0], decimal->count - 1, decimal->digits + 1,
           decimal->exponent);
}

static int exponent_of(double magnitude) {
  char text[48];
  tn__c_snprintf(text, sizeof text, "%.*e", MOST_DIGITS, magnitude);
  return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

// The fewest digits, `minimum` at least, that read back; those of `maximum` when fewer do not.
// `magnitude` is positive. 1 <= minimum <= maximum <= MOST_DIGITS.
static void shortest(tn_dtype_t dtype, double magnitude, int minimum, int maximum, decimal_t* out) {
  char text[48];
  *out = (decimal_t){.count = 1};
  for (int count = minimum; count <= maximum; ++count) {
    tn__c_snprintf(text, sizeof text, "%.*e", count - 1, magnitude);
    take(text, out);
    if (reads_back(dtype, magnitude, text)) return;
    // Below a power of two neighbours are nearer than above it: the decimal above may be the only
    // one that reads back.
    int exponent;
    if (frexp(magnitude, &exponent) != 0.5 || tn__c_strtod(text, NULL) > magnitude) continue;
    decimal_t above = *out;
    increment(&above);
    put(&above, text, sizeof text);
    if (reads_back(dtype, magnitude, text)) {
      *out = above;
      return;
    }
  }
}

static void zero(int count, decimal_t* out) {
  memset(out->digits, '0', sizeof out->digits);
  out->count = count;
  out->exponent = 0;
}

// Removes zeros behind the point at *text[length - 1]; returns the digits that are left there.
static int trim_text(char* text, size_t* length, int behind, tn_float_trim_t trim) {
  while (behind && text[*length - 1] == '0') {
    --*length;
    --behind;
  }
  if (behind == 0 && trim == TN_TRIM_ZERO) {
    text[(*length)++] = '0';
    behind = 1;
  }
  if (behind == 0 && trim == TN_TRIM_ALL) --*length;
  text[*length] = 0;
  return behind;
}

static int clamp(int value, int low, int high) {
  return value < low ? low : value > high ? high : value;
}

int tn__float_text_positional(tn_dtype_t dtype, double value, int precision, tn_float_trim_t trim,
                              char* out_text) {
  decimal_t decimal;
  double magnitude = fabs(value);
  if (magnitude == 0) {
    zero(1, &decimal);
  } else {
    int maximum = precision < 0 ? MOST_DIGITS : exponent_of(magnitude) + 1 + precision;
    shortest(dtype, magnitude, 1, clamp(maximum, 1, MOST_DIGITS), &decimal);
  }
  size_t length = 0;
  if (signbit(value)) out_text[length++] = '-';
  int position = decimal.exponent;  // of the digit that is next
  if (position < 0) out_text[length++] = '0';
  for (; position >= 0; --position) {
    int i = decimal.exponent - position;
    out_text[length++] = i < decimal.count ? decimal.digits[i] : '0';
  }
  out_text[length++] = '.';
  int behind = 0;
  int last = decimal.exponent - decimal.count + 1;
  for (position = -1; position >= last; --position, ++behind) {
    int i = decimal.exponent - position;
    out_text[length++] = i >= 0 ? decimal.digits[i] : '0';
  }
  return trim_text(out_text, &length, behind, trim);
}

int tn__float_text_scientific(tn_dtype_t dtype, double value, int precision, int minimum,
                              tn_float_trim_t trim, char* out_text) {
  decimal_t decimal;
  double magnitude = fabs(value);
  int maximum = precision < 0 ? MOST_DIGITS : clamp(precision + 1, 1, MOST_DIGITS);
  if (magnitude == 0) {
    zero(1, &decimal);
  } else {
    shortest(dtype, magnitude, clamp(minimum + 1, 1, maximum), maximum, &decimal);
  }
  size_t length = 0;
  if (signbit(value)) out_text[length++] = '-';
  out_text[length++] = decimal.digits[0];
  out_text[length++] = '.';
  int behind = decimal.count - 1;
  memcpy(out_text + length, decimal.digits + 1, (size_t)behind);
  length += (size_t)behind;
  behind = trim_text(out_text, &length, behind, trim);
  for (; behind < minimum; ++behind) out_text[length++] = '0';
  snprintf(out_text + length, TN_FLOAT_TEXT_SIZE - length, "e%c%02d",
           decimal.exponent < 0 ? '-' : '+', abs(decimal.exponent));
  return behind;
}

static bool is_narrow(tn_dtype_t dtype) {
  switch (dtype) {
    case TN_DTYPE_F16:
    case TN_DTYPE_F32:
    case TN_DTYPE_F64:
    case TN_DTYPE_C64:
    case TN_DTYPE_C128: return false;
    default: return true;
  }
}

void tn__float_text_scalar(tn_dtype_t dtype, double value, tn_float_trim_t trim, char* out_text) {
  if (isnan(value) || isinf(value)) {
    snprintf(out_text, TN_FLOAT_TEXT_SIZE, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  if (is_narrow(dtype)) {  // the dtypes of ml_dtypes
    tn__c_snprintf(out_text, TN_FLOAT_TEXT_SIZE, "%g", value);
    return;
  }
  bool is_single = dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_C64;
  double limit = dtype == TN_DTYPE_F16 ? 1e3 : is_single ? 1e6 : 1e16;
  double magnitude = fabs(value);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < limit)) {
    tn__float_text_positional(dtype, value, -1, trim, out_text);
  } else {
    tn__float_text_scientific(dtype, value, -1, 0, TN_TRIM_ALL, out_text);
  }
}
