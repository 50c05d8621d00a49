// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels whose result element i depends on element i of the operands alone. Columns of
// kernels.def; all are safe when the result is where an operand of the same byte length is.
#ifndef TENON_KERNEL_ELEMENTWISE_ELEMENTWISE_H_
#define TENON_KERNEL_ELEMENTWISE_ELEMENTWISE_H_

#include "kernel/kernel.h"

// elementwise.c: the rows of ops/scalar.def, and compare.
bool tn__cpu_unary_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_unary_prepare(tn_kernel_site_t* site);
bool tn__cpu_binary_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_binary_prepare(tn_kernel_site_t* site);
bool tn__cpu_compare_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_compare_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_map_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_map_range(int64_t begin, int64_t end, void* user);
bool tn__cpu_map_takes_repeated(const void* state, uint32_t operand);

// clamp.c
bool tn__cpu_clamp_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_clamp_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_clamp_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_clamp_range(int64_t begin, int64_t end, void* user);

// select.c
TN_MUST_USE bool tn__cpu_select_takes_repeated(const void* state, uint32_t operand);
tn_status_t tn__cpu_select_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_select_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_select_range(int64_t begin, int64_t end, void* user);

// convert.c
TN_MUST_USE tn_status_t tn__cpu_convert_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_convert_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_convert_range(int64_t begin, int64_t end, void* user);

// bitcast.c
TN_MUST_USE tn_status_t tn__cpu_bitcast_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_bitcast_range(int64_t begin, int64_t end, void* user);
tn_status_t tn__cpu_bitcast_run(const tn_kernel_call_t* call);

// next_after.c
bool tn__cpu_next_after_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_next_after_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_next_after_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_next_after_range(int64_t begin, int64_t end, void* user);

// reduce_precision.c
bool tn__cpu_reduce_precision_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_reduce_precision_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_reduce_precision_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_reduce_precision_range(int64_t begin, int64_t end, void* user);

#endif  // TENON_KERNEL_ELEMENTWISE_ELEMENTWISE_H_
