// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions with rules of their own, inside: custom_function.c makes their steps, custom_batched.c
// applies derivative rules to each element of a batch.
#ifndef TENON_TRANSFORM_CUSTOM_H_
#define TENON_TRANSFORM_CUSTOM_H_

#include <tenon/detail/transform.h>

#include "call/operation.h"
#include "lazy/array.h"

// Puts the rules behind the outputs, which are replaced. Takes `function`, whatever comes of it.
TN_MUST_USE tn_status_t tn__custom_attach(tn_scope_t* scope, const tn_custom_function_t* function,
                                          size_t input_count, tn_array_t* const* inputs,
                                          size_t output_count, tn_array_t** outputs);

// The same with the rules of `op`, applied to each element of a batch: input i has it along axes[i]
// or is unbatched, and the axes of the outputs follow. An unbatched output is repeated for each
// element: its cotangent is then that element's.
TN_MUST_USE tn_status_t tn__custom_attach_batched(tn_scope_t* scope, const tn_op_t* op,
                                                  const tn_custom_function_t* function,
                                                  int64_t batch_size, size_t input_count,
                                                  tn_array_t* const* inputs, size_t output_count,
                                                  tn_array_t** outputs, int64_t* axes);

// Refuses a gradient that does not have the type of its input.
TN_MUST_USE tn_status_t tn__custom_check_gradient(size_t index, const tn_array_t* gradient,
                                                  const tn_array_t* input);

#endif  // TENON_TRANSFORM_CUSTOM_H_
