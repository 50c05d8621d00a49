// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elements as unsigned numbers in the same order.
#ifndef TENON_KERNEL_SORT_SORT_KEY_H_
#define TENON_KERNEL_SORT_SORT_KEY_H_

#include "kernel/kernel.h"

// A plain value.
typedef struct tn_key_map {
  tn_dtype_t dtype;
  tn_kind_t kind;
  bool is_canonical;
  bool nan_is_zero;  // the one NaN has the bits of a negative zero
  size_t element_size;
  int bit_count;
  uint64_t mask;      // of bit_count bits
  uint64_t flip;      // what exchanges ascending and descending
  uint64_t infinity;  // floats with infinities: its bits; magnitudes above it are NaNs; else 0
} tn_key_map_t;

// False for dtypes without an order of their own.
bool tn__key_map(const tn_sort_key_t* key, tn_dtype_t dtype, tn_key_map_t* out_map);

// The key of one element, in the low bit_count bits.
uint64_t tn__key_of(const tn_key_map_t* map, const void* element);

// Keys of `count` elements that are `byte_step` bytes apart, into `wide` if they have 64 bits, else
// into `narrow`. True when elements that differ have different keys, so that tn__key_restore gets
// them back; canonical keys of floats do not show which zero or NaN it was.
bool tn__key_fill(const tn_key_map_t* map, const char* elements, int64_t byte_step, int64_t count,
                  uint32_t* narrow, uint64_t* wide);
// The elements of the keys in that list.
void tn__key_restore(const tn_key_map_t* map, const uint32_t* narrow, const uint64_t* wide,
                     int64_t count, char* elements, int64_t byte_step);

#endif  // TENON_KERNEL_SORT_SORT_KEY_H_
