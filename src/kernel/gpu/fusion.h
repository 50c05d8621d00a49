// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fusions with reductions of rows, private to the kernel of fusions.
#ifndef TENON_KERNEL_GPU_FUSION_H_
#define TENON_KERNEL_GPU_FUSION_H_

#include "ir/ir.h"
#include "kernel/gpu/gpu.h"

// Whether the reduction folds rows that are not too long for an item, or the lanes of a group.
bool tn__gpu_folds_rows(const tn_op_use_t* use);

// Whether the region has a reduction that others read, or several, or operations on rows.
bool tn__gpu_region_has_rows(const tn_region_t* region);
// Whether such a region is one launch.
TN_MUST_USE tn_status_t tn__gpu_rows_fit(const tn_region_t* region, tn_arena_t* scratch,
                                         bool* out_fits);
TN_MUST_USE tn_status_t tn__gpu_rows_prepare(tn_kernel_site_t* site);

#endif  // TENON_KERNEL_GPU_FUSION_H_
