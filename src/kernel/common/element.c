// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/element.h"

#include <string.h>

#include "kernel/common/loop.h"
#include "kernel/common/narrow.h"
#include "kernel/common/native.h"

// Conversions that C does not have go through native dtypes, a chunk at a time: the source is
// loaded as its carrier, that is converted to the carrier of the destination, and stored.
//
//   i1, 8- to 64-bit integers, f32, f64   themselves
//   integers below 8 bits                 s8, u8 (f64 when the source is a float: it saturates)
//   floats below 32 bits                  f32 (f64 for what f32 does not hold exactly)
//   complex                               its real part

typedef union chunk {
  double f64[TN_CHUNK];
  float f32[TN_CHUNK];
  int64_t s64[TN_CHUNK];
  uint64_t u64[TN_CHUNK];
  int8_t s8[TN_CHUNK];
  uint8_t u8[TN_CHUNK];
} chunk_t;

static bool is_narrow_integer(tn_dtype_t dtype) {
  return (tn_dtype_kind(dtype) & TN_KIND_INTEGER) && tn_dtype_bit_width(dtype) < 8;
}

static bool is_narrow_float(tn_dtype_t dtype) {
  return tn_dtype_kind(dtype) == TN_KIND_FLOAT && tn_dtype_bit_width(dtype) < 32;
}

static tn_dtype_t source_carrier(tn_dtype_t from) {
  if (is_narrow_integer(from)) {
    return tn_dtype_kind(from) == TN_KIND_SIGNED ? TN_DTYPE_S8 : TN_DTYPE_U8;
  }
  if (is_narrow_float(from) || from == TN_DTYPE_C64) return TN_DTYPE_F32;
  return from == TN_DTYPE_C128 ? TN_DTYPE_F64 : from;
}

static tn_dtype_t destination_carrier(tn_dtype_t to, tn_dtype_t source) {
  bool from_float = tn_dtype_kind(source) == TN_KIND_FLOAT;
  if (is_narrow_integer(to)) {
    if (from_float) return TN_DTYPE_F64;
    return tn_dtype_kind(to) == TN_KIND_SIGNED ? TN_DTYPE_S8 : TN_DTYPE_U8;
  }
  if (is_narrow_float(to)) {
    bool fits_f32 = from_float ? source == TN_DTYPE_F32 : tn_dtype_bit_width(source) <= 16;
    return fits_f32 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  }
  if (to == TN_DTYPE_C64) return TN_DTYPE_F32;
  return to == TN_DTYPE_C128 ? TN_DTYPE_F64 : to;
}

// The low `bits` bits, sign-extended or zero-extended.
static uint8_t wrap(uint32_t value, uint32_t bits, bool is_signed) {
  uint32_t mask = (1u << bits) - 1, sign = 1u << (bits - 1);
  value &= mask;
  return (uint8_t)(is_signed && (value & sign) ? value | ~mask : value);
}

static void wrap_all(tn_dtype_t dtype, const uint8_t* from, uint8_t* to, size_t count) {
  uint32_t bits = tn_dtype_bit_width(dtype);
  bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  for (size_t i = 0; i < count; ++i) to[i] = wrap(from[i], bits, is_signed);
}

static void saturate_all(tn_dtype_t dtype, const double* from, uint8_t* to, size_t count) {
  int bits = (int)tn_dtype_bit_width(dtype);
  bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  int low = is_signed ? -(1 << (bits - 1)) : 0;
  int high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  for (size_t i = 0; i < count; ++i) {
    double value = from[i];
    int integer = value != value ? 0 : value <= low ? low : value >= high ? high : (int)value;
    to[i] = (uint8_t)integer;
  }
}

static void take_real(tn_dtype_t from, const void* source, chunk_t* chunk, size_t count) {
  if (from == TN_DTYPE_C64) {
    for (size_t i = 0; i < count; ++i) chunk->f32[i] = ((const float*)source)[2 * i];
  } else {
    for (size_t i = 0; i < count; ++i) chunk->f64[i] = ((const double*)source)[2 * i];
  }
}

static void put_real(tn_dtype_t to, const chunk_t* chunk, void* destination, size_t count) {
  if (to == TN_DTYPE_C64) {
    float* parts = destination;
    for (size_t i = 0; i < count; ++i) {
      parts[2 * i] = chunk->f32[i];
      parts[2 * i + 1] = 0;
    }
  } else {
    double* parts = destination;
    for (size_t i = 0; i < count; ++i) {
      parts[2 * i] = chunk->f64[i];
      parts[2 * i + 1] = 0;
    }
  }
}

// To f64 for a second rounding to at most 16 bits: the bits that f64 has no place for are kept as
// an odd last bit, so that together it is one rounding.
static void wide_integers_to_odd_f64(bool is_signed, const chunk_t* from, chunk_t* to,
                                     size_t count) {
  for (size_t i = 0; i < count; ++i) {
    bool negative = is_signed && from->s64[i] < 0;
    uint64_t magnitude = negative ? -from->u64[i] : from->u64[i];
    if (magnitude >> 53) {
      magnitude = (magnitude & ~UINT64_C(0x7ff)) | (magnitude & 0x7ff ? 0x800 : 0);
    }
    to->f64[i] = negative ? -(double)magnitude : (double)magnitude;
  }
}

