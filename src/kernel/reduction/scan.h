// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Cumulative sums, products, maxima and minima along a dimension.
#ifndef TENON_KERNEL_REDUCTION_SCAN_H_
#define TENON_KERNEL_REDUCTION_SCAN_H_

#include "base/pool.h"
#include "kernel/elementwise/binary.h"

typedef struct tn_scan_lines tn_scan_lines_t;

// Immutable once planned.
typedef struct tn_scan {
  tn_binary_t binary;
  size_t element_size;
  int64_t outer, length, inner;  // of the array [outer, length, inner]
  bool reversed;                 // from the last element to the first
  const tn_scan_lines_t* lines;  // loops over contiguous lines; NULL: through `binary`
} tn_scan_t;

// False when there is no such operation, or it is not associative. Sums of f32 are kept in f64.
bool tn__scan_plan(const char* op, tn_dtype_t dtype, int64_t outer, int64_t length, int64_t inner,
                   bool reversed, tn_scan_t* out_scan);
// target[o][i][j] = init op source[o][0][j] op ... op source[o][i][j]. All have the scan's dtype;
// `target` may be `source`.
TN_MUST_USE tn_status_t tn__scan_run(const tn_scan_t* scan, tn_pool_t* pool, const void* source,
                                     const void* init, void* target);

#endif  // TENON_KERNEL_REDUCTION_SCAN_H_
