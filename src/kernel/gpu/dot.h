// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of matrices, private to their kernels.
#ifndef TENON_KERNEL_GPU_DOT_H_
#define TENON_KERNEL_GPU_DOT_H_

#include "kernel/gpu/source.h"

typedef struct tn_gpu_dot {
  const tn_op_use_t* use;
  tn_i64_list_t batching[2], contracting[2];  // by side
  int64_t strides[2][TN_MAX_RANK];            // by side, in elements
} tn_gpu_dot_t;

// Of dense sides, or as they are in the views.
TN_MUST_USE tn_status_t tn__gpu_dot_read(const tn_op_use_t* use, const tn_view_t* views,
                                         tn_arena_t* arena, tn_gpu_dot_t* out_dot);

// Dimensions that are gone through as if they were one.
typedef struct tn_gpu_axis {
  size_t count;
  int64_t size;
  int64_t dims[TN_MAX_RANK], strides[2][TN_MAX_RANK];  // by side
} tn_gpu_axis_t;

typedef struct tn_gpu_axes {
  tn_gpu_axis_t batch, free[2], depth;
} tn_gpu_axes_t;

// With the strides of sides `lhs` and `rhs`: 0 and 1, or twice the same for what one side alone can
// join.
tn_gpu_axes_t tn__gpu_dot_axes(const tn_gpu_dot_t* dot, size_t lhs, size_t rhs);

// Whether tiles of both sides in the group's memory are worth it.
bool tn__gpu_dot_has_tiles(const tn_gpu_dot_t* dot);
TN_MUST_USE tn_status_t tn__gpu_tiled_dot_prepare(tn_kernel_site_t* site, const tn_gpu_dot_t* dot);

#endif  // TENON_KERNEL_GPU_DOT_H_
