// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Folding dimensions of one array with a known associative operation, natively and on all threads.
//
// The order of combination depends on the shape alone. Floats are summed in blocks and trees, so
// that the error grows with the logarithm of the count; what is narrower than f32 is accumulated in
// f32 and rounded once.
#ifndef TENON_KERNEL_REDUCTION_REDUCTION_H_
#define TENON_KERNEL_REDUCTION_REDUCTION_H_

#include "base/arena.h"
#include "base/pool.h"
#include "base/type.h"
#include "kernel/elementwise/binary.h"
#include "kernel/kernel.h"

// A loop over the operand; the stride is in bytes.
typedef struct tn_axis {
  int64_t count, stride;
} tn_axis_t;

typedef struct tn_axes {
  size_t count;
  const tn_axis_t* axes;  // outermost first
  int64_t size;           // product of the counts
} tn_axes_t;

typedef enum tn_reduction_form {
  TN_REDUCTION_NOTHING,  // the result has no elements
  TN_REDUCTION_INIT,     // nothing to fold
  TN_REDUCTION_ROWS,     // the innermost dimension is folded
  TN_REDUCTION_COLUMNS,  // it is kept, or is folded and short
} tn_reduction_form_t;

enum { TN_REDUCTION_STEP_LIMIT = TN_MAX_RANK / 2 };

// What remains to be folded in a block of columns: `count` neighbours of `inner` elements. In pairs
// as long as their number is even, in halves until `left` of them are left, then one by one.
typedef struct tn_reduction_step {
  int64_t count, inner, left;
} tn_reduction_step_t;

// Immutable once planned; its lists live in the arena.
typedef struct tn_reduction {
  tn_reduction_form_t form;
  tn_binary_t binary;  // over the carrier
  tn_conversion_t load, load_init, store;
  size_t carrier_size, operand_size, result_size;  // bytes of an element
  tn_axes_t kept, folded;                          // around the innermost dimension
  int64_t width;                                   // of the innermost dimension, or of columns
  size_t step_count;                               // of the columns, innermost first
  tn_reduction_step_t steps[TN_REDUCTION_STEP_LIMIT];
  int64_t columns_per_result;
  int64_t output_count;
  // How the work is cut; see reduction.c.
  int64_t block_width, block_count;
  int64_t unit_count, units_per_group, group_count;
  int64_t grain;
  size_t scratch_byte_size;
  tn_fold_fn
      fold_squares;  // of elements, in the place of the operation's; NULL: elements are folded
  tn_add_rows_fn add_rows;  // several rows of columns at a time; NULL: there is no loop for that
} tn_reduction_t;

// What a dtype is accumulated in: itself, f32 for narrower floats, 32 bits for integers below 8.
tn_dtype_t tn__reduction_carrier(tn_dtype_t dtype);

// Whether `op` (without dialect) may be regrouped: add, multiply, maximum, minimum, and, or, xor.
bool tn__reduction_supports(const char* op, tn_dtype_t result);

// `strides` in bytes and `is_folded` have an entry for each dimension of `operand`. What is folded
// is converted to `result` first, if that is another dtype; so is the initial value, of dtype
// `init`.
TN_MUST_USE tn_status_t tn__reduction_plan(tn_arena_t* arena, const char* op,
                                           const tn_type_t* operand, const int64_t* strides,
                                           tn_dtype_t init, tn_dtype_t result,
                                           const bool* is_folded, tn_reduction_t* out_reduction);
// Whether elements with these strides are folded in the order of dense ones, so that the bits are
// the same: long rows that are folded, with gaps between them.
bool tn__reduction_takes_strides(const tn_type_t* operand, const int64_t* strides,
                                 const bool* is_folded);
// `scratch` has the planned length, 64-byte aligned. `pool` may be NULL.
TN_MUST_USE tn_status_t tn__reduction_run(const tn_reduction_t* reduction, tn_pool_t* pool,
                                          const void* operand, const void* init, void* result,
                                          void* scratch);
// The same bits, of elements that are read as they are needed.
TN_MUST_USE tn_status_t tn__reduction_run_from(const tn_reduction_t* reduction, tn_pool_t* pool,
                                               const tn_kernel_source_t* source, const void* init,
                                               void* result, void* scratch);
// Whether it folds rows: neighbours, in one piece for each result. And the same bits for `count` of
// them, one after the other, on the calling thread.
bool tn__reduction_has_rows(const tn_reduction_t* reduction);
TN_MUST_USE tn_status_t tn__reduction_run_rows(const tn_reduction_t* reduction, const void* rows,
                                               int64_t count, const void* init, void* results);
// Makes it the sum of the squares of what it reads: the bits of the squares' sum. False where it is
// no sum of rows that has loops for that.
bool tn__reduction_fold_squares(tn_reduction_t* reduction);
// Whether it reads many neighbours at a time, so that it can be worth while to compute them then.
bool tn__reduction_reads_neighbours(const tn_reduction_t* reduction);

// Splits the dimensions into kept and folded ones and merges neighbours of a kind. Lists are in the
// arena.
TN_MUST_USE tn_status_t tn__reduction_axes(tn_arena_t* arena, const tn_type_t* operand,
                                           const int64_t* strides, const bool* is_folded,
                                           tn_axes_t* out_kept, tn_axes_t* out_folded);
// Where index `index` of the loops, counted row by row, is.
static inline int64_t tn__axes_offset(const tn_axes_t* axes, int64_t index) {
  int64_t offset = 0;
  for (size_t i = axes->count; i-- > 1;) {
    offset += index % axes->axes[i].count * axes->axes[i].stride;
    index /= axes->axes[i].count;
  }
  return axes->count ? offset + index * axes->axes[0].stride : 0;
}

// Few short rows, to be folded as they are, by the calling thread (short.c): whether it is that,
// and the same bits without questions.
bool tn__reduction_is_short(const tn_reduction_t* reduction);
void tn__reduction_run_short(const tn_reduction_t* reduction, const void* operand, const void* init,
                             void* result);

#endif  // TENON_KERNEL_REDUCTION_REDUCTION_H_
