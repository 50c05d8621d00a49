// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Convolutions of numbers that are not complex, without matrices: the terms of a sum are traversed
// where they are, in whatever order the operands have their dimensions. So gradients, whose sums
// go over the batch and over places far apart, cost what the convolution itself does.
#ifndef TENON_KERNEL_CONVOLUTION_CONVOLUTION_WALK_H_
#define TENON_KERNEL_CONVOLUTION_CONVOLUTION_WALK_H_

#include "kernel/common/sliding.h"
#include "kernel/convolution/convolution.h"
#include "kernel/kernel.h"

// What there is to plan it from.
typedef struct tn_convolution_shape {
  tn_convolution_layout_t input, kernel, output;
  tn_sliding_t spatial;
  tn_dtype_t carrier;
  int64_t groups, batch_groups;
  int64_t batch, depth_features, features;  // of the result and of one group: batch, in, out
} tn_convolution_shape_t;

typedef struct tn_convolution_walk tn_convolution_walk_t;

// *out_walk stays NULL where matrices are better: for one feature to a group, and where padding or
// dilation would take much more memory than the arrays.
TN_MUST_USE tn_status_t tn__convolution_walk_plan(tn_kernel_site_t* site,
                                                  const tn_convolution_shape_t* shape,
                                                  tn_convolution_walk_t** out_walk);
TN_MUST_USE tn_status_t tn__convolution_walk_run(const tn_convolution_walk_t* walk,
                                                 const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_CONVOLUTION_CONVOLUTION_WALK_H_
