// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Convolutions, private to their kernels.
#ifndef TENON_KERNEL_GPU_CONVOLUTION_H_
#define TENON_KERNEL_GPU_CONVOLUTION_H_

#include "kernel/convolution/convolution.h"
#include "kernel/gpu/sliding.h"

// What is where; strides in elements.
typedef struct tn_gpu_convolution {
  const tn_op_use_t* use;
  tn_convolution_layout_t input, kernel, output;
  tn_sliding_t spatial;
  int64_t input_strides[TN_MAX_RANK], kernel_strides[TN_MAX_RANK];
  int64_t spatial_strides[TN_MAX_RANK];  // of the input
  tn_i64_list_t reversal;
  // Groups of features, or of the batch: how many there are, from one to the next in the input, and
  // how many features of the result are of one.
  int64_t group_count, group_stride, features;
} tn_gpu_convolution_t;

// Writes `tap`: where element w of a window is in the kernel, from `k` on.
void tn__gpu_add_tap(tn_gpu_source_t* source, const tn_gpu_convolution_t* layouts);

// Whether tiles are worth it (tiled_convolution.c).
bool tn__gpu_convolution_has_tiles(const tn_gpu_convolution_t* it);
TN_MUST_USE tn_status_t tn__gpu_tiled_convolution_prepare(tn_kernel_site_t* site,
                                                          const tn_gpu_convolution_t* it);

#endif  // TENON_KERNEL_GPU_CONVOLUTION_H_
