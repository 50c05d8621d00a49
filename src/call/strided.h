// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What an eval (<tenon/detail/eval.h>) is run with. Apart from strided.c, since the macros for
// authors and those of the table of operations have names in common.
#ifndef TENON_CALL_STRIDED_H_
#define TENON_CALL_STRIDED_H_

#include <tenon/operation.h>

#include "call/abi.h"
#include "kernel/encoder.h"

// Of one activation, in memory of the caller's that has this length. `is_gpu`: the definition's
// eval_gpu is run, else its eval_cpu.
typedef struct tn_strided_eval tn_strided_eval_t;
size_t tn__strided_eval_byte_size(size_t operand_count, size_t result_count,
                                  const tn_ffi_buffer_t* buffers, bool is_gpu);

// The frame has its buffers, without data, and stays where it is. `strides`: in bytes, by operand
// and dimension; NULL: of one that is dense, or of all.
void tn__strided_eval_init(tn_strided_eval_t* eval, tn_ffi_call_frame_t* frame,
                           const tn_ffi_op_t* op, const tn_op_def_t* definition,
                           const int64_t* const* strides, bool is_gpu);
void tn__strided_eval_deinit(tn_strided_eval_t* eval);
// The buffers of the frame's results have their data. `encoder` NULL: on the host. The error is the
// author's.
TN_MUST_USE tn_status_t tn__strided_eval_run(tn_strided_eval_t* eval, const void* const* operands,
                                             tn_encoder_t* encoder);

// After an exception that left the eval.
void tn__strided_eval_end(tn_strided_eval_t* eval);

#endif  // TENON_CALL_STRIDED_H_
