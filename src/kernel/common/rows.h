// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A loop over the elements of several arrays of one shape, whatever their strides, for functions
// that are as simple as a loop over dense ones: they get rows, of which the elements of each array
// are contiguous.
//
// A row of an array that is contiguous is handed over where it is. Others are packed into a block
// that stays in the cache, several rows at a time, since the elements of a transposed array are
// neighbours down a column; blocks of what is written are unpacked afterwards.
#ifndef TENON_KERNEL_COMMON_ROWS_H_
#define TENON_KERNEL_COMMON_ROWS_H_

#include "base/status.h"

// Where the elements of one array are; bytes.
typedef struct tn_row_path {
  size_t element_size;
  bool is_written;   // all its elements are; none of them is read
  int64_t* strides;  // along each dimension
  int64_t row_stride, column_stride;
  bool is_packed;
  int64_t block_stride;  // from row to row of the block
} tn_row_path_t;

// Immutable once prepared. The last two dimensions are rows and columns; the others loops around.
typedef struct tn_rows {
  size_t array_count;
  tn_row_path_t* paths;
  size_t loop_count;
  const int64_t* loop_counts;
  int64_t row_count, column_count;
  int64_t rows_per_unit, columns_per_unit;
  int64_t row_units, column_units, unit_count;
  int64_t grain;            // units that are worth a thread's while
  bool is_transposed;       // some array is
  bool is_joined;           // in each array the rows of a unit are contiguous
  size_t memory_byte_size;  // what a thread needs for it
} tn_rows_t;

// The arrays have elements, `dims` and the strides of `paths` are those that
// tn_collapse_contiguous_dims leaves. All are the caller's, change, and stay as long as `rows`.
void tn__rows_init(tn_rows_t* rows, size_t rank, int64_t* dims, size_t array_count,
                   tn_row_path_t* paths);

// `count` elements of each array, from starts[k] on. The error ends the loop.
typedef tn_status_t (*tn_row_fn)(void* user, int64_t count, void* const* starts);

// `rows` rows of `columns` elements, from strides into a block whose rows are `block_stride` bytes
// apart; `rows_left` counts those that are going to be read behind them, too.
void tn__rows_pack(char* block, const char* source, const tn_row_path_t* path, int64_t rows,
                   int64_t columns, int64_t rows_left);

// The units [begin, end) of the arrays whose element [0, 0, ...] is at data[k], with memory of
// memory_byte_size, aligned to 64 bytes.
TN_MUST_USE tn_status_t tn__rows_run(const tn_rows_t* rows, void* const* data, void* memory,
                                     int64_t begin, int64_t end, tn_row_fn function, void* user);

#endif  // TENON_KERNEL_COMMON_ROWS_H_
