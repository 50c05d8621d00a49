// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How a launch over the elements of an array reads operands.
#ifndef TENON_KERNEL_GPU_READS_H_
#define TENON_KERNEL_GPU_READS_H_

#include "kernel/gpu/source.h"

typedef struct tn_gpu_read {
  int32_t operand;
  tn_dtype_t dtype;
  int64_t byte_offset;
  bool is_strided;                    // else element i for element i
  int64_t strides[TN_GPU_MOST_DIMS];  // in elements
} tn_gpu_read_t;

typedef struct tn_gpu_reads {
  size_t rank, count;
  int64_t dims[TN_GPU_MOST_DIMS];
  tn_gpu_read_t items[TN_GPU_MOST_ADDRESSES];
  bool has_failed;  // there are too many
} tn_gpu_reads_t;

void tn__gpu_reads_begin(tn_gpu_reads_t* reads, const tn_type_t* shape);
// Reads an operand by a view that has the shape; NULL: its only element, for all. Gives k of the
// value's name, rk: one for all reads that are alike.
size_t tn__gpu_add_read(tn_gpu_reads_t* reads, size_t operand, tn_dtype_t dtype,
                        const tn_view_t* view);
// Leaves out dimensions of size 1, and joins those that every operand goes through as if they were
// one.
void tn__gpu_collapse_reads(tn_gpu_reads_t* reads);
// Writes r0, r1...: what element `index` ("i") of the array reads. Once, when all reads are there.
void tn__gpu_add_loads(tn_gpu_source_t* source, tn_gpu_reads_t* reads, const char* index);

#endif  // TENON_KERNEL_GPU_READS_H_
