// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What sums of products are made in, for operands of any dtype.
#ifndef TENON_KERNEL_CONTRACTION_PRODUCT_H_
#define TENON_KERNEL_CONTRACTION_PRODUCT_H_

#include "base/pool.h"
#include "base/status.h"
#include "kernel/common/element.h"
#include "kernel/contraction/gemm.h"

// At least f32 for floats, 32 bits for integers; of i1 a count. `depth`: terms of a sum.
tn_dtype_t tn__product_carrier(tn_dtype_t lhs, tn_dtype_t rhs, tn_dtype_t result, int64_t depth);
tn_gemm_type_t tn__product_type(tn_dtype_t carrier);
// False when the bits are the same: one dtype, or integers of one width.
bool tn__product_converts(tn_dtype_t from, tn_dtype_t to);
// The conversion, where it converts; `run` is NULL elsewhere.
tn_conversion_t tn__product_load(tn_dtype_t from, tn_dtype_t to);
TN_MUST_USE tn_status_t tn__product_convert(const tn_conversion_t* conversion, tn_pool_t* pool,
                                            const void* source, void* target, int64_t count);

#endif  // TENON_KERNEL_CONTRACTION_PRODUCT_H_
