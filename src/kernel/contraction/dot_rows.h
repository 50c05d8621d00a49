// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of which some rows are computed at a time, for what reads them while they are in the
// cache (kernel/row_blocks/). A row is what the free dimensions of the right operand hold; rows are
// counted over all matrices of the batch.
#ifndef TENON_KERNEL_CONTRACTION_DOT_ROWS_H_
#define TENON_KERNEL_CONTRACTION_DOT_ROWS_H_

#include "kernel/contraction/dot.h"

// Immutable once prepared.
typedef struct tn_dot_rows {
  tn_dot_plan_t plan;
  tn_gemm_t gemm;
  size_t packed_offset;   // of the right operands, in the site's scratch memory
  tn_conversion_t store;  // to the result's dtype; `run` is NULL: it is computed in
  size_t result_size;     // of an element
} tn_dot_rows_t;

// What a run computes with, once the right operands are packed.
typedef struct tn_dot_rows_run {
  const tn_dot_rows_t* rows;
  const char* lhs;  // the whole operand; NULL: each call has its rows
  const char* packed;
} tn_dot_rows_run_t;

// Whether the operation can be computed so: of floats of 16 bits and more.
bool tn__dot_rows_fit(const tn_op_use_t* use);
// Adds to the site's scratch memory.
TN_MUST_USE tn_status_t tn__dot_rows_prepare(tn_kernel_site_t* site, tn_dot_rows_t* out_rows);
// `call`: with operand 0, unless rows come with each call, and 1, and the scratch memory.
TN_MUST_USE tn_status_t tn__dot_rows_begin(const tn_dot_rows_t* rows, const tn_kernel_call_t* call,
                                           tn_dot_rows_run_t* out_run);
// Of `count` rows, 64-byte aligned.
size_t tn__dot_rows_scratch(const tn_dot_rows_t* rows, int64_t count);
// Rows `first` <= i < `first` + `count`, on the calling thread. `lhs`: these rows, dense, if the
// run has no left operand. `result`: these rows. `scratch`: tn__dot_rows_scratch bytes.
void tn__dot_rows_compute(const tn_dot_rows_run_t* run, int64_t first, int64_t count,
                          const void* lhs, void* result, void* scratch);

#endif  // TENON_KERNEL_CONTRACTION_DOT_ROWS_H_
