// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// chlo.scan. Columns of kernels.def.
#ifndef TENON_KERNEL_REDUCTION_SCAN_REGION_H_
#define TENON_KERNEL_REDUCTION_SCAN_REGION_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_scan_region_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_scan_region_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_REDUCTION_SCAN_REGION_H_
