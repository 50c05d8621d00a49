// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Compiled functions: a program for each set of input types, and steps that call it.
#include <pthread.h>
#include <tenon/detail/program.h>

#include "base/options.h"
#include "base/process.h"
#include "base/recent.h"
#include "lazy/graph.h"
#include "transform/tape.h"

// What the function was for inputs of some types. Immutable; reference counted.
typedef struct trace {
  atomic_uint references;
  tn_device_t* device;               // of the program, which retains it
  size_t input_count, output_count;  // with the captured ones
  tn_array_type_t* inputs;
  tn_array_type_t* outputs;
  size_t constant_count;
  tn_array_t** constants;  // retained: what it uses besides its inputs
  tn_program_t* program;
  tn_arena_t arena;
} trace_t;

struct tn_compiled {
  atomic_uint references;
  tn_evaluator_t* evaluator;  // retained
  tn_closure_t function;
  size_t captured_input_count, captured_output_count;
  tn_array_t*** captured_inputs;
  tn_array_t*** captured_outputs;
  pthread_mutex_t mutex;
  atomic_size_t trace_count;  // made so far
  tn_recent_t traces;         // retained
};

// --- life

static size_t captured_count(const tn_compiled_t* compiled) {
  return compiled->captured_input_count + compiled->captured_output_count;
}

static tn_status_t check_places(const char* what, size_t count, tn_array_t** const* places) {
  if (!places && count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_closure_compile: %s is NULL; expected a list of %zu", what, count);
  }
  for (size_t i = 0; i < count; ++i) {
    if (places[i]) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_closure_compile: %s[%zu] is NULL", what,
                            i);
  }
  return TN_OK;
}

tn_status_t tn_closure_compile(tn_scope_t* scope, const tn_closure_t* function,
                               const tn_compiled_options_t* options, tn_compiled_t** out_compiled) {
  tn_compiled_options_t copy;
  tn_status_t status;
  void* memory = NULL;
  *out_compiled = NULL;
  TN_RETURN_IF_ERROR(tn__closure_check("tn_closure_compile", function));
  options = TN_OPTIONS_READ(tn_compiled_options_t, options, &copy, &status);
  TN_RETURN_IF_ERROR(status);
  TN_RETURN_IF_ERROR(
      check_places("captured_inputs", options->captured_input_count, options->captured_inputs));
  TN_RETURN_IF_ERROR(
      check_places("captured_outputs", options->captured_output_count, options->captured_outputs));
  tn_evaluator_t* evaluator = tn__scope_evaluator(scope);
  const size_t count = options->captured_input_count + options->captured_output_count;
  TN_RETURN_IF_ERROR(tn__allocate(evaluator->allocator,
                                  sizeof(tn_compiled_t) + count * sizeof(tn_array_t**), &memory));
  tn_compiled_t* compiled = memory;
  atomic_init(&compiled->references, 1);
  compiled->evaluator = tn__evaluator_retain(evaluator);
  compiled->function = *function;
  compiled->captured_input_count = options->captured_input_count;
  compiled->captured_output_count = options->captured_output_count;
  compiled->captured_inputs = (tn_array_t***)(compiled + 1);
  compiled->captured_outputs = compiled->captured_inputs + options->captured_input_count;
  for (size_t i = 0; i < options->captured_input_count; ++i) {
    compiled->captured_inputs[i] = options->captured_inputs[i];
  }
  for (size_t i = 0; i < options->captured_output_count; ++i) {
    compiled->captured_outputs[i] = options->captured_outputs[i];
  }
  pthread_mutex_init(&compiled->mutex, NULL);
  *out_compiled = compiled;
  return TN_OK;
}

tn_compiled_t* tn_compiled_retain(tn_compiled_t* compiled) {
  if (compiled) atomic_fetch_add(&compiled->references, 1);
  return compiled;
}

