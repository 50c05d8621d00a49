// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/binary.h"

#include <string.h>

static size_t id_of(const char* op) {
#define TN_UNARY(...)
#define TN_BINARY(dialect, name, ...) \
  if (strcmp(op, #name) == 0) return TN_BINARY_##name;
#include "ops/scalar.def"
  return TN_BINARY_COUNT;
}

bool tn__binary_find(const char* op, tn_dtype_t dtype, tn_binary_t* out_binary) {
  tn_binary_t binary = {.dtype = dtype};
  if (strcmp(op, "complex") == 0) return false;  // gives another dtype
  if (!tn__map_binary(op, dtype, dtype, &binary.map)) return false;
  const tn_loops_t* loops = tn__loops(tn__native(binary.map.load.to));
  const size_t id = id_of(op);
  // What the carrier folds is associative.
  binary.associative = loops->fold[id] != NULL;
  if (tn__binary_native(&binary)) {
    binary.fold = loops->fold[id];
    binary.at = loops->at[id];
  }
  *out_binary = binary;
  return true;
}

void tn__binary_map(const tn_binary_t* binary, const void* a, const void* b, void* out,
                    size_t count) {
  tn__map_run(&binary->map, a, b, out, count);
}

void tn__binary_at(const tn_binary_t* binary, void* target, const int64_t* places,
                   const void* values, size_t count) {
  const size_t size = tn_dtype_byte_size(binary->dtype);
  if (binary->at) {
    binary->at(target, places, values, count);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    if (places[i] < 0) continue;
    char* element = (char*)target + (size_t)places[i] * size;
    tn__binary_map(binary, element, (const char*)values + i * size, element, 1);
  }
}

static void fold_in_order(const tn_binary_t* binary, void* accumulator, const char* values,
                          size_t count) {
  size_t size = tn_dtype_byte_size(binary->dtype);
  for (size_t i = 0; i < count; ++i) {
    tn__binary_map(binary, accumulator, values + i * size, accumulator, 1);
  }
}

// As many lanes as there are pairs of values, a power of two up to a limit.
static void fold_in_lanes(const tn_binary_t* binary, void* accumulator, const char* values,
                          size_t count) {
  enum { LANE_LIMIT = 128 };
  int64_t lanes[LANE_LIMIT];  // no element that is converted has more than 8 bytes
  size_t size = tn_dtype_byte_size(binary->dtype), width = 1;
  while (width < LANE_LIMIT && width * 4 <= count) width *= 2;
  memcpy(lanes, values, width * size);
  for (size_t i = width; i < count; i += width) {
    size_t length = count - i < width ? count - i : width;
    tn__binary_map(binary, lanes, values + i * size, lanes, length);
  }
  for (width /= 2; width > 0; width /= 2) {
    tn__binary_map(binary, lanes, (char*)lanes + width * size, lanes, width);
  }
  tn__binary_map(binary, accumulator, lanes, accumulator, 1);
}

void tn__binary_fold(const tn_binary_t* binary, void* accumulator, const void* values,
                     size_t count) {
  if (binary->fold) {
    binary->fold(accumulator, values, count);
  } else if (binary->associative && count > TN_FOLD_SEQUENTIAL) {
    fold_in_lanes(binary, accumulator, values, count);
  } else {
    fold_in_order(binary, accumulator, values, count);
  }
}
