// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Windows of an array whose starts arrive as data: of gather and scatter.
#ifndef TENON_KERNEL_GPU_WINDOWS_H_
#define TENON_KERNEL_GPU_WINDOWS_H_

#include "kernel/gpu/source.h"

typedef struct tn_gpu_windows {
  const tn_type_t* array;  // that windows are of
  const tn_type_t* indices;
  const tn_type_t* windows;  // all of them, one array
  // By dimension of `windows`: of the indices, that it goes along; -1: it is one of a window.
  int64_t index_dims[TN_MAX_RANK];
  // By dimension of `array`: of `windows`, that it goes along, in a window or as a batching
  // dimension; -1: none. How many elements a window has in it. Which part of an index vector it
  // starts at; -1: none.
  int64_t window_dims[TN_MAX_RANK];
  int64_t counts[TN_MAX_RANK];
  int64_t parts[TN_MAX_RANK];
  bool is_batching[TN_MAX_RANK];
  int64_t vector_dim;
} tn_gpu_windows_t;

TN_MUST_USE tn_status_t tn__gpu_windows_of_gather(const tn_op_use_t* use, tn_arena_t* arena,
                                                  tn_gpu_windows_t* out);
TN_MUST_USE tn_status_t tn__gpu_windows_of_scatter(const tn_op_use_t* use, tn_arena_t* arena,
                                                   tn_gpu_windows_t* out);

// Writes s0, s1...: where a window starts, by dimension of the array, of which those before 0 and
// behind the end are all alike. The window is that at the coordinates `name`0, `name`1... of
// `windows`; x is the address of the indices, and strides are theirs.
void tn__gpu_add_window_starts(tn_gpu_source_t* source, const tn_gpu_windows_t* windows,
                               const char* name, size_t x, const int64_t* index_strides);

#endif  // TENON_KERNEL_GPU_WINDOWS_H_