static void load(tn_dtype_t from, const void* source, chunk_t* chunk, size_t count) {
  if (is_narrow_integer(from)) {
    wrap_all(from, source, chunk->u8, count);
  } else if (is_narrow_float(from)) {
    tn__narrow_decode(from, source, chunk->f32, count);
  } else if (tn_dtype_kind(from) == TN_KIND_COMPLEX) {
    take_real(from, source, chunk, count);
  } else {
    memcpy(chunk, source, count * tn_dtype_byte_size(from));
  }
}

static void store(tn_dtype_t carrier, const chunk_t* chunk, tn_dtype_t to, void* destination,
                  size_t count) {
  if (is_narrow_integer(to)) {
    if (carrier == TN_DTYPE_F64) {
      saturate_all(to, chunk->f64, destination, count);
    } else {
      wrap_all(to, chunk->u8, destination, count);
    }
  } else if (is_narrow_float(to)) {
    if (carrier == TN_DTYPE_F32) {
      tn__narrow_encode_f32(to, chunk->f32, destination, count);
    } else {
      tn__narrow_encode_f64(to, chunk->f64, destination, count);
    }
  } else if (tn_dtype_kind(to) == TN_KIND_COMPLEX) {
    put_real(to, chunk, destination, count);
  } else {
    memcpy(destination, chunk, count * tn_dtype_byte_size(to));
  }
}

static void run_chunks(const tn_conversion_t* conversion, const void* source, void* destination,
                       size_t count) {
  tn_dtype_t from = conversion->from, to = conversion->to;
  size_t from_size = tn_dtype_byte_size(from), to_size = tn_dtype_byte_size(to);
  tn_dtype_t a = source_carrier(from), b = destination_carrier(to, a);
  tn_convert_fn between = a == b ? NULL : tn__native_conversion(a, b);
  bool wide =
      is_narrow_float(to) && (tn_dtype_kind(a) & TN_KIND_INTEGER) && tn_dtype_bit_width(a) == 64;
  chunk_t loaded, converted;
  for (size_t begin = 0; begin < count; begin += TN_CHUNK) {
    size_t length = count - begin < TN_CHUNK ? count - begin : TN_CHUNK;
    load(from, (const char*)source + begin * from_size, &loaded, length);
    const chunk_t* result = &loaded;
    if (wide) {
      wide_integers_to_odd_f64(tn_dtype_kind(a) == TN_KIND_SIGNED, &loaded, &converted, length);
      result = &converted;
    } else if (between) {
      between(conversion, &loaded, &converted, length);
      result = &converted;
    }
    store(b, result, to, (char*)destination + begin * to_size, length);
  }
}

static void run_decode(const tn_conversion_t* conversion, const void* source, void* destination,
                       size_t count) {
  tn__narrow_decode(conversion->from, source, destination, count);
}

static void run_encode(const tn_conversion_t* conversion, const void* source, void* destination,
                       size_t count) {
  tn__narrow_encode_f32(conversion->to, source, destination, count);
}

static void run_copy(const tn_conversion_t* conversion, const void* source, void* destination,
                     size_t count) {
  if (source != destination && count) {
    memcpy(destination, source, count * tn_dtype_byte_size(conversion->from));
  }
}

static void run_c64_to_c128(const tn_conversion_t* conversion, const void* source,
                            void* destination, size_t count) {
  tn__native_conversion(TN_DTYPE_F32, TN_DTYPE_F64)(conversion, source, destination, 2 * count);
}

static void run_c128_to_c64(const tn_conversion_t* conversion, const void* source,
                            void* destination, size_t count) {
  tn__native_conversion(TN_DTYPE_F64, TN_DTYPE_F32)(conversion, source, destination, 2 * count);
}

static tn_convert_fn find(tn_dtype_t from, tn_dtype_t to) {
  if (from == to) return run_copy;
  if (is_narrow_float(from) && to == TN_DTYPE_F32) return run_decode;
  if (from == TN_DTYPE_F32 && is_narrow_float(to)) return run_encode;
  if (from == TN_DTYPE_C64 && to == TN_DTYPE_C128) return run_c64_to_c128;
  if (from == TN_DTYPE_C128 && to == TN_DTYPE_C64) return run_c128_to_c64;
  tn_convert_fn native = tn__native_conversion(from, to);
  return native ? native : run_chunks;
}

tn_conversion_t tn__conversion(tn_dtype_t from, tn_dtype_t to) {
  return (tn_conversion_t){from, to, find(from, to)};
}

void tn__convert_elements(tn_dtype_t from, const void* source, tn_dtype_t to, void* destination,
                          size_t count) {
  tn_conversion_t conversion = tn__conversion(from, to);
  conversion.run(&conversion, source, destination, count);
}

int64_t tn__element_to_i64(tn_dtype_t dtype, const void* element) {
  if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) {
    uint64_t value;
    tn__convert_elements(dtype, element, TN_DTYPE_U64, &value, 1);
    return (int64_t)value;
  }
  int64_t value;
  tn__convert_elements(dtype, element, TN_DTYPE_S64, &value, 1);
  return value;
}
