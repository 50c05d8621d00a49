// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The functions that kernels.def names.
#ifndef TENON_KERNEL_REFERENCE_KERNELS_H_
#define TENON_KERNEL_REFERENCE_KERNELS_H_

#include "kernel/reference/reference.h"
#include "ops/scalar.h"

#define TN_KERNEL(operation, function, supports, in_place) \
  tn_status_t tn__reference_##function##_run(const tn_kernel_call_t* call);
#include "kernel/reference/kernels.def"
#undef TN_KERNEL

bool tn__reference_scalar_supports(const tn_op_use_t* use);
bool tn__reference_clamp_supports(const tn_op_use_t* use);
bool tn__reference_bitcast_supports(const tn_op_use_t* use);
bool tn__reference_reduce_precision_supports(const tn_op_use_t* use);
bool tn__reference_fold_supports(const tn_op_use_t* use);
bool tn__reference_dot_supports(const tn_op_use_t* use);

#endif  // TENON_KERNEL_REFERENCE_KERNELS_H_
