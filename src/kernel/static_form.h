// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The static forms of operations that take shapes and amounts as operands: dynamic_pad is a pad
// whose attributes are operands, and becomes one as soon as their elements are known. A pass does
// that when they are constants, a kernel (ref/dynamic.h) when they are computed.
#ifndef TENON_KERNEL_STATIC_FORM_H_
#define TENON_KERNEL_STATIC_FORM_H_

#include "ops/op.h"

typedef struct tn_static_form {
  const tn_op_t* dynamic;
  const tn_op_t* fixed;
  size_t data_count;  // the operands that both have; those that follow become attributes:
  // their names; NULL stands for the shape of the result, which the elements must equal
  const char* attrs[3];
} tn_static_form_t;

// NULL when the operation has no such operands.
const tn_static_form_t* tn__static_form_of(const tn_op_t* op);

// The elements of an integer operand; one for all when `splat`. In `arena`.
TN_MUST_USE tn_status_t tn__static_form_read(tn_arena_t* arena, const tn_type_t* type,
                                             const void* data, bool splat,
                                             const int64_t** out_values);

// The static form of `use`, an error when that breaks a constraint. `values` has the elements of
// each operand after the first `data_count`. What the result needs is in `arena`, and refers to
// `use`.
TN_MUST_USE tn_status_t tn__static_form_use(const tn_static_form_t* form, const tn_op_use_t* use,
                                            const int64_t* const* values, tn_arena_t* arena,
                                            tn_op_use_t* out_use);

#endif  // TENON_KERNEL_STATIC_FORM_H_
