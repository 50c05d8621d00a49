// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels that move whole elements and know no dtypes.
#ifndef TENON_KERNEL_MOVEMENT_MOVEMENT_H_
#define TENON_KERNEL_MOVEMENT_MOVEMENT_H_

#include "kernel/kernel.h"

// Every operation that passes its operand on, byte for byte: reshape.
TN_MUST_USE tn_status_t tn__cpu_copy_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_copy_run(const tn_kernel_call_t* call);

// What makes a view (ops/view.h), stored: one strided copy.
TN_MUST_USE tn_status_t tn__cpu_view_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_view_run(const tn_kernel_call_t* call);

TN_MUST_USE tn_status_t tn__cpu_concatenate_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_concatenate_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_pad_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_pad_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_dynamic_slice_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_dynamic_slice_run(const tn_kernel_call_t* call);
// Of what is put in.
bool tn__cpu_dynamic_update_slice_takes_view(const tn_op_use_t* use, size_t operand,
                                             const tn_view_t* view);
TN_MUST_USE tn_status_t tn__cpu_dynamic_update_slice_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_dynamic_update_slice_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_MOVEMENT_MOVEMENT_H_
