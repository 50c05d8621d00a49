// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/sort/sort_key.h"

#include "base/float_format.h"
#include "kernel/common/element.h"

bool tn__key_map(const tn_sort_key_t* key, tn_dtype_t dtype, tn_key_map_t* out_map) {
  tn_key_map_t map = {
      .dtype = dtype,
      .kind = tn_dtype_kind(dtype),
      .is_canonical = key->is_canonical && tn_dtype_kind(dtype) == TN_KIND_FLOAT,
      .element_size = tn_dtype_byte_size(dtype),
      .bit_count = (int)tn_dtype_bit_width(dtype),
  };
  if (!(map.kind & (TN_KIND_INTEGER | TN_KIND_BOOL | TN_KIND_FLOAT))) return false;
  map.mask = map.bit_count == 64 ? UINT64_MAX : (UINT64_C(1) << map.bit_count) - 1;
  map.flip = key->descending ? map.mask : 0;
  if (map.kind == TN_KIND_FLOAT) {
    const tn_float_format_t* format = tn__float_format(dtype);
    map.nan_is_zero = format->specials == TN_FLOAT_NAN_IS_ZERO;
    if (format->specials == TN_FLOAT_IEEE) {
      map.infinity = ((UINT64_C(1) << format->exponent_bits) - 1) << format->mantissa_bits;
    }
  }
  *out_map = map;
  return true;
}

static uint64_t bits_of(const tn_key_map_t* map, const void* element) {
  switch (map->element_size) {
    case 1: {
      uint8_t bits;
      memcpy(&bits, element, 1);
      return bits & map->mask;
    }
    case 2: {
      uint16_t bits;
      memcpy(&bits, element, 2);
      return bits & map->mask;
    }
    case 4: {
      uint32_t bits;
      memcpy(&bits, element, 4);
      return bits & map->mask;
    }
    default: {
      uint64_t bits;
      memcpy(&bits, element, 8);
      return bits & map->mask;
    }
  }
}

static uint64_t sign_bit(const tn_key_map_t* map) {
  return UINT64_C(1) << (map->bit_count - 1);
}

static bool is_nan(const tn_key_map_t* map, uint64_t bits) {
  if (map->infinity) return (bits & (map->mask >> 1)) > map->infinity;
  return tn__float_bits_are_nan(tn__float_format(map->dtype), bits);
}

static uint64_t float_key(const tn_key_map_t* map, uint64_t bits) {
  if (map->is_canonical) {
    if (is_nan(map, bits)) return map->mask;
    if ((bits & (map->mask >> 1)) == 0 && map->dtype != TN_DTYPE_F8E8M0FNU) bits = 0;
  }
  if (map->dtype == TN_DTYPE_F8E8M0FNU) return bits;  // it has no sign
  if (map->nan_is_zero) {
    // The one NaN has the bits of -0 and no sign: it follows the largest number, for which positive
    // numbers take the key of -0.
    if (bits == sign_bit(map)) return map->mask;
    return bits & sign_bit(map) ? ~bits & map->mask : (bits | sign_bit(map)) - 1;
  }
  return bits & sign_bit(map) ? ~bits & map->mask : bits | sign_bit(map);
}

uint64_t tn__key_of(const tn_key_map_t* map, const void* element) {
  const uint64_t bits = bits_of(map, element);
  uint64_t key = bits;
  if (map->kind == TN_KIND_FLOAT) key = float_key(map, bits);
  if (map->kind == TN_KIND_SIGNED) key = bits ^ sign_bit(map);
  return key ^ map->flip;
}

// Whether no other element has this one's key.
static bool is_unique(const tn_key_map_t* map, const void* element) {
  if (map->kind != TN_KIND_FLOAT || !map->is_canonical) return true;
  const uint64_t bits = bits_of(map, element);
  return bits != sign_bit(map) && !is_nan(map, bits);
}

// --- elements of 32 and 64 bits, without a call for each

// What is flipped of an element without its highest bit, and of one with it.
typedef struct flips {
  uint64_t positive, negative;
} flips_t;

static flips_t flips_of(const tn_key_map_t* map) {
  switch (map->kind) {
    case TN_KIND_FLOAT: return (flips_t){sign_bit(map), map->mask};
    case TN_KIND_SIGNED: return (flips_t){sign_bit(map), sign_bit(map)};
    default: return (flips_t){0, 0};
  }
}

#define KEYS(name) narrow_##name
#define WORD uint32_t
#include "kernel/sort/sort_key.inc"

#define KEYS(name) wide_##name
#define WORD uint64_t
#include "kernel/sort/sort_key.inc"

bool tn__key_fill(const tn_key_map_t* map, const char* elements, int64_t byte_step, int64_t count,
                  uint32_t* narrow, uint64_t* wide) {
  if (map->bit_count == 32) return narrow_fill(map, elements, byte_step, count, narrow);
  if (map->bit_count == 64) return wide_fill(map, elements, byte_step, count, wide);
  bool unique = true;
  for (int64_t i = 0; i < count; ++i) {
    const char* element = elements + i * byte_step;
    const uint64_t key = tn__key_of(map, element);
    unique = unique && is_unique(map, element);
    narrow[i] = (uint32_t)key;
  }
  return unique;
}

static uint64_t bits_of_float_key(const tn_key_map_t* map, uint64_t key) {
  if (map->dtype == TN_DTYPE_F8E8M0FNU) return key;
  if (map->nan_is_zero) {
    if (key == map->mask) return sign_bit(map);
    return key + 1 >= sign_bit(map) ? (key + 1) ^ sign_bit(map) : ~key & map->mask;
  }
  return key & sign_bit(map) ? key ^ sign_bit(map) : ~key & map->mask;
}

static void restore(const tn_key_map_t* map, uint64_t key, void* out_element) {
  uint64_t bits = (key ^ map->flip) & map->mask;
  if (map->kind == TN_KIND_FLOAT) {
    bits = bits_of_float_key(map, bits);
  } else if (map->kind == TN_KIND_SIGNED) {
    bits ^= sign_bit(map);
    // Narrow integers fill their byte with the sign.
    if (bits & sign_bit(map)) bits |= ~map->mask;
  }
  memcpy(out_element, &bits, map->element_size);
}

void tn__key_restore(const tn_key_map_t* map, const uint32_t* narrow, const uint64_t* wide,
                     int64_t count, char* elements, int64_t byte_step) {
  if (map->bit_count == 32) {
    narrow_restore(map, narrow, count, elements, byte_step);
    return;
  }
  if (map->bit_count == 64) {
    wide_restore(map, wide, count, elements, byte_step);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    restore(map, narrow[i], elements + i * byte_step);
  }
}
