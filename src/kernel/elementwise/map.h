// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A unary or binary elementwise operation over some dtype, ready to run: a loop over a native
// dtype, and what it takes to get elements into that dtype and back.
#ifndef TENON_KERNEL_ELEMENTWISE_MAP_H_
#define TENON_KERNEL_ELEMENTWISE_MAP_H_

#include "kernel/common/element.h"
#include "kernel/common/loops.h"

// A plain value; immutable, thread-safe. Elements of dtype `load.from` are computed in `load.to`,
// which gives `store.from`, kept as `store.to`.
typedef struct tn_map {
  tn_conversion_t load, store;
  tn_unary_fn unary;                      // one of them
  tn_binary_fn binary;                    //
  tn_binary_fn repeating[TN_SIDE_COUNT];  // of a binary one; NULL: there is none
  int64_t grain;                          // elements that are worth a thread's while
  tn_threaded_forms_t threaded;           // of one element; NULL: there is none
  // Of floats of 16 bits that are computed in f32: the same in f64, for results that f32 leaves
  // unsure. NULL: f32 rounds as if once.
  tn_unary_fn precise_unary;
  tn_binary_fn precise_binary;
} tn_map_t;

// False when there is no such operation on this dtype. `op` without dialect.
bool tn__map_unary(const char* op, tn_dtype_t operand, tn_dtype_t result, tn_map_t* out_map);
// With the most exact loop that there is: correctly rounded, and slower.
bool tn__map_unary_exactly(const char* op, tn_dtype_t operand, tn_dtype_t result,
                           tn_map_t* out_map);
bool tn__map_binary(const char* op, tn_dtype_t operand, tn_dtype_t result, tn_map_t* out_map);
// By number, with a result of the operands' dtype.
bool tn__map_unary_op(tn_unary_op_t op, tn_dtype_t dtype, tn_map_t* out_map);
bool tn__map_binary_op(tn_binary_op_t op, tn_dtype_t dtype, tn_map_t* out_map);
// `total_order` is for floats only, and means nothing to others.
bool tn__map_compare(tn_direction_t direction, bool total_order, tn_dtype_t operand,
                     tn_map_t* out_map);

// `b` is NULL for a unary one. `out` may be `a` or `b` itself where sizes of elements are the same.
void tn__map_run(const tn_map_t* map, const void* a, const void* b, void* out, size_t count);

// Of a binary one, whose operand on that side is one element that stands for all, where
// tn__map_repeats says so.
bool tn__map_repeats(const tn_map_t* map, tn_side_t side);
void tn__map_run_repeated(const tn_map_t* map, tn_side_t side, const void* a, const void* b,
                          void* out, size_t count);

// Whether elements are computed in their own dtype.
static inline bool tn__map_is_direct(const tn_map_t* map) {
  return map->load.from == map->load.to && map->store.from == map->store.to;
}

// What a dtype is computed in; narrow floats in `float_carrier`.
tn_dtype_t tn__carrier(tn_dtype_t dtype, tn_dtype_t float_carrier);

#endif  // TENON_KERNEL_ELEMENTWISE_MAP_H_