static void release_trace(trace_t* trace, const tn_allocator_t* allocator) {
  if (!trace || atomic_fetch_sub(&trace->references, 1) != 1) return;
  for (size_t i = 0; i < trace->constant_count; ++i) tn_array_release(trace->constants[i]);
  tn_program_release(trace->program);
  tn__arena_deinit(&trace->arena);
  tn__free(allocator, trace, sizeof *trace);
}

void tn_compiled_release(tn_compiled_t* compiled) {
  if (!compiled || atomic_fetch_sub(&compiled->references, 1) != 1) return;
  tn_evaluator_t* evaluator = compiled->evaluator;
  for (size_t i = 0; i < compiled->traces.count; ++i) {
    release_trace(compiled->traces.entries[i], evaluator->allocator);
  }
  pthread_mutex_destroy(&compiled->mutex);
  tn__free(evaluator->allocator, compiled,
           sizeof *compiled + captured_count(compiled) * sizeof(tn_array_t**));
  tn__evaluator_release(evaluator);
}

size_t tn_compiled_trace_count(const tn_compiled_t* compiled) {
  return atomic_load(&compiled->trace_count);
}

// --- tracing

static const char call_name[] = "tn_compiled_call";

static tn_status_t copy_types(tn_arena_t* arena, size_t count, tn_array_t* const* arrays,
                              tn_array_type_t** out_types) {
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, out_types));
  for (size_t i = 0; i < count; ++i) {
    const tn_array_t* array = arrays[i];
    (*out_types)[i] = (tn_array_type_t){.dtype = array->dtype, .rank = array->rank};
    TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, array->rank, array->dims, &(*out_types)[i].dims));
  }
  return TN_OK;
}

// Calls the function with tracers in all places. `outputs` gets its own, then the captured ones;
// `kept` is room for what stood in the captured places.
static tn_status_t call_with_stand_ins(const tn_compiled_t* compiled, tn_scope_t* scope,
                                       size_t own_count, tn_array_t* const* stand_ins,
                                       size_t own_output_count, tn_array_t** kept,
                                       tn_array_t** outputs) {
  const size_t in_count = compiled->captured_input_count;
  const size_t out_count = compiled->captured_output_count;
  for (size_t i = 0; i < out_count; ++i) kept[in_count + i] = *compiled->captured_outputs[i];
  for (size_t i = 0; i < in_count; ++i) kept[i] = *compiled->captured_inputs[i];
  for (size_t i = 0; i < in_count; ++i) *compiled->captured_inputs[i] = stand_ins[own_count + i];
  tn_status_t status = tn__closure_call(call_name, &compiled->function, scope, own_count, stand_ins,
                                        own_output_count, outputs);
  for (size_t i = 0; i < out_count && !status; ++i) {
    tn_array_t* output = outputs[own_output_count + i] = *compiled->captured_outputs[i];
    status = tn_status_prefix(tn_array_status(output), "captured output %zu", i);
  }
  for (size_t i = 0; i < in_count; ++i) *compiled->captured_inputs[i] = kept[i];
  for (size_t i = 0; i < out_count; ++i) *compiled->captured_outputs[i] = kept[in_count + i];
  return status;
}

// What the graph needs besides the tracers becomes further parameters.
static tn_status_t take_constants(trace_t* trace, const tn_graph_t* graph) {
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&trace->arena, graph->input_count, &trace->constants));
  for (size_t i = 0; i < graph->input_count; ++i) {
    tn_array_t* array = graph->values[graph->inputs[i]].array;
    if (array->flags & TN_ARRAY_ABSTRACT) continue;
    trace->constants[trace->constant_count++] = tn_array_retain(array);
  }
  return TN_OK;
}

