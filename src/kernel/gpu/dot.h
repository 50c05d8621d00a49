// Products of matrices, private to their kernels.
#ifndef TENON_KERNEL_GPU_DOT_H_
#define TENON_KERNEL_GPU_DOT_H_

#include "kernel/gpu/source.h"

typedef struct tn_gpu_dot {
  const tn_op_use_t* use;
  tn_i64_list_t batching[2], contracting[2];  // by side
  int64_t strides[2][TN_MAX_RANK];            // by side, in elements
} tn_gpu_dot_t;

// Whether tiles of both sides in the group's memory are worth it.
bool tn__gpu_dot_has_tiles(const tn_gpu_dot_t* dot);
TN_MUST_USE tn_status_t tn__gpu_tiled_dot_prepare(tn_kernel_site_t* site, const tn_gpu_dot_t* dot);

#endif  // TENON_KERNEL_GPU_DOT_H_
