// What tn__fusion_prepare leaves to run, private to these two.
#ifndef TENON_KERNEL_FUSION_STATE_H_
#define TENON_KERNEL_FUSION_STATE_H_

#include "kernel/fusion.h"

enum { TN_FUSION_ALIGNMENT = 64 };
#define TN_FUSION_NO_SLOT UINT32_MAX
#define TN_FUSION_NO_RESULT UINT32_MAX

// An operand that is not dense: its strides along the loops outside of columns, and down a row.
typedef struct tn_fusion_view {
  uint32_t operand;
  int64_t column_stride;  // the size of an element, or 0
  const int64_t* loop_strides;
  bool is_same_for_rows;  // all strides but the column's are 0
  bool is_gathered;       // else a tile is a part of one row, whose elements are neighbours
} tn_fusion_view_t;

// A pointer of a step that is another one in each tile.
typedef struct tn_fusion_pointer {
  uint32_t pointer, value;
} tn_fusion_pointer_t;

typedef struct tn_fusion_state {
  tn_fusion_spec_t spec;
  int64_t element_count;
  size_t loop_count;
  int64_t* loop_counts;  // outside of columns
  int64_t row_count, column_count;
  int64_t rows_per_unit, columns_per_unit, column_units, unit_count, grain;
  bool asks_ahead;  // what it reads is larger than the caches
  bool* is_dense;   // by operand
  size_t view_count;
  tn_fusion_view_t* views;
  // By value: where its elements are. Dense operands, results and what the reduction reads have no
  // slot; of views, what is gathered has one.
  uint32_t* slots;
  bool* is_placed;  // by value: a result, or what the reduction reads
  size_t slot_count;
  size_t* slot_sizes;    // bytes of an element
  size_t* slot_offsets;  // behind the pointers
  // The steps' pointers stand in one list, operands before results.
  size_t pointer_count, moving_count;
  uint32_t* pointer_values;
  tn_fusion_pointer_t* moving;
  size_t scratch_byte_length;  // of a thread, behind the pointers and with them
  uint32_t reduction_result;   // which result the reduction gives
  uint32_t reduced_result;     // which result it reads; TN_FUSION_NO_RESULT: it is none
} tn_fusion_state_t;

TN_MUST_USE tn_status_t tn__fusion_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_FUSION_STATE_H_
