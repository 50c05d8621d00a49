// Kernels that move whole elements and know no dtypes.
#ifndef TENON_KERNEL_REF_MOVEMENT_H_
#define TENON_KERNEL_REF_MOVEMENT_H_

#include "kernel/kernel.h"

// Every operation that passes its operand on, byte for byte: reshape.
TN_MUST_USE tn_status_t tn__ref_copy_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_copy_run(const tn_kernel_call_t* call);

// One strided copy each; they share tn__ref_move_run.
TN_MUST_USE tn_status_t tn__ref_broadcast_in_dim_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_broadcast_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_transpose_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_reverse_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_slice_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_move_run(const tn_kernel_call_t* call);

TN_MUST_USE tn_status_t tn__ref_concatenate_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_concatenate_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__ref_pad_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_pad_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__ref_dynamic_slice_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_dynamic_slice_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__ref_dynamic_update_slice_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_dynamic_update_slice_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_REF_MOVEMENT_H_
