#include "kernel/ref/narrow.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/float_format.h"
#include "kernel/ref/loop.h"

static inline uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// The f16 and bf16 loops are plain integer arithmetic that compilers vectorise; the formats of 8
// bits and fewer go through a table of their values.

static inline float decode_bf16(uint16_t bits) {
  return float_of((uint32_t)bits << 16);
}

static inline uint16_t encode_bf16(float value) {
  uint32_t bits = bits_of(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  uint32_t quiet = (bits >> 16) | 0x40;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

static inline float decode_f16(uint16_t half) {
  uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  // The exponent's bias grows by 112; the product is exact, subnormals included.
  uint32_t finite = bits_of(float_of(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000;
  return float_of(sign | (magnitude >= 0x0f800000 ? special : finite));
}

static inline uint16_t encode_f16(float value) {
  uint32_t bits = bits_of(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Below 2^-14: adding one half rounds at the place of f16's last subnormal bit.
  uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
  result = magnitude >= 0x477ff000 ? 0x7c00 : result;
  result = magnitude > 0x7f800000 ? 0x7e00 | ((magnitude >> 13) & 0x1ff) : result;
  return (uint16_t)(sign | result);
}

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
    const uint16_t* from = source;
    for (size_t i = 0; i < count; ++i) destination[i] = decode_bf16(from[i]);
  } else if (dtype == TN_DTYPE_F16) {
    const uint16_t* from = source;
    for (size_t i = 0; i < count; ++i) destination[i] = decode_f16(from[i]);
  } else {
    pthread_once(&small_once, fill_small_values);
    const uint8_t* from = source;
    const float* values = small_values[dtype];
    for (size_t i = 0; i < count; ++i) destination[i] = values[from[i]];
  }
}

void tn__narrow_encode_f32(tn_dtype_t dtype, const float* source, void* destination, size_t count) {
  if (dtype == TN_DTYPE_BF16) {
    uint16_t* to = destination;
    for (size_t i = 0; i < count; ++i) to[i] = encode_bf16(source[i]);
  } else if (dtype == TN_DTYPE_F16) {
    uint16_t* to = destination;
    for (size_t i = 0; i < count; ++i) to[i] = encode_f16(source[i]);
  } else {
    const tn_float_format_t* format = tn__float_format(dtype);
    uint8_t* to = destination;
    for (size_t i = 0; i < count; ++i) to[i] = (uint8_t)tn__float_encode(format, source[i]);
  }
}

// To f32, but to odd when inexact: rounding the result to fewer bits is then as if it had been
// rounded once.
static inline float round_to_odd(double value) {
  float rounded = (float)value;
  uint32_t bits = bits_of(rounded);
  if ((double)rounded == value || value != value || (bits & 1)) return rounded;
  return float_of(fabs((double)rounded) < fabs(value) ? bits + 1 : bits - 1);
}

void tn__narrow_encode_f64(tn_dtype_t dtype, const double* source, void* destination,
                           size_t count) {
  if (tn_dtype_size(dtype) == 1) {
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
