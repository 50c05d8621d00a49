// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/narrow.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/float_format.h"
#include "kernel/common/half.h"
#include "kernel/common/loop.h"

// The formats of 8 bits and fewer go through a table of their values.

enum { SMALL_FORMATS = TN_DTYPE_LIMIT };
static float small_values[SMALL_FORMATS][256];
static pthread_once_t small_once = PTHREAD_ONCE_INIT;

static void fill_small_values(void) {
  for (int dtype = 0; dtype < SMALL_FORMATS; ++dtype) {
    const tn_float_format_t* format = tn__float_format((tn_dtype_t)dtype);
    if (!format || format->bits > 8) continue;
    for (uint32_t bits = 0; bits < 256; ++bits) {
      small_values[dtype][bits] = (float)tn__float_decode(format, bits);
    }
  }
}

void tn__narrow_decode(tn_dtype_t dtype, const void* source, float* destination, size_t count) {
  if (dtype == TN_DTYPE_BF16) {
    tn__half_loops()->decode_bf16(source, destination, count);
  } else if (dtype == TN_DTYPE_F16) {
    tn__half_loops()->decode_f16(source, destination, count);
  } else {
    pthread_once(&small_once, fill_small_values);
    const uint8_t* from = source;
    const float* values = small_values[dtype];
    for (size_t i = 0; i < count; ++i) destination[i] = values[from[i]];
  }
}

void tn__narrow_encode_f32(tn_dtype_t dtype, const float* source, void* destination, size_t count) {
  if (dtype == TN_DTYPE_BF16) {
    tn__half_loops()->encode_bf16(source, destination, count);
  } else if (dtype == TN_DTYPE_F16) {
    tn__half_loops()->encode_f16(source, destination, count);
  } else {
    const tn_float_format_t* format = tn__float_format(dtype);
    uint8_t* to = destination;
    for (size_t i = 0; i < count; ++i) to[i] = (uint8_t)tn__float_encode(format, source[i]);
  }
}

// To f32, but to odd when inexact: rounding the result to fewer bits is then as if it had been
// rounded once. Without branches, which would be taken at random.
static inline float round_to_odd(double value) {
  const float rounded = (float)value;
  const double magnitude = fabs(value), rounded_magnitude = fabs((double)rounded);
  const uint32_t bits = tn__float_bits(rounded), even = ~bits & 1;
  const uint32_t is_below = rounded_magnitude<magnitude, is_above = rounded_magnitude> magnitude;
  return tn__bits_float(bits + (is_below & even) - (is_above & even));
}

void tn__narrow_encode_f64(tn_dtype_t dtype, const double* source, void* destination,
                           size_t count) {
  if (tn_dtype_byte_size(dtype) == 1) {
    const tn_float_format_t* format = tn__float_format(dtype);
    uint8_t* to = destination;
    for (size_t i = 0; i < count; ++i) to[i] = (uint8_t)tn__float_encode(format, source[i]);
    return;
  }
  float chunk[TN_CHUNK];
  for (size_t begin = 0; begin < count; begin += TN_CHUNK) {
    size_t length = count - begin < TN_CHUNK ? count - begin : TN_CHUNK;
    for (size_t i = 0; i < length; ++i) chunk[i] = round_to_odd(source[begin + i]);
    tn__narrow_encode_f32(dtype, chunk, (uint16_t*)destination + begin, length);
  }
}
