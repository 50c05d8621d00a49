// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a function did with its inputs: the steps between them and its outputs, in order. Transforms
// walk it forwards or backwards.
#ifndef TENON_TRANSFORM_TAPE_H_
#define TENON_TRANSFORM_TAPE_H_

#include <tenon/detail/transform.h>

#include "lazy/array.h"

#define TN_TAPE_CONSTANT UINT32_MAX  // the number of what does not depend on an input

typedef struct tn_tape_step {
  tn_step_t* step;         // a view: its results retain it
  uint32_t first_operand;  // among the tape's operands
  uint32_t first_result;   // among the values, one behind the other
} tn_tape_step_t;

typedef struct tn_tape {
  const tn_allocator_t* allocator;
  size_t value_count, value_capacity;
  tn_array_t** values;  // retained; the inputs are the first
  size_t step_count, step_capacity;
  tn_tape_step_t* steps;
  size_t operand_count, operand_capacity;
  uint32_t* operands;  // numbers of values, or TN_TAPE_CONSTANT
  size_t output_count;
  uint32_t* outputs;  // likewise
  size_t stack_count, stack_capacity;
  struct tn_tape_frame* stack;
} tn_tape_t;

// Calls `function` with `inputs`, which are identities or abstract arrays of `scope`, and keeps the
// tape. out_outputs are the function's, in `scope`. Deinit in any case.
TN_MUST_USE tn_status_t tn__tape_record(const char* name, tn_scope_t* scope,
                                        const tn_closure_t* function, size_t input_count,
                                        tn_array_t* const* inputs, size_t output_count,
                                        tn_array_t** out_outputs, tn_tape_t* out_tape);
void tn__tape_deinit(tn_tape_t* tape);

// Whether a step is that of a function with a vmap rule of its own, which needs the inputs alone,
// not the outputs in front of them.
bool tn__custom_has_vmap(const tn_step_t* step);

// That there is a function; `name` is the transform's, for the error.
TN_MUST_USE tn_status_t tn__closure_check(const char* name, const tn_closure_t* function);
// Calls the function and checks that it gave its outputs; their errors are returned.
TN_MUST_USE tn_status_t tn__closure_call(const char* name, const tn_closure_t* function,
                                         tn_scope_t* scope, size_t input_count,
                                         tn_array_t* const* inputs, size_t output_count,
                                         tn_array_t** out_outputs);

// The transforms, with the tracers that the function is to get in place of the inputs; NULL: they
// are made.
TN_MUST_USE tn_status_t tn__jvp(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                                tn_array_t* const* inputs, tn_array_t* const* tracers,
                                tn_array_t* const* tangents, size_t output_count,
                                tn_array_t** out_outputs, tn_array_t** out_tangents);
TN_MUST_USE tn_status_t tn__vjp(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                                tn_array_t* const* inputs, tn_array_t* const* tracers,
                                size_t output_count, tn_array_t* const* cotangents,
                                tn_array_t** out_outputs, tn_array_t** out_gradients);
TN_MUST_USE tn_status_t tn__vmap(tn_scope_t* scope, const tn_closure_t* function,
                                 size_t input_count, tn_array_t* const* inputs,
                                 tn_array_t* const* tracers, const int64_t* in_axes,
                                 size_t output_count, const int64_t* out_axes,
                                 tn_array_t** out_outputs);
// The tracers of a batch, in `scope`.
TN_MUST_USE tn_status_t tn__vmap_elements(tn_scope_t* scope, size_t input_count,
                                          tn_array_t* const* inputs, const int64_t* in_axes,
                                          tn_array_t** out_elements);
// One program: other inputs are an error.
TN_MUST_USE tn_status_t tn__compile_traced(tn_scope_t* scope, const tn_closure_t* function,
                                           size_t input_count, tn_array_t* const* tracers,
                                           size_t output_count, tn_compiled_t** out_compiled);

// A trace as a function of its inputs, for what is exported (import/export.c). Views, as long as
// the trace and the outputs.
typedef struct tn_traced {
  tn_closure_t function;
  size_t input_count;
  tn_array_t* const* inputs;
  tn_array_t* const* tracers;
} tn_traced_t;
// INVALID_ARGUMENT, with the caller's name, if the trace is not one of types.
TN_MUST_USE tn_status_t tn__trace_read(const char* name, const tn_trace_t* trace, tn_scope_t* scope,
                                       size_t output_count, tn_array_t* const* outputs,
                                       tn_traced_t* out_traced);

#endif  // TENON_TRANSFORM_TAPE_H_