static tn_status_t compile_graph(trace_t* trace, tn_evaluator_t* evaluator,
                                 tn_array_t* const* stand_ins, tn_array_t* const* outputs) {
  tn_graph_t graph;
  tn_module_t* module = NULL;
  tn_array_t** parameters = NULL;
  const tn_compile_options_t options = {.struct_size = sizeof options,
                                        .allocator = evaluator->allocator};
  tn__graph_init(&graph, evaluator);
  tn_status_t status = tn__graph_collect_whole(&graph, trace->output_count, outputs);
  if (!status) status = take_constants(trace, &graph);
  const size_t count = trace->input_count + trace->constant_count;
  graph.device = trace->device;
  if (!status) {
    status = TN_ARENA_ARRAY(&trace->arena, count, &parameters);
  }
  for (size_t i = 0; i < count && !status; ++i) {
    parameters[i] =
        i < trace->input_count ? stand_ins[i] : trace->constants[i - trace->input_count];
  }
  if (!status) {
    status =
        tn__graph_export(&graph, false, count, parameters, trace->output_count, outputs, &module);
  }
  if (!status) {
    status = tn_program_compile(trace->device, module, &options, &trace->program);
  }
  tn_module_release(module);
  tn__graph_forget(&graph);
  tn__graph_deinit(&graph);
  return status;
}

// `has_tracers`: the inputs are tracers already.
static tn_status_t fill_trace(const tn_compiled_t* compiled, tn_scope_t* scope, trace_t* trace,
                              size_t own_count, tn_array_t* const* inputs, bool has_tracers,
                              size_t own_output_count) {
  tn_arena_t* arena = &trace->arena;
  const size_t count = trace->input_count + trace->output_count + captured_count(compiled);
  TN_RETURN_IF_ERROR(copy_types(arena, trace->input_count, inputs, &trace->inputs));
  tn_array_t** stand_ins = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &stand_ins));
  tn_array_t** outputs = stand_ins + trace->input_count;
  for (size_t i = 0; i < trace->input_count; ++i) {
    stand_ins[i] = has_tracers
                       ? inputs[i]
                       : tn__abstract(scope, inputs[i]->dtype, inputs[i]->rank, inputs[i]->dims);
    TN_RETURN_IF_ERROR(tn_array_status(stand_ins[i]));
  }
  TN_RETURN_IF_ERROR(call_with_stand_ins(compiled, scope, own_count, stand_ins, own_output_count,
                                         outputs + trace->output_count, outputs));
  TN_RETURN_IF_ERROR(copy_types(arena, trace->output_count, outputs, &trace->outputs));
  return compile_graph(trace, compiled->evaluator, stand_ins, outputs);
}

static tn_status_t create_trace(const tn_compiled_t* compiled, tn_scope_t* scope, size_t own_count,
                                tn_array_t* const* inputs, bool has_tracers,
                                size_t own_output_count, trace_t** out_trace) {
  const tn_allocator_t* allocator = compiled->evaluator->allocator;
  tn_scope_t* inner = NULL;
  void* memory = NULL;
  *out_trace = NULL;
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &inner));
  atomic_fetch_add(&compiled->evaluator->transform_count, 1);
  tn_status_t status = tn__allocate(allocator, sizeof(trace_t), &memory);
  trace_t* trace = memory;
  if (!status) {
    atomic_init(&trace->references, 1);
    tn__arena_init(&trace->arena, allocator);
    trace->device = tn_scope_device(scope);
    trace->input_count = own_count + compiled->captured_input_count;
    trace->output_count = own_output_count + compiled->captured_output_count;
    status = fill_trace(compiled, inner, trace, own_count, inputs, has_tracers, own_output_count);
    if (status) release_trace(trace, allocator);
  }
  atomic_fetch_sub(&compiled->evaluator->transform_count, 1);
  tn_scope_destroy(inner);
  if (!status) *out_trace = trace;
  return status;
}

// --- calling

typedef struct wanted {
  const tn_device_t* device;
  size_t count, output_count;
  tn_array_t* const* inputs;
} wanted_t;

