// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// reduce: several operands, any computation.
#ifndef TENON_KERNEL_REDUCTION_REDUCE_H_
#define TENON_KERNEL_REDUCTION_REDUCE_H_

#include "kernel/kernel.h"

bool tn__cpu_reduce_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
TN_MUST_USE tn_status_t tn__cpu_reduce_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_reduce_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_reduce_folds(const tn_op_use_t* use, const tn_body_shape_t* body,
                                             uint32_t* out_folds);
TN_MUST_USE tn_status_t tn__cpu_reduce_run_from(const tn_kernel_call_t* call,
                                                const tn_kernel_source_t* source);
TN_MUST_USE tn_status_t tn__cpu_reduce_run_rows(const tn_kernel_call_t* call, int64_t count);

bool tn__cpu_reduce_fold_squares(void* state);

#endif  // TENON_KERNEL_REDUCTION_REDUCE_H_
