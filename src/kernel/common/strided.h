// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Copying between two strided views of one shape: the loop behind broadcast, transpose, slice,
// reverse, concatenate, pad, gather and their dynamic forms. It moves bytes and knows no dtypes.
#ifndef TENON_KERNEL_COMMON_STRIDED_H_
#define TENON_KERNEL_COMMON_STRIDED_H_

#include "base/pool.h"
#include "ops/view.h"

// A convolution has a dimension of groups besides those of its operands.
enum { TN_STRIDED_MAX_RANK = TN_MAX_RANK + 1 };

// Strides are in bytes and may be zero (of the source) or negative.
typedef struct tn_strided_loop {
  int64_t count, target_stride, source_stride;
} tn_strided_loop_t;

// What the two innermost loops, `row` around `column`, do.
typedef enum tn_strided_form {
  TN_STRIDED_NOTHING,    // there are no elements
  TN_STRIDED_RUN,        // column: both sides contiguous
  TN_STRIDED_FILL,       // column: one element into a contiguous target
  TN_STRIDED_REPEAT,     // column: one short run again and again into a contiguous target
  TN_STRIDED_STEP,       // element by element
  TN_STRIDED_TRANSPOSE,  // row is contiguous in the source, column in the target
} tn_strided_form_t;

// Immutable once prepared; its loops live in the arena.
typedef struct tn_strided_copy {
  tn_strided_form_t form;
  size_t element_size;   // 1, 2, 4, 8 or 16: adjacent elements are taken together
  size_t run_byte_size;  // of one step of `column`: the run of REPEAT, else an element
  size_t loop_count;
  const tn_strided_loop_t* loops;  // around `row`, outermost first
  tn_strided_loop_t row, column;
  // How the work is cut: outer_count * row_units * column_units pieces.
  int64_t outer_count;  // product of the counts of `loops`
  int64_t row_units, rows_per_unit;
  int64_t column_units, columns_per_unit;
  int64_t grain;             // units worth a thread's while
  int64_t target_byte_size;  // written in all
} tn_strided_copy_t;

// Whether the copy is of one piece of memory.
static inline bool tn__strided_is_run(const tn_strided_copy_t* copy) {
  return copy->form == TN_STRIDED_RUN && copy->loop_count == 0 && copy->row.count == 1;
}

// `element_size` is 1, 2, 4, 8 or 16. The lists have `rank` entries, outermost first, and are not
// kept. No two indices may meet in one place of the target.
TN_MUST_USE tn_status_t tn__strided_copy_prepare(tn_arena_t* arena, size_t element_size,
                                                 size_t rank, const int64_t* dims,
                                                 const int64_t* target_strides,
                                                 const int64_t* source_strides,
                                                 tn_strided_copy_t* out_copy);
// `target` and `source` point at index 0 of every dimension; what they span does not overlap.
// `pool` NULL: on this thread alone, and then it cannot fail.
TN_MUST_USE tn_status_t tn__strided_copy_run(const tn_strided_copy_t* copy, tn_pool_t* pool,
                                             void* target, const void* source);

// `count` elements of 1, 2, 4, 8 or 16 bytes, one at a time. What is written does not overlap what
// is read.
void tn__step_row(size_t element_size, char* restrict target, int64_t target_stride,
                  const char* restrict source, int64_t source_stride, int64_t count);

// A plain copy, on several threads when that pays. Does nothing when the two are the same.
TN_MUST_USE tn_status_t tn__copy_bytes(tn_pool_t* pool, void* target, const void* source,
                                       size_t byte_size);
// Writes `count` copies of an element of 1, 2, 4, 8 or 16 bytes.
TN_MUST_USE tn_status_t tn__fill(tn_pool_t* pool, void* target, const void* element,
                                 size_t element_size, int64_t count);

#endif  // TENON_KERNEL_COMMON_STRIDED_H_
