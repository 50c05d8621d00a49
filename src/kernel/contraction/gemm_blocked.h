// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products whose operands are packed into panels, block by block (the form BLOCKED).
#ifndef TENON_KERNEL_CONTRACTION_GEMM_BLOCKED_H_
#define TENON_KERNEL_CONTRACTION_GEMM_BLOCKED_H_

#include "kernel/contraction/gemm.h"

// Of scratch for one matrix; 64-byte aligned, as its length is.
size_t tn__gemm_blocked_scratch(const tn_gemm_t* gemm);
TN_MUST_USE tn_status_t tn__gemm_blocked_run(const tn_gemm_t* gemm, tn_pool_t* pool,
                                             const char* lhs, const char* rhs, char* result,
                                             char* scratch);

#endif  // TENON_KERNEL_CONTRACTION_GEMM_BLOCKED_H_
