// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// chlo.ragged_dot. Columns of kernels.def.
#ifndef TENON_KERNEL_CONTRACTION_RAGGED_DOT_H_
#define TENON_KERNEL_CONTRACTION_RAGGED_DOT_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_ragged_dot_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_ragged_dot_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_CONTRACTION_RAGGED_DOT_H_
