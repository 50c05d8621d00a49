// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels of GPUs. They are source, made when a program is compiled: of the dtypes, and of how
// operands are read (source.h). What they have no row for, the host computes.
#ifndef TENON_KERNEL_GPU_GPU_H_
#define TENON_KERNEL_GPU_GPU_H_

#include "kernel/encoder.h"
#include "kernel/kernel.h"

enum { TN_GPU_MOST_DIMS = 8 };

// A dtype in the kernels' language.
typedef struct tn_gpu_dtype {
  const char* memory;  // the type of its elements
  const char* value;   // what they are computed in
  const char *unsigned_value, *signed_value;
  int bits;
  const char* suffix;  // of LOAD and STORE
} tn_gpu_dtype_t;
// NULL: GPUs do not compute it.
const tn_gpu_dtype_t* tn__gpu_dtype(tn_dtype_t dtype);
// Whether GPUs compute the dtypes of all operands and results, which have TN_GPU_MOST_DIMS
// dimensions at most; and whether there is one result.
bool tn__gpu_know_types(const tn_op_use_t* use);
bool tn__gpu_have_dtypes(const tn_op_use_t* use);

// The type of elements that are copied as they are.
const char* tn__gpu_bits_of(const tn_type_t* type);

// Views whose strides are whole elements.
bool tn__gpu_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
// Strides in elements, and whether they are dense.
bool tn__gpu_element_strides(const tn_view_t* view, const tn_type_t* type, int64_t* out_strides);

// scalar.c: what the operation computes of the values a, b and c, as source; NULL: it has none.
const char* tn__gpu_expression(const tn_op_use_t* use);
// The same of an operation of ops/scalar.def and the dtype of its operands.
const char* tn__gpu_scalar_expression(const tn_op_t* op, tn_dtype_t dtype);

// region.c: whether it gives values that are computed of its arguments and of constants, element
// for element.
bool tn__gpu_region_is_elementwise(const struct tn_region* region);

// All kernels: does what they prepared.
TN_MUST_USE tn_status_t tn__gpu_run(const tn_kernel_call_t* call);

// elementwise.c
bool tn__gpu_map_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_map_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_view_prepare(tn_kernel_site_t* site);

bool tn__gpu_region_map_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_region_map_prepare(tn_kernel_site_t* site);

// fusion.c
extern const struct tn_fusion_rules tn__gpu_fusion_rules;
bool tn__gpu_fusion_supports(const tn_op_use_t* use);
bool tn__gpu_fusion_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
TN_MUST_USE tn_status_t tn__gpu_fusion_prepare(tn_kernel_site_t* site);

// transpose.c: whether collapsed reads are one of an array whose last dimension is not that along
// which its elements are neighbours; its kernel, which copies by tiles.
struct tn_gpu_reads;
bool tn__gpu_is_transposed(const struct tn_gpu_reads* reads);
TN_MUST_USE tn_status_t tn__gpu_transpose_prepare(tn_kernel_site_t* site,
                                                  const struct tn_gpu_reads* reads);

// movement.c
TN_MUST_USE tn_status_t tn__gpu_copy_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_concatenate_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_pad_prepare(tn_kernel_site_t* site);
bool tn__gpu_window_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_dynamic_slice_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_dynamic_update_slice_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_iota_prepare(tn_kernel_site_t* site);

// reduce.c
// Of operands and as many values that they begin with, by an elementwise region.
bool tn__gpu_folds(const tn_op_use_t* use);
bool tn__gpu_reduce_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
TN_MUST_USE tn_status_t tn__gpu_reduce_prepare(tn_kernel_site_t* site);

// reduce_window.c
TN_MUST_USE tn_status_t tn__gpu_reduce_window_prepare(tn_kernel_site_t* site);

// select_and_scatter.c
bool tn__gpu_select_and_scatter_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_select_and_scatter_prepare(tn_kernel_site_t* site);

// gather.c
bool tn__gpu_gather_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_gather_prepare(tn_kernel_site_t* site);

// scatter.c
bool tn__gpu_scatter_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_scatter_prepare(tn_kernel_site_t* site);

// sort.c
bool tn__gpu_sort_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_sort_prepare(tn_kernel_site_t* site);
bool tn__gpu_top_k_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_top_k_prepare(tn_kernel_site_t* site);

// convolution.c
bool tn__gpu_convolution_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_convolution_prepare(tn_kernel_site_t* site);

// random.c
bool tn__gpu_random_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_random_prepare(tn_kernel_site_t* site);

// linear.c
bool tn__gpu_linear_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_cholesky_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_triangular_solve_prepare(tn_kernel_site_t* site);

// fft.c
bool tn__gpu_fft_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_fft_prepare(tn_kernel_site_t* site);

// dot.c
bool tn__gpu_dot_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__gpu_dot_prepare(tn_kernel_site_t* site);

#endif  // TENON_KERNEL_GPU_GPU_H_
