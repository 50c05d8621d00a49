// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// batch_norm_inference, batch_norm_training and batch_norm_grad.
#ifndef TENON_KERNEL_REDUCTION_BATCH_NORM_H_
#define TENON_KERNEL_REDUCTION_BATCH_NORM_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_batch_norm_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_batch_norm_inference_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_batch_norm_training_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_batch_norm_grad_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_REDUCTION_BATCH_NORM_H_
