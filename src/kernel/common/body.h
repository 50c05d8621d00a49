// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Passing single elements to and from a region that runs as a callback.
#ifndef TENON_KERNEL_COMMON_BODY_H_
#define TENON_KERNEL_COMMON_BODY_H_

#include <string.h>

#include "kernel/common/element.h"
#include "kernel/kernel.h"

// One element of 1, 2, 4, 8 or 16 bytes: a move, not a call.
static inline void tn__element_copy(size_t size, void* target, const void* source) {
  switch (size) {
    case 1: memcpy(target, source, 1); break;
    case 2: memcpy(target, source, 2); break;
    case 4: memcpy(target, source, 4); break;
    case 8: memcpy(target, source, 8); break;
    default: memcpy(target, source, 16); break;
  }
}

// An element on its way into a place of another dtype, which mostly is the same.
typedef struct tn_element_path {
  tn_conversion_t conversion;
  size_t size;  // of what is moved; 0: convert
} tn_element_path_t;

static inline tn_element_path_t tn__element_path(tn_dtype_t from, tn_dtype_t to) {
  const tn_element_path_t path = {tn__conversion(from, to),
                                  from == to ? tn_dtype_byte_size(to) : 0};
  return path;
}
static inline void tn__element_move(const tn_element_path_t* path, void* target,
                                    const void* source) {
  if (path->size) {
    tn__element_copy(path->size, target, source);
  } else {
    path->conversion.run(&path->conversion, source, target, 1);
  }
}

#endif  // TENON_KERNEL_COMMON_BODY_H_
