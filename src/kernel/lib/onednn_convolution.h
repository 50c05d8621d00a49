// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// convolution by oneDNN, in f32 and bf16.
#ifndef TENON_KERNEL_LIB_ONEDNN_CONVOLUTION_H_
#define TENON_KERNEL_LIB_ONEDNN_CONVOLUTION_H_

#include "kernel/kernel.h"

// Why the library cannot compute it, or not sensibly.
const char* tn__onednn_convolution_decline(const tn_op_use_t* use);
// The same, or why our own kernel is as fast on this processor.
const char* tn__onednn_convolution_refuse(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__onednn_convolution_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__onednn_convolution_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_LIB_ONEDNN_CONVOLUTION_H_
