// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// gather: windows of the operand, at positions that arrive as data.
#ifndef TENON_KERNEL_GATHER_SCATTER_GATHER_H_
#define TENON_KERNEL_GATHER_SCATTER_GATHER_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_gather_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_gather_run(const tn_kernel_call_t* call);
// Of a gather that looks up (tn__node_looks_up): `user` has parts of the indices and results, and
// the whole list.
TN_MUST_USE tn_status_t tn__cpu_gather_range(int64_t begin, int64_t end, void* user);

#endif  // TENON_KERNEL_GATHER_SCATTER_GATHER_H_
