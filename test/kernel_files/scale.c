// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// y = factor * x + shift, whose numbers a kernel for GPUs has from words/numbers.h.
#include <tenon/kernel.h>

#include "words/numbers.h"

#define SCALE(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  RET(y, f32, like(x))

TN_OP(scale, SCALE, "y = factor * x + shift") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = FACTOR * call->x.data[i] + SHIFT;
  return TN_OK;
}

static const tn_kernel_library_t kernels = TN_KERNEL_LIBRARY_FILE("scale_kernels");

static tn_status_t launch(const tn_eval_call_t* eval, const char* name, const tn_strided_t* x) {
  const tn_strided_t* y = eval->outputs[0];
  TN_TRY(tn_eval_set_kernel(eval, &kernels, name));
  TN_TRY(tn_eval_set_input_array(eval, x));
  TN_TRY(tn_eval_set_output_array(eval, y));
  TN_TRY(tn_eval_set_bytes(eval, &y->element_count, sizeof y->element_count));
  return tn_eval_dispatch_threads(eval, (int64_t[]){y->element_count, 1, 1}, NULL);
}

TN_EVAL_GPU(scale) {
  TN_TRY(launch(eval, "scale", eval->operands[0]));
  return launch(eval, "shift", eval->outputs[0]);
}

TN_DEFINE(scale, .flags = TN_OP_ROW_CONTIGUOUS, .eval_gpu = scale_eval_gpu)
TN_LIBRARY(scale)
