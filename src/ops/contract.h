// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What contractions (dot_general, convolution and related ones) share.
#ifndef TENON_OPS_CONTRACT_H_
#define TENON_OPS_CONTRACT_H_

#include "ops/rule.h"

// Whether products of elements of these types may be summed: floats of several widths mix
// (f8E4M3FN by f8E5M2 into f32), likewise integers.
bool tn__contract_mixes(tn_dtype_t a, tn_dtype_t b);
// The element type of the result is the producer's choice (accumulation in a wider type): as it is
// stated, else as lhs has it.
tn_dtype_t tn__contract_dtype(const tn_op_use_t* use, tn_dtype_t lhs);
// precision_config is absent or empty, or has an entry for each operand; one for both is what
// StableHLO's own tools take as well.
TN_MUST_USE tn_status_t tn__contract_precision(const tn_op_use_t* use, const char* constraint);

// One operand's share of dimension numbers: #stablehlo.dot, #chlo.ragged_dot.
typedef struct tn_contract_side {
  const tn_type_t* type;
  tn_i64_list_t batching, contracting;
  uint64_t set;  // both together
} tn_contract_side_t;

// Operands 0 and 1 against the dimension numbers in the attribute `numbers`: dot_general's C1 to
// C10, C11 and C13.
TN_MUST_USE tn_status_t tn__contract_sides(const tn_op_use_t* use, const char* numbers,
                                           tn_contract_side_t* out_lhs,
                                           tn_contract_side_t* out_rhs);
// Appends the sizes of batching dimensions, of lhs's others, of rhs's others but those in
// `skipped`. `dims` has room for 2 * TN_MAX_RANK + 1.
void tn__contract_dims(const tn_contract_side_t* lhs, const tn_contract_side_t* rhs,
                       uint64_t skipped, size_t* rank, int64_t* dims);

#endif  // TENON_OPS_CONTRACT_H_
