// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// scatter: updates combined into places that arrive as data.
#ifndef TENON_KERNEL_GATHER_SCATTER_SCATTER_H_
#define TENON_KERNEL_GATHER_SCATTER_SCATTER_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_scatter_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_scatter_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_GATHER_SCATTER_SCATTER_H_
