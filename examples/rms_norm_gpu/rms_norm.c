// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Root-mean-square normalisation over the last axis, on the CPU and on a GPU. rms_norm.cl has the
// kernel for the GPU, for OpenCL and CUDA alike; CMakeLists.txt puts it into the library.
#include <math.h>
#include <tenon/kernel.h>

#define RMS_NORM(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)          \
  ATTR(eps, float, 1e-5f)        \
  RET(y, f32, like(x))

TN_OP(rms_norm, RMS_NORM, "y = x / sqrt(mean(x * x) + eps) over the last axis") {
  const int64_t size = tn_size(call->x), columns = tn_last_dim(call->x);
  for (int64_t start = 0; start < size; start += columns) {
    const float* x = call->x.data + start;
    float* y = call->y.data + start;
    float sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += x[i] * x[i];
    const float scale = 1 / sqrtf(sum / (float)columns + call->eps);
    for (int64_t i = 0; i < columns; ++i) y[i] = x[i] * scale;
  }
  return TN_OK;
}

extern const tn_kernel_library_t rms_norm_kernels;

// Each group of 256 threads normalises a row.
TN_EVAL_GPU(rms_norm) {
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  const int64_t columns = tn_last_dim(call->x), rows = columns ? x->element_count / columns : 0;
  TN_TRY(tn_eval_set_kernel(eval, &rms_norm_kernels, "rms_norm"));
  TN_TRY(tn_eval_set_input_array(eval, x));
  TN_TRY(tn_eval_set_output_array(eval, y));
  TN_TRY(tn_eval_set_bytes(eval, &call->eps, sizeof call->eps));
  TN_TRY(tn_eval_set_bytes(eval, &columns, sizeof columns));
  return tn_eval_dispatch_threadgroups(eval, (int64_t[]){rows, 1, 1}, (int64_t[]){256, 1, 1});
}

// Rows must be contiguous: views are copied before.
TN_DEFINE(rms_norm, .flags = TN_OP_ROW_CONTIGUOUS, .eval_gpu = rms_norm_eval_gpu)
TN_LIBRARY(rms_norm)
