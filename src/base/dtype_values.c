// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elements whose byte has more bits than their dtype.
#include <stdint.h>
#include <tenon/detail/dtype.h>

// Bits that are not the dtype's; of signed ones the sign is repeated in them.
typedef struct spare {
  uint8_t mask;  // 0: there are none
  uint8_t sign;  // 0: unsigned
} spare_t;

static spare_t spare_of(tn_dtype_t dtype) {
  const uint32_t width = tn_dtype_bit_width(dtype);
  if (width == 0 || width >= 8) return (spare_t){0, 0};
  const bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  return (spare_t){(uint8_t)(0xFF << width), is_signed ? (uint8_t)(1 << (width - 1)) : 0};
}

// The sign in the upper bits: what is taken away and added again leaves only it there.
static inline uint8_t value_of(uint8_t byte, spare_t spare) {
  return (uint8_t)(((byte & (uint8_t)~spare.mask) ^ spare.sign) - spare.sign);
}

bool tn_dtype_are_values(tn_dtype_t dtype, const void* elements, size_t count) {
  const spare_t spare = spare_of(dtype);
  const uint8_t* bytes = elements;
  uint8_t difference = 0;
  for (size_t i = 0; spare.mask && i < count; ++i) {
    difference |= (uint8_t)(bytes[i] ^ value_of(bytes[i], spare));
  }
  return !difference;
}

void tn_dtype_make_values(tn_dtype_t dtype, void* elements, size_t count) {
  const spare_t spare = spare_of(dtype);
  uint8_t* bytes = elements;
  if (dtype == TN_DTYPE_PRED) {
    for (size_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0;
  } else if (spare.mask) {
    for (size_t i = 0; i < count; ++i) bytes[i] = value_of(bytes[i], spare);
  }
}
