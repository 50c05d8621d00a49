// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// ops/scalar.def as functions of numbers, computed more exactly than any dtype has them.
#ifndef TENON_KERNEL_REFERENCE_SCALAR_H_
#define TENON_KERNEL_REFERENCE_SCALAR_H_

#include "kernel/reference/number.h"
#include "ops/op.h"

// `bits` is the width of the operands' dtype. There is room for two operands.
typedef tn_number_t (*tn_scalar_fn)(const tn_number_t* operands, uint32_t bits);

// NULL when the operation is not in the table, or not for operands of this dtype.
tn_scalar_fn tn__scalar_find(const tn_op_t* op, tn_dtype_t dtype);

#endif  // TENON_KERNEL_REFERENCE_SCALAR_H_
