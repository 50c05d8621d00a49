// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What tn__cpu_scatter_prepare leaves to tn__cpu_scatter_run.
#ifndef TENON_KERNEL_GATHER_SCATTER_SCATTER_PLAN_H_
#define TENON_KERNEL_GATHER_SCATTER_SCATTER_PLAN_H_

#include "kernel/common/body.h"
#include "kernel/elementwise/binary.h"

// A coordinate of the index vector.
typedef struct tn_scatter_coordinate {
  size_t dimension;      // of the input
  int64_t index_offset;  // bytes from the first coordinate of a vector
} tn_scatter_coordinate_t;

// A scatter dimension: of the updates and of the indices.
typedef struct tn_scatter_loop {
  int64_t count;
  int64_t index_stride;   // bytes
  int64_t update_stride;  // elements
  int64_t batching;       // the dimension of the input that it goes along; -1: none
  int64_t input_stride;   // elements of the input; 0 if it goes along none
} tn_scatter_loop_t;

// A dimension of the window. Strides in elements.
typedef struct tn_scatter_window {
  int64_t count;
  int64_t input_stride, update_stride;
  size_t dimension;  // of the input
} tn_scatter_window_t;

typedef enum tn_scatter_form {
  TN_SCATTER_NOTHING,  // no updates, or updates that are not looked at
  TN_SCATTER_WRITE,    // the update itself
  TN_SCATTER_BINARY,   // a known operation on the old value and the update
  TN_SCATTER_BODY,
} tn_scatter_form_t;

typedef struct tn_scatter_channel {
  size_t byte_size;  // of the whole input
  size_t input_size, update_size, result_size;
  tn_element_path_t input;   // to the result's dtype
  tn_element_path_t update;  // to the dtype of the body's arguments
  int64_t element_count;
} tn_scatter_channel_t;

typedef struct tn_scatter {
  tn_scatter_form_t form;
  tn_binary_t binary;
  size_t channel_count;
  const tn_scatter_channel_t* channels;
  tn_dtype_t index_dtype;
  size_t rank;  // of the input
  int64_t input_dims[TN_MAX_RANK], input_strides[TN_MAX_RANK];
  size_t coordinate_count, loop_count, window_rank;
  const tn_scatter_coordinate_t* coordinates;
  const tn_scatter_loop_t* loops;
  const tn_scatter_window_t* window;
  // Dimensions in which the window is a single place, which must be inside.
  bool is_place[TN_MAX_RANK];
  int64_t position_count;
  // A window that is wholly inside, with merged dimensions; its last one is contiguous or of one
  // element.
  size_t whole_rank;
  const tn_scatter_window_t* whole;
  // Windows that are never cut: each of the input's dimensions is a single place or goes whole into
  // the window. Those that start in different places then have no element in common.
  bool is_flat;
  int64_t place_limit;     // flat: every window starts at an element below this
  size_t split_dimension;  // not flat: of the input; threads share its places out
  int64_t update_count;    // elements
} tn_scatter_t;

#endif  // TENON_KERNEL_GATHER_SCATTER_SCATTER_PLAN_H_
