// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Derivative rules of a function under vmap: they count for each element of the batch, so they are
// vmapped themselves. What carries them is again a function with rules of its own.
#include <tenon/detail/array_ops.h>

#include "transform/custom.h"

// An output for one element.
typedef struct output {
  tn_dtype_t dtype;
  size_t rank;
  int64_t dims[TN_MAX_RANK];
} output_t;

typedef struct batched {
  const tn_op_t* op;              // retained: keeps function.user
  tn_custom_function_t function;  // whose rules are for one element
  int64_t batch_size;
  size_t input_count, output_count, byte_size;
  int64_t* axes;  // of inputs, then of outputs
  output_t outputs[];
} batched_t;

static void destroy_batched(void* user) {
  batched_t* batched = user;
  tn__op_release(batched->op);
  tn__free(tn_allocator_system(), batched, batched->byte_size);
}

// One call of a rule for all elements: `arrays`, and where each has the batch.
typedef struct each {
  const batched_t* batched;
  const bool* has_tangent;  // of each input
  size_t count;
  tn_array_t** arrays;
  int64_t* axes;
} each_t;

static void add(each_t* each, tn_array_t* array, int64_t axis) {
  each->arrays[each->count] = array;
  each->axes[each->count++] = axis;
}

static tn_array_t* repeat(tn_scope_t* scope, tn_array_t* x, int64_t batch_size) {
  int64_t dims[TN_MAX_RANK + 1] = {batch_size};
  const size_t rank = tn_array_rank(x);
  if (rank) memcpy(dims + 1, tn_array_dims(x), rank * sizeof *dims);
  return tn_array_broadcast_to(scope, x, rank + 1, dims);
}

// Calls `rule` once for all elements. With nothing batched it is the same for all.
static tn_status_t call_for_each(each_t* each, tn_scope_t* scope,
                                 tn_status_t (*rule)(void* user, tn_scope_t* scope, size_t count,
                                                     tn_array_t* const* arrays, size_t result_count,
                                                     tn_array_t** out_results),
                                 size_t result_count, const int64_t* result_axes,
                                 tn_array_t** out_results) {
  const tn_closure_t closure = {rule, each};
  bool is_batched = false;
  for (size_t i = 0; i < each->count; ++i) is_batched |= each->axes[i] != TN_NO_AXIS;
  if (is_batched) {
    return tn_vmap(scope, &closure, each->count, each->arrays, each->axes, result_count,
                   result_axes, out_results);
  }
  TN_RETURN_IF_ERROR(rule(each, scope, each->count, each->arrays, result_count, out_results));
  for (size_t i = 0; i < result_count; ++i) {
    out_results[i] = tn_array_moveaxis(
        scope, repeat(scope, out_results[i], each->batched->batch_size), 0, result_axes[i]);
  }
  return TN_OK;
}

// Room for `count` arrays and axes, in one piece.
static tn_status_t init_each(const batched_t* batched, size_t count, each_t* out_each) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(tn_allocator_system(), count,
                                        sizeof(tn_array_t*) + sizeof(int64_t), &memory));
  *out_each = (each_t){
      .batched = batched, .arrays = memory, .axes = (int64_t*)((tn_array_t**)memory + count)};
  return TN_OK;
}

static void deinit_each(each_t* each, size_t count) {
  tn__free(tn_allocator_system(), each->arrays, count * (sizeof(tn_array_t*) + sizeof(int64_t)));
}

// --- jvp: the inputs, then the tangents that there are

static tn_status_t jvp_of_one(void* user, tn_scope_t* scope, size_t count,
                              tn_array_t* const* arrays, size_t output_count,
                              tn_array_t** out_tangents) {
  const each_t* each = user;
  const batched_t* batched = each->batched;
  const size_t input_count = batched->input_count;
  void* memory = NULL;
  (void)count;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(tn_allocator_system(), input_count, sizeof(tn_array_t*), &memory));
  tn_array_t** tangents = memory;
  for (size_t i = 0, next = input_count; i < input_count; ++i) {
    if (each->has_tangent[i]) tangents[i] = arrays[next++];
  }
  for (size_t i = 0; i < output_count; ++i) out_tangents[i] = NULL;
  tn_status_t status = batched->function.jvp(batched->function.function.user, scope, input_count,
                                             arrays, tangents, output_count, out_tangents);
  tn__free(tn_allocator_system(), tangents, input_count * sizeof *tangents);
  for (size_t i = 0; i < output_count; ++i) {
    const output_t* it = &batched->outputs[i];
    if (!out_tangents[i]) out_tangents[i] = tn_array_zeros(scope, it->dtype, it->rank, it->dims);
  }
  return status;
}

static tn_status_t batched_jvp(void* user, tn_scope_t* scope, size_t input_count,
                               tn_array_t* const* inputs, tn_array_t* const* tangents,
                               size_t output_count, tn_array_t** out_tangents) {
  const batched_t* batched = user;
  const size_t limit = 2 * input_count;
  each_t each;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(tn_allocator_system(), input_count, sizeof(bool), &memory));
  bool* has_tangent = memory;
  tn_status_t status = init_each(batched, limit, &each);
  if (!status) {
    each.has_tangent = has_tangent;
    for (size_t i = 0; i < input_count; ++i) add(&each, inputs[i], batched->axes[i]);
    for (size_t i = 0; i < input_count; ++i) {
      has_tangent[i] = tangents[i] != NULL;
      if (tangents[i]) add(&each, tangents[i], batched->axes[i]);
    }
    status = call_for_each(&each, scope, jvp_of_one, output_count, batched->axes + input_count,
                           out_tangents);
    deinit_each(&each, limit);
  }
  tn__free(tn_allocator_system(), has_tangent, input_count * sizeof *has_tangent);
  return status;
}

