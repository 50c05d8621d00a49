// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What refine.c and refine_calls.c share: a function on its way to static types, node by node.
#ifndef TENON_PASS_REFINER_H_
#define TENON_PASS_REFINER_H_

#include "pass/passes.h"

typedef struct tn_refiner {
  tn_arena_t* arena;  // the module's
  tn_arena_t scratch;
} tn_refiner_t;

// The name of an operation in an error, for "%s%s".
#define TN_REFINED_OP(op) tn__op_has(op, TN_FOREIGN) ? "custom call @" : "", tn__op_short_name(op)

// The elements of an operand, which must be that many integers or booleans, and constant.
TN_MUST_USE tn_status_t tn__refine_read_operand(tn_refiner_t* refiner, const tn_node_t* node,
                                                uint32_t operand, size_t count,
                                                const int64_t** out_values);
TN_MUST_USE tn_status_t tn__refine_set_shape(tn_refiner_t* refiner, tn_value_t* result, size_t rank,
                                             const int64_t* dims);
// Sets the result types that the operation's rule derives from `use`.
TN_MUST_USE tn_status_t tn__refine_infer(tn_refiner_t* refiner, tn_node_t* node,
                                         const tn_op_use_t* use);

// Whether a custom call has operands that are sizes: JAX writes operations with such operands as
// calls of other names, and names the shape operands of any call in indices_of_shape_operands.
bool tn__refine_has_rule(const tn_node_t* node);
// Refines such a call: it becomes the operation that it stands for, or loses its shape operands.
// For any other call UNIMPLEMENTED: the sizes of its results are unknown (refine_calls.c).
TN_MUST_USE tn_status_t tn__refine_call(tn_refiner_t* refiner, tn_node_t* node);

#endif  // TENON_PASS_REFINER_H_
