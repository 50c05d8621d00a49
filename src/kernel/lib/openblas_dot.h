// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// dot_general and dot by OpenBLAS, in f32, f64, c64 and c128.
#ifndef TENON_KERNEL_LIB_OPENBLAS_DOT_H_
#define TENON_KERNEL_LIB_OPENBLAS_DOT_H_

#include "kernel/kernel.h"

const char* tn__openblas_dot_refuse(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__openblas_dot_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__openblas_dot_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_LIB_OPENBLAS_DOT_H_
