// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Windows that slide over an array, with strides, dilations and padding, as reduce_window,
// select_and_scatter and convolution have them.
#ifndef TENON_KERNEL_COMMON_SLIDING_H_
#define TENON_KERNEL_COMMON_SLIDING_H_

#include "kernel/kernel.h"

// One dimension of it.
typedef struct tn_window_dim {
  int64_t size;      // of the window, in its own elements
  int64_t stride;    // from one window to the next
  int64_t dilation;  // between the window's elements
  int64_t base_dilation;
  int64_t low;            // padding before the first element
  int64_t input, output;  // sizes of the arrays
} tn_sliding_dim_t;

typedef struct tn_sliding_window {
  size_t rank;
  tn_sliding_dim_t dims[TN_MAX_RANK];
} tn_sliding_t;

// Reads window_dimensions, window_strides, window_dilations, base_dilations and padding, each of
// which may be absent.
TN_MUST_USE tn_status_t tn__sliding_read(const tn_kernel_site_t* site, const tn_type_t* input,
                                         const tn_type_t* output, tn_sliding_t* out_window);

// The same for the spatial dimensions of a convolution: window_strides, padding, lhs_dilation and
// rhs_dilation. The lists say where these are in each of the three types.
TN_MUST_USE tn_status_t tn__sliding_read_spatial(
    const tn_kernel_site_t* site, const tn_type_t* input, const tn_i64_list_t* input_dims,
    const tn_type_t* kernel, const tn_i64_list_t* kernel_dims, const tn_type_t* output,
    const tn_i64_list_t* output_dims, tn_sliding_t* out_window);

// The element of the input under element `at` of window `output`; -1 when it is padding or a hole.
static inline int64_t tn__sliding_place(const tn_sliding_dim_t* dim, int64_t output, int64_t at) {
  int64_t place = output * dim->stride + at * dim->dilation - dim->low;
  if (dim->base_dilation != 1) {  // a division takes longer than all the rest
    if (place < 0 || place % dim->base_dilation != 0) return -1;
    place /= dim->base_dilation;
  }
  return place >= 0 && place < dim->input ? place : -1;
}

// Windows whose element `at` is inside, if the base is not dilated: [*out_first, *out_last).
void tn__sliding_inside(const tn_sliding_dim_t* dim, int64_t at, int64_t* out_first,
                        int64_t* out_last);

// The same for all dimensions: element number `at` of window number `output`, as an element of an
// array with these strides. -1 when it is padding or a hole.
int64_t tn__sliding_element(const tn_sliding_t* window, const int64_t* strides, int64_t output,
                            int64_t at);

// Whether windows in this dimension are single elements, each under its own.
static inline bool tn__sliding_is_trivial(const tn_sliding_dim_t* dim) {
  return dim->size == 1 && dim->stride == 1 && dim->base_dilation == 1 && dim->low == 0 &&
         dim->input == dim->output;
}

// Trailing dimensions in which windows are single elements become one; a scalar is a row of one.
void tn__sliding_merge(tn_sliding_t* window);

#endif  // TENON_KERNEL_COMMON_SLIDING_H_