static bool fits(const void* entry, const void* user) {
  const trace_t* trace = entry;
  const wanted_t* wanted = user;
  if (trace->device != wanted->device) return false;
  if (trace->input_count != wanted->count || trace->output_count != wanted->output_count) {
    return false;
  }
  for (size_t i = 0; i < wanted->count; ++i) {
    const tn_array_type_t* type = &trace->inputs[i];
    const tn_array_t* input = wanted->inputs[i];
    if (type->dtype != input->dtype || type->rank != input->rank ||
        (type->rank && memcmp(type->dims, input->dims, type->rank * sizeof *type->dims) != 0)) {
      return false;
    }
  }
  return true;
}

// *out_trace is retained.
static tn_status_t get_trace(tn_compiled_t* compiled, tn_scope_t* scope, size_t own_count,
                             size_t count, tn_array_t* const* inputs, size_t own_output_count,
                             trace_t** out_trace) {
  const wanted_t wanted = {tn_scope_device(scope), count,
                           own_output_count + compiled->captured_output_count, inputs};
  trace_t *made = NULL, *old = NULL;
  pthread_mutex_lock(&compiled->mutex);
  *out_trace = tn__recent_find(&compiled->traces, fits, &wanted);
  if (*out_trace) atomic_fetch_add(&(*out_trace)->references, 1);
  pthread_mutex_unlock(&compiled->mutex);
  if (*out_trace) return TN_OK;
  TN_RETURN_IF_ERROR(
      create_trace(compiled, scope, own_count, inputs, false, own_output_count, &made));
  pthread_mutex_lock(&compiled->mutex);
  ++compiled->trace_count;
  *out_trace = tn__recent_find(&compiled->traces, fits, &wanted);
  if (*out_trace) {  // another thread was quicker
    old = made;
  } else {
    *out_trace = made;
    old = tn__recent_add(&compiled->traces, made);
  }
  atomic_fetch_add(&(*out_trace)->references, 1);
  pthread_mutex_unlock(&compiled->mutex);
  release_trace(old, compiled->evaluator->allocator);
  return TN_OK;
}

// Gives the captured outputs their new arrays.
static tn_status_t hand_out(const tn_compiled_t* compiled, size_t own_count,
                            tn_array_t* const* outputs, tn_array_t** out_outputs) {
  for (size_t i = 0; i < own_count + compiled->captured_output_count; ++i) {
    TN_RETURN_IF_ERROR(tn_array_status(outputs[i]));
  }
  for (size_t i = 0; i < own_count; ++i) out_outputs[i] = outputs[i];
  for (size_t i = 0; i < compiled->captured_output_count; ++i) {
    tn_array_t* old = *compiled->captured_outputs[i];
    *compiled->captured_outputs[i] = tn_array_retain(outputs[own_count + i]);
    tn_array_release(old);
  }
  return TN_OK;
}

// An array with a buffer of its shape: programs know nothing of views.
static tn_array_t* own_elements(tn_scope_t* scope, tn_array_t* x) {
  tn_array_t* root = tn__array_root(x);
  const bool is_same =
      root->rank == x->rank && tn__array_is_dense(x) &&
      (x->rank == 0 || memcmp(root->dims, x->dims, x->rank * sizeof *x->dims) == 0);
  if (is_same) return root;
  return tn__apply(scope, TN__OP(reshape), 1, &x, x->dtype, x->rank, x->dims);
}

static tn_status_t call_program(const tn_compiled_t* compiled, tn_scope_t* scope,
                                const trace_t* trace, tn_array_t* const* inputs,
                                size_t own_output_count, tn_array_t** out_outputs) {
  const tn_allocator_t* allocator = compiled->evaluator->allocator;
  const size_t operand_count = trace->input_count + trace->constant_count;
  const size_t count = operand_count + trace->output_count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, count, sizeof(tn_array_t*), &memory));
  tn_array_t** operands = memory;
  for (size_t i = 0; i < operand_count; ++i) {
    operands[i] = own_elements(
        scope, i < trace->input_count ? inputs[i] : trace->constants[i - trace->input_count]);
  }
  const tn_step_spec_t spec = {
      .program = trace->program,
      .operand_count = operand_count,
      .operands = operands,
      .result_count = trace->output_count,
      .result_types = trace->outputs,
  };
  tn__step_add(scope, &spec, operands + operand_count);
  tn_status_t status = hand_out(compiled, own_output_count, operands + operand_count, out_outputs);
  tn__free(allocator, operands, count * sizeof *operands);
  return status;
}

