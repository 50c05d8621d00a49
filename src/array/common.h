// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the operations on arrays are written with.
#ifndef TENON_ARRAY_COMMON_H_
#define TENON_ARRAY_COMMON_H_

#include <tenon/detail/array_ops.h>

#include "base/type.h"
#include "lazy/array.h"

// Checks return NULL, or the array with the error that is the result (TN__RETURN_IF_FAILED).

// Shapes of operands, broadcast against each other; an error array when they do not.
typedef struct tn_array_shape {
  size_t rank;
  int64_t dims[TN_MAX_RANK];
} tn_array_shape_t;
tn_array_t* tn__broadcast_shapes(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                 tn_array_shape_t* out_shape);

// The dtype that all of them are promoted to; an error array when there is none.
tn_array_t* tn__result_type(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                            tn_dtype_t* out_dtype);

// Floats and complex dtypes as they are, others as float32.
tn_dtype_t tn__at_least_float(tn_dtype_t dtype);

// What a caller gives besides arrays; an error array when it cannot be. Dimensions: a list, no
// longer than the limit.
tn_array_t* tn__check_dims(tn_scope_t* scope, size_t rank, const int64_t* dims);
// A list that is needed when it has elements.
tn_array_t* tn__check_list(tn_scope_t* scope, const char* what, size_t count, const void* list);
// One of an enumeration, whose members are 0 to `last`.
tn_array_t* tn__check_choice(tn_scope_t* scope, const char* what, int choice, int last);
// A dtype that arrays can have.
tn_array_t* tn__check_dtype(tn_scope_t* scope, tn_dtype_t dtype);

// An axis from the end or the beginning, of `rank` dimensions; an error array when it is outside.
tn_array_t* tn__normalise_axis(tn_scope_t* scope, int64_t axis, size_t rank, size_t* out_axis);
// The axis to work along; without one the array is flattened.
tn_array_t* tn__axis_or_all(tn_scope_t* scope, tn_array_t** x, int64_t axis, size_t* out_axis);
// A list of them, as a set of bits; NULL: all. An axis that is given twice is an error.
tn_array_t* tn__normalise_axes(tn_scope_t* scope, size_t count, const int64_t* axes, size_t rank,
                               uint64_t* out_set);

// What an operation on elements asks of its operands.
typedef enum tn_operand_rule {
  TN_OPERANDS_FLOAT = 1 << 0,    // integers and booleans become float32
  TN_OPERANDS_REAL = 1 << 1,     // none is complex
  TN_OPERANDS_INTEGER = 1 << 2,  // all are integers or booleans
  TN_OPERANDS_NUMBER = 1 << 3,   // they are not booleans
  TN_OPERANDS_BOOL = 1 << 4,     // become booleans
} tn_operand_rule_t;

// Promotes and broadcasts the operands in their list; an error array when that cannot be, or a
// rule is broken.
tn_array_t* tn__prepare(tn_scope_t* scope, size_t count, tn_array_t** operands, unsigned rules,
                        tn_array_shape_t* out_shape, tn_dtype_t* out_dtype);
// The operation on prepared operands, with a result of their dtype. Changes the list.
tn_array_t* tn__elementwise(tn_scope_t* scope, const char* name, const tn_op_t* op, size_t count,
                            tn_array_t** operands, unsigned rules);
// An operation on one array as it is, with a result of the same shape.
tn_array_t* tn__map(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, tn_dtype_t dtype);
// A number of x's dtype; x itself when it holds an error.
tn_array_t* tn__number_like(tn_scope_t* scope, tn_array_t* x, double value);
// float32 for complex64, float64 for complex128, others as they are.
tn_dtype_t tn__real_dtype(tn_dtype_t dtype);
// 0, 1, 2... along `axis` of this shape.
tn_array_t* tn__iota(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                     size_t axis);

#endif  // TENON_ARRAY_COMMON_H_
