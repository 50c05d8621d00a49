// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays made up on the spot: zeros, ones, counting, and random numbers.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// SplitMix64: element i of a stream is a function of (seed, stream, i) alone.
static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);

// How many random bits give multiples of 2^-bits in [0, 1) that the dtype holds exactly.
static unsigned float_bits(tn_dtype_t dtype) {
  switch (dtype) {
    case TN_DTYPE_F64:
    case TN_DTYPE_C128: return 53;
    case TN_DTYPE_F32:
    case TN_DTYPE_C64: return 24;
    case TN_DTYPE_F16: return 11;
    case TN_DTYPE_BF16: return 8;
    case TN_DTYPE_F8E3M4: return 5;
    case TN_DTYPE_F8E4M3:
    case TN_DTYPE_F8E4M3FN:
    case TN_DTYPE_F8E4M3FNUZ:
    case TN_DTYPE_F8E4M3B11FNUZ: return 4;
    case TN_DTYPE_F4E2M1FN: return 1;
    default: return 3;
  }
}

static double unit(tn_dtype_t dtype, uint64_t bits) {
  unsigned count = float_bits(dtype);
  if (dtype == TN_DTYPE_F8E8M0FNU) return 1.0 / (double)(UINT64_C(2) << (bits >> 61));  // powers
  return (double)(bits >> (64 - count)) / (double)(UINT64_C(1) << count);
}

// 0 to 99, as far as the dtype goes.
static double whole(tn_dtype_t dtype, uint64_t bits) {
  bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  uint32_t width = tn_dtype_bit_width(dtype) - is_signed;
  uint64_t count = width < 7 ? UINT64_C(1) << width : 100;
  return (double)((bits >> 32) * count >> 32);
}

static void random_element(tn_dtype_t dtype, uint64_t state, char* element) {
  uint64_t bits = mix(state);
  size_t size = tn_dtype_byte_size(dtype);
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL: *element = (char)(bits >> 63); break;
    case TN_KIND_FLOAT: tn_dtype_store(dtype, unit(dtype, bits), element); break;
    case TN_KIND_COMPLEX: {
      tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
      tn_dtype_store(part, unit(part, bits), element);
      tn_dtype_store(part, unit(part, mix(~state)), element + size / 2);
      break;
    }
    default: tn_dtype_store(dtype, whole(dtype, bits), element);
  }
}

static void fill_floats(float* data, size_t count, uint64_t state) {
  for (size_t i = 0; i < count; ++i) {
    data[i] = (float)(mix(state + i * step) >> 40) * 0x1p-24F;
  }
}

static void fill_elements(tn_dtype_t dtype, fill_t fill, uint64_t state, size_t count, char* data) {
  size_t size = tn_dtype_byte_size(dtype);
  if (fill == FILL_RANDOM && dtype == TN_DTYPE_F32) {  // the usual one
    fill_floats((float*)(void*)data, count, state);
    return;
  }
  for (size_t i = 0; i < count; ++i, data += size) {
    switch (fill) {
      case FILL_RANDOM: random_element(dtype, state + i * step, data); break;
      case FILL_IOTA: tn_dtype_store(dtype, (double)i, data); break;
      default: tn_dtype_store(dtype, fill == FILL_ONES ? 1 : 0, data);
    }
  }
}

typedef struct filling {
  tn_dtype_t dtype;
  fill_t fill;
  uint64_t seed;  // of this array
} filling_t;

static tn_status_t write_filling(void* user, size_t count, void* data) {
  const filling_t* filling = user;
  fill_elements(filling->dtype, filling->fill, filling->seed, count, data);
  return TN_OK;
}

tn_status_t cli_fill_array(tn_device_t* device, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                           fill_t fill, uint64_t seed, uint64_t stream, tn_buffer_t** out_buffer) {
  filling_t filling = {dtype, fill, mix(seed + step) + mix(stream * step)};
  return cli_make_buffer(device, dtype, rank, dims, write_filling, &filling, out_buffer);
}

tn_status_t cli_fill(tn_device_t* device, const tn_type_t* type, fill_t fill, uint64_t seed,
                     uint64_t stream, tn_buffer_t** out_buffer) {
  static const char* const words[] = {"", "zeros", "ones", "iota", "random"};
  for (size_t d = 0; d < tn_type_rank(type); ++d) {
    if (tn_type_dims(type)[d] != TN_DIM_DYNAMIC) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "dimension %zu is dynamic: '%s' cannot choose its size; give a .npy "
                            "file or a shape such as 2x3xf32=%s",
                            d, words[fill], words[fill]);
  }
  return cli_fill_array(device, tn_type_dtype(type), tn_type_rank(type), tn_type_dims(type), fill,
                        seed, stream, out_buffer);
}
