// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// chlo.top_k. Columns of kernels.def.
#ifndef TENON_KERNEL_SORT_TOP_K_H_
#define TENON_KERNEL_SORT_TOP_K_H_

#include "kernel/kernel.h"

bool tn__cpu_top_k_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_top_k_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_top_k_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_SORT_TOP_K_H_