// --- vjp: the inputs, then the cotangents, then the outputs

static tn_status_t vjp_of_one(void* user, tn_scope_t* scope, size_t count,
                              tn_array_t* const* arrays, size_t input_count,
                              tn_array_t** out_gradients) {
  const each_t* each = user;
  const batched_t* batched = each->batched;
  const size_t output_count = batched->output_count;
  (void)count;
  for (size_t i = 0; i < input_count; ++i) out_gradients[i] = NULL;
  TN_RETURN_IF_ERROR(batched->function.vjp(batched->function.function.user, scope, input_count,
                                           arrays, output_count, arrays + input_count,
                                           arrays + input_count + output_count, out_gradients));
  for (size_t i = 0; i < input_count; ++i) {
    TN_RETURN_IF_ERROR(tn__custom_check_gradient(i, out_gradients[i], arrays[i]));
    if (!out_gradients[i]) out_gradients[i] = tn_array_zeros_like(scope, arrays[i]);
  }
  return TN_OK;
}

static tn_status_t batched_vjp(void* user, tn_scope_t* scope, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count,
                               tn_array_t* const* cotangents, tn_array_t* const* outputs,
                               tn_array_t** out_gradients) {
  const batched_t* batched = user;
  const int64_t* output_axes = batched->axes + input_count;
  // The axes of gradients stand behind those of arrays.
  const size_t limit = 2 * (input_count + output_count);
  const int64_t first = 0;
  each_t each;
  TN_RETURN_IF_ERROR(init_each(batched, limit, &each));
  for (size_t i = 0; i < input_count; ++i) add(&each, inputs[i], batched->axes[i]);
  for (size_t i = 0; i < output_count; ++i) add(&each, cotangents[i], output_axes[i]);
  for (size_t i = 0; i < output_count; ++i) add(&each, outputs[i], output_axes[i]);
  int64_t* gradient_axes = each.axes + each.count;
  for (size_t i = 0; i < input_count; ++i) {
    gradient_axes[i] = batched->axes[i] == TN_NO_AXIS ? 0 : batched->axes[i];
  }
  tn_status_t status =
      call_for_each(&each, scope, vjp_of_one, input_count, gradient_axes, out_gradients);
  // What all elements share has a gradient from each.
  for (size_t i = 0; i < input_count && !status; ++i) {
    if (batched->axes[i] == TN_NO_AXIS) {
      out_gradients[i] = tn_array_sum(scope, out_gradients[i], 1, &first, false);
    }
  }
  deinit_each(&each, limit);
  return status;
}

// --- attaching

static void describe_output(const tn_array_t* array, int64_t axis, output_t* out) {
  *out = (output_t){.dtype = tn_array_dtype(array)};
  for (size_t d = 0; d < tn_array_rank(array); ++d) {
    if ((int64_t)d != axis) out->dims[out->rank++] = tn_array_dims(array)[d];
  }
}

tn_status_t tn__custom_attach_batched(tn_scope_t* scope, const tn_op_t* op,
                                      const tn_custom_function_t* function, int64_t batch_size,
                                      size_t input_count, tn_array_t* const* inputs,
                                      size_t output_count, tn_array_t** outputs, int64_t* axes) {
  const size_t axis_count = input_count + output_count;
  const size_t byte_size =
      sizeof(batched_t) + output_count * sizeof(output_t) + axis_count * sizeof(int64_t);
  int64_t* output_axes = axes + input_count;
  void* memory = NULL;
  for (size_t i = 0; i < output_count; ++i) {
    if (output_axes[i] != TN_NO_AXIS) continue;
    outputs[i] = repeat(scope, outputs[i], batch_size);
    output_axes[i] = 0;
    TN_RETURN_IF_ERROR(tn_array_status(outputs[i]));
  }
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), byte_size, &memory));
  batched_t* batched = memory;
  batched->op = tn__op_retain(op);
  batched->function = *function;
  batched->batch_size = batch_size;
  batched->input_count = input_count;
  batched->output_count = output_count;
  batched->byte_size = byte_size;
  batched->axes = (int64_t*)(void*)&batched->outputs[output_count];
  memcpy(batched->axes, axes, axis_count * sizeof *axes);
  for (size_t i = 0; i < output_count; ++i) {
    describe_output(outputs[i], output_axes[i], &batched->outputs[i]);
  }
  const tn_custom_function_t rules = {.struct_size = sizeof rules,
                                      .function = {NULL, batched},
                                      .jvp = function->jvp ? batched_jvp : NULL,
                                      .vjp = function->vjp ? batched_vjp : NULL,
                                      .destroy = destroy_batched};
  return tn__custom_attach(scope, &rules, input_count, inputs, output_count, outputs);
}
