// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// dot_general and dot: products over any dimensions, of any dtypes.
#ifndef TENON_KERNEL_CONTRACTION_DOT_H_
#define TENON_KERNEL_CONTRACTION_DOT_H_

#include "kernel/common/element.h"
#include "kernel/common/strided.h"
#include "kernel/contraction/gemm.h"
#include "kernel/kernel.h"

// Of both operations.
TN_MUST_USE tn_status_t tn__cpu_dot_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_dot_run(const tn_kernel_call_t* call);
// Where reading the wider operands would take most of the time: few vectors with a matrix.
bool tn__cpu_dot_loads(const tn_op_use_t* use);

// What follows is for other kernels of the same operations: products of matrices, however the
// dimensions are.

// How an operand gets to the matrix product: as it is, or by way of scratch memory.
typedef struct tn_dot_path {
  int64_t element_count;
  bool is_moved;  // its dimensions do not fold into batch, rows and depth: put in order
  tn_strided_copy_t move;
  size_t moved_offset;  // in scratch
} tn_dot_path_t;

typedef struct tn_dot_plan {
  tn_gemm_shape_t shape;
  tn_dot_path_t lhs, rhs;
} tn_dot_plan_t;

typedef enum tn_dot_layout {
  TN_DOT_ANY_STRIDES,
  TN_DOT_UNIT_STRIDE,  // in one of the two dimensions of each matrix
  TN_DOT_DENSE,        // each matrix, or its transpose
  TN_DOT_NO_VIEW,      // any strides, but elements that follow each other in memory
} tn_dot_layout_t;

// Nothing is converted. Adds to the site's scratch memory.
TN_MUST_USE tn_status_t tn__dot_plan(tn_kernel_site_t* site, tn_dot_layout_t layout,
                                     tn_dot_plan_t* out_plan);
// Operand `index` as its path gives it.
TN_MUST_USE tn_status_t tn__dot_fetch(const tn_dot_path_t* path, const tn_kernel_call_t* call,
                                      size_t index, const void** out_data);

typedef struct tn_dot_extent {
  int64_t batch, rows, columns, depth;
  bool is_lhs_ordered;  // its dimensions, as they are in memory: batch, rows, depth
} tn_dot_extent_t;

TN_MUST_USE tn_status_t tn__dot_extent(const tn_op_use_t* use, tn_dot_extent_t* out_extent);

#endif  // TENON_KERNEL_CONTRACTION_DOT_H_
