// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of an eval's activation: strided_eval.c on the host, strided_gpu.c on a GPU.
#ifndef TENON_CALL_STRIDED_EVAL_H_
#define TENON_CALL_STRIDED_EVAL_H_

#include <tenon/detail/eval.h>

#include "call/strided.h"

typedef struct tn_strided_gpu tn_strided_gpu_t;

struct tn_strided_eval {
  tn__eval_state_t state;  // first
  tn_eval_api_t api;       // that of dense hosts, but for what is better known here
  tn_eval_fn function;
  tn_strided_gpu_t* gpu;  // NULL: on the host
};

extern const tn_eval_api_t tn__strided_gpu_api;
size_t tn__strided_gpu_byte_size(void);
void tn__strided_gpu_init(tn_strided_gpu_t* gpu);
void tn__strided_gpu_deinit(tn_strided_gpu_t* gpu);
TN_MUST_USE tn_status_t tn__strided_gpu_run(tn_strided_eval_t* eval, tn_encoder_t* encoder);

#endif  // TENON_CALL_STRIDED_EVAL_H_
