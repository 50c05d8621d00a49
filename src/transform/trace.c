// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transforms of functions that the caller has called: its outputs stand for the function.
#include <tenon/detail/transform.h>

#include "transform/tape.h"

struct tn_trace {
  tn_trace_kind_t kind;
  tn_evaluator_t* evaluator;  // a view: that of the scope
  tn_scope_t* scope;          // of the tracers
  size_t input_count;
  tn_array_t** inputs;  // retained
  tn_array_t** tracers;
  int64_t* in_axes;  // NULL: none given
  size_t byte_size;  // of it all
};

static tn_status_t make_tracers(tn_trace_t* trace) {
  if (trace->kind == TN_TRACE_BATCH) {
    TN_RETURN_IF_ERROR(tn__vmap_elements(trace->scope, trace->input_count, trace->inputs,
                                         trace->in_axes, trace->tracers));
  }
  for (size_t i = 0; i < trace->input_count; ++i) {
    tn_array_t* x = trace->inputs[i];
    if (trace->kind == TN_TRACE_DERIVATIVE) {
      trace->tracers[i] = tn__identity(trace->scope, x, TN_ARRAY_TRACED);
    } else if (trace->kind == TN_TRACE_TYPES) {
      trace->tracers[i] = tn__abstract(trace->scope, x->dtype, x->rank, x->dims);
    }
    TN_RETURN_IF_ERROR(tn_array_status(trace->tracers[i]));
  }
  return TN_OK;
}

static void keep_inputs(tn_trace_t* trace, tn_array_t* const* inputs, const int64_t* in_axes) {
  trace->inputs = (tn_array_t**)(trace + 1);
  trace->tracers = trace->inputs + trace->input_count;
  if (in_axes) trace->in_axes = (int64_t*)(trace->tracers + trace->input_count);
  for (size_t i = 0; i < trace->input_count; ++i) {
    trace->inputs[i] = tn_array_retain(inputs[i]);
    if (in_axes) trace->in_axes[i] = in_axes[i];
  }
}

tn_status_t tn_trace_begin(tn_scope_t* scope, tn_trace_kind_t kind, size_t input_count,
                           tn_array_t* const* inputs, const int64_t* in_axes,
                           tn_trace_t** out_trace, tn_array_t** out_tracers) {
  void* memory = NULL;
  *out_trace = NULL;
  for (size_t i = 0; i < input_count; ++i) out_tracers[i] = NULL;
  if (kind != TN_TRACE_DERIVATIVE && kind != TN_TRACE_BATCH && kind != TN_TRACE_TYPES) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_trace_begin: there is no kind %d", kind);
  }
  TN_RETURN_IF_ERROR(tn__scope_check(scope, "tn_trace_begin", input_count, inputs));
  for (size_t i = 0; i < input_count; ++i) TN_RETURN_IF_ERROR(tn_array_status(inputs[i]));
  tn_evaluator_t* evaluator = tn__scope_evaluator(scope);
  const size_t byte_size =
      sizeof(tn_trace_t) + input_count * (2 * sizeof(tn_array_t*) + sizeof(int64_t));
  tn_scope_t* inner = NULL;
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &inner));
  tn_status_t status = tn__allocate(evaluator->allocator, byte_size, &memory);
  if (status) {
    tn_scope_destroy(inner);
    return status;
  }
  tn_trace_t* trace = memory;
  *trace = (tn_trace_t){.kind = kind,
                        .evaluator = evaluator,
                        .scope = inner,
                        .input_count = input_count,
                        .byte_size = byte_size};
  keep_inputs(trace, inputs, in_axes);
  atomic_fetch_add(&evaluator->transform_count, 1);
  status = make_tracers(trace);
  if (status) {
    tn_trace_end(trace);
    return status;
  }
  for (size_t i = 0; i < input_count; ++i) out_tracers[i] = trace->tracers[i];
  *out_trace = trace;
  return TN_OK;
}

void tn_trace_end(tn_trace_t* trace) {
  if (!trace) return;
  tn_scope_t* scope = trace->scope;
  atomic_fetch_sub(&trace->evaluator->transform_count, 1);
  for (size_t i = 0; i < trace->input_count; ++i) tn_array_release(trace->inputs[i]);
  tn__free(trace->evaluator->allocator, trace, trace->byte_size);
  tn_scope_destroy(scope);
}

// --- its transforms

