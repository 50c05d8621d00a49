// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Named dimensions of signatures, dims(n, k + 1), against the types of a call.
#ifndef TENON_CALL_DIMS_H_
#define TENON_CALL_DIMS_H_

#include <tenon/detail/custom/dims.h>

#include "call/infer.h"

// The sizes that operands, integer attributes and, unless `results` is NULL, results give to names.
// An error names the first value that contradicts the ones before: "operand 1 (w): expected dims(k,
// m) where k is 4; found tensor<3x5xf32>".
TN_MUST_USE tn_status_t tn__dims_learn(const tn_inference_t* inference,
                                       const tn_type_t* const* results, tn__sizes_t* out_sizes);

// The shape of a result with these dimensions; none while the leading ones are unknown.
TN_MUST_USE tn_status_t tn__dims_infer(const tn_inference_t* inference, const char* dims,
                                       const tn__sizes_t* sizes, tn_inferred_t* out);

#endif  // TENON_CALL_DIMS_H_
