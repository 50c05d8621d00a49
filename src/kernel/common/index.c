// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/index.h"

static inline int64_t load(tn_dtype_t dtype, const char* element) {
  uint32_t narrow;
  int64_t wide;
  switch (dtype) {
    case TN_DTYPE_S32: memcpy(&narrow, element, sizeof narrow); return (int32_t)narrow;
    case TN_DTYPE_U32: memcpy(&narrow, element, sizeof narrow); return narrow;
    case TN_DTYPE_S64: memcpy(&wide, element, sizeof wide); return wide;
    default: return tn__index_load(dtype, element);
  }
}

// With constant arguments these are loops of a few instructions, of which compilers make vectors.
static inline __attribute__((always_inline)) void load_run(tn_dtype_t dtype, const char* elements,
                                                           int64_t step, int64_t count,
                                                           int64_t* restrict out_indices) {
  for (int64_t i = 0; i < count; ++i) out_indices[i] = load(dtype, elements + i * step);
}

void tn__index_load_run(tn_dtype_t dtype, const void* elements, int64_t step, int64_t count,
                        int64_t* restrict out_indices) {
  const bool is_adjacent = step == (int64_t)tn_dtype_byte_size(dtype);
  if (dtype == TN_DTYPE_S32 && is_adjacent) {
    load_run(TN_DTYPE_S32, elements, sizeof(int32_t), count, out_indices);
  } else if (dtype == TN_DTYPE_S32) {
    load_run(TN_DTYPE_S32, elements, step, count, out_indices);
  } else if (dtype == TN_DTYPE_U32) {
    load_run(TN_DTYPE_U32, elements, step, count, out_indices);
  } else if (dtype == TN_DTYPE_S64) {
    load_run(TN_DTYPE_S64, elements, step, count, out_indices);
  } else {
    load_run(dtype, elements, step, count, out_indices);
  }
}
