// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Folding elements by a region.
#ifndef TENON_KERNEL_GPU_FOLD_H_
#define TENON_KERNEL_GPU_FOLD_H_

#include "ir/ir.h"
#include "kernel/gpu/source.h"

enum { TN_GPU_MOST_FOLDED = 8 };

// A reduction, and where its operands come from.
typedef struct tn_gpu_fold {
  const tn_op_use_t* use;
  const tn_view_t* views;  // of its operands; NULL: all are dense
  // What it begins with: operands of the kernel; where it is negative, the literal.
  int32_t begins[TN_GPU_MOST_FOLDED];
  char literal[64];
  size_t first_result;
  // Writes e0 = ...: element `at` of operand 0, which is dense. NULL: it is operand 0 of the
  // kernel.
  tn_status_t (*add_element)(tn_gpu_source_t* source, void* user);
  void* user;
} tn_gpu_fold_t;

// Gives the site a state that does the reduction.
TN_MUST_USE tn_status_t tn__gpu_fold_prepare(tn_kernel_site_t* site, const tn_gpu_fold_t* fold);

// The operation of a region, of its two arguments; NULL: it is another.
const tn_op_t* tn__gpu_fold_operation(const tn_region_t* region);

// Writes tn_fold: what the region of `use`, its first, does with values.
TN_MUST_USE tn_status_t tn__gpu_add_fold(tn_gpu_source_t* source, const tn_op_use_t* use);

// Writes the call that gives s0, s1... what tn_fold makes of `left`0, `left`1... and `right`0...
void tn__gpu_add_fold_call(tn_gpu_text_t* text, size_t count, const char* left, const char* right);

#endif  // TENON_KERNEL_GPU_FOLD_H_
