// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <string.h>
#include <tenon/detail/dtype.h>

typedef struct dtype_row {
  const char* name;
  const char* numpy_name;
  uint32_t bits;
  tn_kind_t kind;
} dtype_row_t;

static const dtype_row_t rows[TN_DTYPE_LIMIT] = {
#define TN_DTYPE(name, number, mlir, numpy, bits, kind) \
  [TN_DTYPE_##name] = {mlir, numpy, bits, TN_KIND_##kind},
#include <tenon/detail/dtype.def>
#undef TN_DTYPE
};

bool tn_dtype_is_valid(int dtype) {
  return dtype > 0 && dtype < TN_DTYPE_LIMIT && rows[dtype].name != NULL;
}

static const dtype_row_t* row(tn_dtype_t dtype) {
  static const dtype_row_t invalid = {"invalid", "", 0, TN_KIND_NONE};
  return tn_dtype_is_valid((int)dtype) ? &rows[dtype] : &invalid;
}

const char* tn_dtype_name(tn_dtype_t dtype) {
  return row(dtype)->name;
}
const char* tn_dtype_numpy_name(tn_dtype_t dtype) {
  return row(dtype)->numpy_name;
}
tn_kind_t tn_dtype_kind(tn_dtype_t dtype) {
  return row(dtype)->kind;
}
uint32_t tn_dtype_bit_width(tn_dtype_t dtype) {
  return row(dtype)->bits;
}
size_t tn_dtype_byte_size(tn_dtype_t dtype) {
  return (row(dtype)->bits + 7) / 8;
}

tn_dtype_t tn_dtype_from_name(const char* name, size_t length) {
  if (length == 0) return TN_DTYPE_INVALID;
  for (int i = 0; i < TN_DTYPE_LIMIT; ++i) {
    const dtype_row_t* r = &rows[i];
    if (!r->name) continue;
    if (strlen(r->name) == length && memcmp(r->name, name, length) == 0) return (tn_dtype_t)i;
    if (strlen(r->numpy_name) == length && memcmp(r->numpy_name, name, length) == 0) {
      return (tn_dtype_t)i;
    }
  }
  return TN_DTYPE_INVALID;
}