// A closure that has been called.
static tn_status_t give(void* user, tn_scope_t* scope, size_t input_count,
                        tn_array_t* const* inputs, size_t output_count, tn_array_t** out_outputs) {
  tn_array_t* const* outputs = user;
  (void)scope, (void)input_count, (void)inputs;
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = outputs[i];
  return TN_OK;
}

static tn_closure_t closure_of(tn_array_t* const* outputs) {
  return (tn_closure_t){give, (void*)outputs};
}

static tn_status_t check(const char* name, const tn_trace_t* trace, tn_trace_kind_t kind,
                         const tn_scope_t* scope, size_t output_count, tn_array_t* const* outputs) {
  static const char* const kinds[] = {"DERIVATIVE", "BATCH", "TYPES"};
  if (!scope || (output_count && !outputs)) {
    return tn__scope_check(scope, name, output_count, outputs);
  }
  if (trace->kind != kind) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the trace is of the kind TN_TRACE_%s; expected TN_TRACE_%s", name,
                            kinds[trace->kind], kinds[kind]);
  }
  if (tn__scope_evaluator(scope) != trace->evaluator) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the trace began in a scope that this one is not nested with",
                            name);
  }
  return tn__scope_check(scope, name, output_count, outputs);
}

tn_status_t tn_trace_jvp(tn_trace_t* trace, tn_scope_t* scope, tn_array_t* const* tangents,
                         size_t output_count, tn_array_t* const* outputs, tn_array_t** out_outputs,
                         tn_array_t** out_tangents) {
  TN_RETURN_IF_NULL(trace);
  const tn_closure_t function = closure_of(outputs);
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = out_tangents[i] = NULL;
  TN_RETURN_IF_ERROR(
      check("tn_trace_jvp", trace, TN_TRACE_DERIVATIVE, scope, output_count, outputs));
  return tn__jvp(scope, &function, trace->input_count, trace->inputs, trace->tracers, tangents,
                 output_count, out_outputs, out_tangents);
}

tn_status_t tn_trace_vjp(tn_trace_t* trace, tn_scope_t* scope, size_t output_count,
                         tn_array_t* const* outputs, tn_array_t* const* cotangents,
                         tn_array_t** out_outputs, tn_array_t** out_gradients) {
  TN_RETURN_IF_NULL(trace);
  const tn_closure_t function = closure_of(outputs);
  for (size_t i = 0; out_outputs && i < output_count; ++i) out_outputs[i] = NULL;
  for (size_t i = 0; i < trace->input_count; ++i) out_gradients[i] = NULL;
  TN_RETURN_IF_ERROR(
      check("tn_trace_vjp", trace, TN_TRACE_DERIVATIVE, scope, output_count, outputs));
  return tn__vjp(scope, &function, trace->input_count, trace->inputs, trace->tracers, output_count,
                 cotangents, out_outputs, out_gradients);
}

tn_status_t tn_trace_vmap(tn_trace_t* trace, tn_scope_t* scope, size_t output_count,
                          tn_array_t* const* outputs, const int64_t* out_axes,
                          tn_array_t** out_outputs) {
  TN_RETURN_IF_NULL(trace);
  const tn_closure_t function = closure_of(outputs);
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  TN_RETURN_IF_ERROR(check("tn_trace_vmap", trace, TN_TRACE_BATCH, scope, output_count, outputs));
  return tn__vmap(scope, &function, trace->input_count, trace->inputs, trace->tracers,
                  trace->in_axes, output_count, out_axes, out_outputs);
}

tn_status_t tn_trace_compile(tn_trace_t* trace, tn_scope_t* scope, size_t output_count,
                             tn_array_t* const* outputs, tn_compiled_t** out_compiled) {
  TN_RETURN_IF_NULL(trace);
  const tn_closure_t function = closure_of(outputs);
  *out_compiled = NULL;
  TN_RETURN_IF_ERROR(
      check("tn_trace_compile", trace, TN_TRACE_TYPES, scope, output_count, outputs));
  return tn__compile_traced(scope, &function, trace->input_count, trace->tracers, output_count,
                            out_compiled);
}

tn_status_t tn__trace_read(const char* name, const tn_trace_t* trace, tn_scope_t* scope,
                           size_t output_count, tn_array_t* const* outputs,
                           tn_traced_t* out_traced) {
  TN_RETURN_IF_ERROR(check(name, trace, TN_TRACE_TYPES, scope, output_count, outputs));
  *out_traced =
      (tn_traced_t){closure_of(outputs), trace->input_count, trace->inputs, trace->tracers};
  return TN_OK;
}