// Inside of a transform. Arrays that came of one that is over are as any others.
static bool is_traced(const tn_compiled_t* compiled, size_t count, tn_array_t* const* arrays) {
  if (!atomic_load(&compiled->evaluator->transform_count)) return false;
  for (size_t i = 0; i < count; ++i) {
    if (arrays[i]->flags & TN_ARRAY_TRACED) return true;
  }
  return false;
}

// `given` are the inputs, then the captured ones.
static tn_status_t call(tn_compiled_t* compiled, tn_scope_t* scope, size_t input_count,
                        size_t count, tn_array_t* const* given, size_t output_count,
                        tn_array_t** out_outputs) {
  trace_t* trace = NULL;
  TN_RETURN_IF_ERROR(tn__process_check());
  TN_RETURN_IF_ERROR(tn__scope_check(scope, call_name, count, given));
  if (is_traced(compiled, count, given)) {
    return tn__closure_call(call_name, &compiled->function, scope, input_count, given, output_count,
                            out_outputs);
  }
  TN_RETURN_IF_ERROR(get_trace(compiled, scope, input_count, count, given, output_count, &trace));
  tn_status_t status = call_program(compiled, scope, trace, given, output_count, out_outputs);
  release_trace(trace, compiled->evaluator->allocator);
  return status;
}

tn_status_t tn_compiled_call(tn_compiled_t* compiled, tn_scope_t* scope, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count,
                             tn_array_t** out_outputs) {
  void* memory = NULL;
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  if (!compiled || (!inputs && input_count)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %s is NULL", call_name,
                            compiled ? "inputs" : "compiled");
  }
  TN_RETURN_IF_NULL(scope);
  if (tn__scope_evaluator(scope) != compiled->evaluator) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_compiled_call: the function was compiled in a scope that this one "
                            "is not nested with");
  }
  const tn_allocator_t* allocator = compiled->evaluator->allocator;
  const size_t count = input_count + compiled->captured_input_count;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, count, sizeof(tn_array_t*), &memory));
  tn_array_t** given = memory;
  for (size_t i = 0; i < count; ++i) {
    given[i] = i < input_count ? inputs[i] : *compiled->captured_inputs[i - input_count];
  }
  tn_status_t status = call(compiled, scope, input_count, count, given, output_count, out_outputs);
  tn__free(allocator, given, count * sizeof *given);
  for (size_t i = 0; status && i < output_count; ++i) out_outputs[i] = NULL;
  return status;
}

// --- from a trace

// In place of the function, which the caller has called.
static tn_status_t refuse(void* user, tn_scope_t* scope, size_t input_count,
                          tn_array_t* const* inputs, size_t output_count,
                          tn_array_t** out_outputs) {
  (void)user, (void)scope, (void)input_count, (void)inputs, (void)output_count, (void)out_outputs;
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "tn_compiled_call: the function was compiled from one trace: inputs of "
                          "other shapes or dtypes, and transforms, need a new one");
}

tn_status_t tn__compile_traced(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                               tn_array_t* const* tracers, size_t output_count,
                               tn_compiled_t** out_compiled) {
  tn_compiled_t* compiled = NULL;
  trace_t* trace = NULL;
  *out_compiled = NULL;
  TN_RETURN_IF_ERROR(tn_closure_compile(scope, function, NULL, &compiled));
  tn_status_t status =
      create_trace(compiled, scope, input_count, tracers, true, output_count, &trace);
  if (status) {
    tn_compiled_release(compiled);
    return status;
  }
  compiled->function = (tn_closure_t){refuse, NULL};
  compiled->trace_count = 1;
  release_trace(tn__recent_add(&compiled->traces, trace), compiled->evaluator->allocator);
  *out_compiled = compiled;
  return TN_OK;
}
