// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Indices that arrive as data: starts of slices, gathers and scatters, of any integer dtype.
#ifndef TENON_KERNEL_COMMON_INDEX_H_
#define TENON_KERNEL_COMMON_INDEX_H_

#include <string.h>

#include "kernel/common/element.h"

// The value of one integer element; unsigned 64-bit values past INT64_MAX become that.
static inline int64_t tn__index_load(tn_dtype_t dtype, const void* element) {
  if (dtype == TN_DTYPE_S32) {
    int32_t value;
    memcpy(&value, element, sizeof value);
    return value;
  }
  const int64_t value = tn__element_to_i64(dtype, element);
  return dtype == TN_DTYPE_U64 && value < 0 ? INT64_MAX : value;
}

// The values of `count` integer elements that begin `step` bytes apart, each as tn__index_load
// gives it.
void tn__index_load_run(tn_dtype_t dtype, const void* elements, int64_t step, int64_t count,
                        int64_t* restrict out_indices);

// The start of a window that must be inside: at least 0, at most `limit` (>= 0).
static inline int64_t tn__index_clamp(int64_t index, int64_t limit) {
  return index < 0 ? 0 : index > limit ? limit : index;
}

#endif  // TENON_KERNEL_COMMON_INDEX_H_
