// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// convolution, with everything that it can have.
#ifndef TENON_KERNEL_CONVOLUTION_CONVOLUTION_H_
#define TENON_KERNEL_CONVOLUTION_CONVOLUTION_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_convolution_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_convolution_run(const tn_kernel_call_t* call);

// Which dimensions of an array are what: of the operand and the result batch and feature, of the
// kernel input and output feature; and the spatial ones.
typedef struct tn_convolution_layout {
  int64_t first, second;
  tn_i64_list_t spatial;
} tn_convolution_layout_t;

TN_MUST_USE tn_status_t tn__convolution_layouts(const tn_kernel_site_t* site,
                                                tn_convolution_layout_t* out_input,
                                                tn_convolution_layout_t* out_kernel,
                                                tn_convolution_layout_t* out_output);

#endif  // TENON_KERNEL_CONVOLUTION_CONVOLUTION_H_
