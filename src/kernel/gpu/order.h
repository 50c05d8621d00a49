// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The order of the elements of lines, as indices: stable, by merging.
#ifndef TENON_KERNEL_GPU_ORDER_H_
#define TENON_KERNEL_GPU_ORDER_H_

#include "kernel/gpu/source.h"

enum { TN_GPU_MOST_ORDERED = 1 << 30 };  // elements of a line

typedef struct tn_gpu_order {
  int64_t length, inner, line_count;  // of a line; elements between its neighbours; lines
  // Adds the addresses that LESS(j, k) reads, and defines that: whether element j of a line comes
  // before element k, whatever their places. In its scope: `base`, the first element of the line,
  // and `inner`.
  tn_status_t (*add_less)(tn_gpu_source_t* source, void* user);
  void* user;
  int64_t byte_offset;  // out: of the indices in the scratch memory, line after line, as uint
} tn_gpu_order_t;

size_t tn__gpu_order_launch_count(int64_t length);
// Finishes so many launches, from `first` on.
TN_MUST_USE tn_status_t tn__gpu_order_prepare(tn_kernel_site_t* site, tn_gpu_state_t* state,
                                              size_t first, tn_gpu_order_t* order);
// Writes line, j (its element that the item is for), base and inner. Uses numbers.
void tn__gpu_add_line(tn_gpu_source_t* source, const tn_gpu_order_t* order);

#endif  // TENON_KERNEL_GPU_ORDER_H_
