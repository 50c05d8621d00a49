// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Whole functions for array_cases.c, and transforms of operations and functions.
#ifndef TENON_TEST_CLIENT_ARRAY_TRANSFORMS_H_
#define TENON_TEST_CLIENT_ARRAY_TRANSFORMS_H_

#include <tenon/detail/transform.h>

#include "array/testing_operations.h"

// Functions, which cases can name as they do operations (array_functions.c).
const tn_case_operation_t* tn_case_function(const char* name);
const tn_case_operation_t* tn_case_function_at(size_t index);

// --- transforms of them (array_transforms.c)

enum { TN_CASE_LEVEL_LIMIT = 4, TN_CASE_INPUT_LIMIT = 64 };

typedef enum tn_case_transform {
  TN_CASE_JVP,   // takes a tangent for each of `inputs` behind the inputs, gives those of `outputs`
  TN_CASE_VJP,   // takes a cotangent for each of `outputs`, gives the gradients of `inputs`
  TN_CASE_VMAP,  // `inputs` and `outputs` are axes, of all inputs and outputs
  TN_CASE_CHECKPOINT,  // the function as it is, computed again for its gradient
  TN_CASE_COMPILE,     // the function as it is, as one program
} tn_case_transform_t;

typedef struct tn_case_numbers {
  size_t count;
  int64_t values[TN_CASE_INPUT_LIMIT];
} tn_case_numbers_t;

// One transform, of the operation or of the level below.
typedef struct tn_case_level {
  tn_case_transform_t transform;
  size_t input_count, output_count;  // of what is transformed
  tn_case_numbers_t inputs, outputs;
  tn_closure_t function;
} tn_case_level_t;

typedef struct tn_case_stack {
  tn_case_t* it;
  const tn_case_operation_t* operation;
  size_t level_count;  // 0: the operation itself
  tn_case_level_t levels[TN_CASE_LEVEL_LIMIT];
} tn_case_stack_t;

// Reads "NAME INPUT_COUNT OUTPUT_COUNT COUNT NUMBERS... COUNT NUMBERS..."; false: that is no level.
bool tn_case_level_read(tn_case_stack_t* stack, const char* text);
// Applies all levels to `inputs`, which stand for the arrays of the case that are not NULL.
tn_status_t tn_case_stack_run(tn_case_stack_t* stack, tn_scope_t* scope, size_t input_count,
                              tn_array_t* const* inputs, size_t output_count,
                              tn_array_t** out_outputs);
// (F(x + step t) - F(x - step t)) / (2 step) of F below the last level, which is jvp, in the place
// of what that gives.
tn_status_t tn_case_stack_difference(tn_case_stack_t* stack, tn_scope_t* scope, double step,
                                     tn_array_t* const* inputs, tn_array_t** out_outputs);

#endif  // TENON_TEST_CLIENT_ARRAY_TRANSFORMS_H_
