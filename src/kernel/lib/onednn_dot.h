// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// dot_general and dot of bf16 and of 8-bit integers by oneDNN.
#ifndef TENON_KERNEL_LIB_ONEDNN_DOT_H_
#define TENON_KERNEL_LIB_ONEDNN_DOT_H_

#include "kernel/kernel.h"

const char* tn__onednn_dot_refuse(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__onednn_dot_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__onednn_dot_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_LIB_ONEDNN_DOT_H_
