// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions of arrays as modules.
#include "lazy/eval.h"
#include "lazy/graph.h"
#include "transform/rules/rules.h"
#include "transform/tape.h"

// `tracers`: those that have been made, or NULL.
static tn_status_t trace(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                         tn_array_t* const* inputs, tn_array_t* const* tracers,
                         tn_array_t** stand_ins, size_t output_count, tn_array_t** outputs,
                         tn_module_t** out_module) {
  tn_graph_t graph;
  for (size_t i = 0; i < input_count; ++i) {
    stand_ins[i] = tracers
                       ? tracers[i]
                       : tn__abstract(scope, inputs[i]->dtype, inputs[i]->rank, inputs[i]->dims);
    TN_RETURN_IF_ERROR(tn_array_status(stand_ins[i]));
  }
  TN_RETURN_IF_ERROR(tn__closure_call("tn_export_function", function, scope, input_count, stand_ins,
                                      output_count, outputs));
  tn__graph_init(&graph, tn__scope_evaluator(scope));
  tn_status_t status = tn__graph_collect_whole(&graph, output_count, outputs);
  if (!status) {
    status =
        tn__graph_export(&graph, true, input_count, stand_ins, output_count, outputs, out_module);
  }
  tn__graph_forget(&graph);
  tn__graph_deinit(&graph);
  return status;
}

static tn_status_t export_traced(tn_scope_t* scope, const tn_closure_t* function,
                                 size_t input_count, tn_array_t* const* inputs,
                                 tn_array_t* const* tracers, size_t output_count,
                                 tn_module_t** out_module) {
  tn_scope_t* inner = NULL;
  void* memory = NULL;
  *out_module = NULL;
  TN_RETURN_IF_ERROR(tn__scope_check(scope, "tn_export_function", input_count, inputs));
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  const size_t count = input_count + output_count;
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &inner));
  atomic_fetch_add(&tn__scope_evaluator(scope)->transform_count, 1);
  tn_status_t status = tn__allocate_array(allocator, count, sizeof(tn_array_t*), &memory);
  tn_array_t** arrays = memory;
  if (!status) {
    status = trace(inner, function, input_count, inputs, tracers, arrays, output_count,
                   arrays + input_count, out_module);
  }
  atomic_fetch_sub(&tn__scope_evaluator(scope)->transform_count, 1);
  tn__free(allocator, arrays, count * sizeof *arrays);
  tn_scope_destroy(inner);
  return status;
}

tn_status_t tn_export_function(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count,
                               tn_module_t** out_module) {
  return export_traced(scope, function, input_count, inputs, NULL, output_count, out_module);
}

// The functions, each in a module of its own, as those of one.
static tn_status_t join(tn_scope_t* scope, size_t count, const tn_export_t* exports,
                        tn_module_t* module) {
  for (size_t i = 0; i < count; ++i) {
    const tn_export_t* one = &exports[i];
    tn_module_t* own = NULL;
    if (!one->name || !*one->name || !one->function.call) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "tn_export_functions: function %zu has no %s", i,
                              one->function.call ? "name" : "call");
    }
    tn_status_t status = tn_export_function(scope, &one->function, one->input_count, one->inputs,
                                            one->output_count, &own);
    if (!status) {
      status = tn__module_copy_function(module, tn__module_entry(own), tn__sv(one->name));
    }
    tn_module_release(own);
    if (status) return tn_status_prefix(status, "@%s", one->name);
  }
  return tn__module_verify(module);
}

tn_status_t tn_export_functions(tn_scope_t* scope, size_t count, const tn_export_t* exports,
                                tn_module_t** out_module) {
  tn_module_t* module = NULL;
  *out_module = NULL;
  TN_RETURN_IF_NULL(scope);
  if (count) TN_RETURN_IF_NULL(exports);
  if (count == 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_export_functions: no functions");
  }
  TN_RETURN_IF_ERROR(tn__module_create(tn__scope_evaluator(scope)->allocator, &module));
  tn_status_t status = join(scope, count, exports, module);
  if (status) {
    tn_module_release(module);
    return status;
  }
  *out_module = module;
  return TN_OK;
}

tn_status_t tn_trace_export(tn_trace_t* trace, tn_scope_t* scope, size_t output_count,
                            tn_array_t* const* outputs, tn_module_t** out_module) {
  tn_traced_t traced;
  *out_module = NULL;
  TN_RETURN_IF_NULL(trace);
  TN_RETURN_IF_NULL(scope);
  TN_RETURN_IF_ERROR(
      tn__trace_read("tn_trace_export", trace, scope, output_count, outputs, &traced));
  return export_traced(scope, &traced.function, traced.input_count, traced.inputs, traced.tracers,
                       output_count, out_module);
}

// --- what arrays depend on

static tn_status_t write_graph(tn_scope_t* scope, tn_graph_t* graph, size_t count,
                               tn_array_t* const* arrays, tn_array_t** owned,
                               tn_module_t** out_module) {
  void* memory = NULL;
  for (size_t i = 0; i < count; ++i) {
    owned[i] = tn__scope_own(scope, "tn_array_graph", arrays[i]);
    TN_RETURN_IF_ERROR(tn_array_status(owned[i]));
  }
  TN_RETURN_IF_ERROR(tn__graph_collect_whole(graph, count, owned));
  const tn_allocator_t* allocator = graph->evaluator->allocator;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(allocator, graph->input_count, sizeof(tn_array_t*), &memory));
  tn_array_t** parameters = memory;
  for (size_t i = 0; i < graph->input_count; ++i) {
    parameters[i] = graph->values[graph->inputs[i]].array;
  }
  tn_status_t status =
      tn__graph_export(graph, true, graph->input_count, parameters, count, owned, out_module);
  tn__free(allocator, parameters, graph->input_count * sizeof *parameters);
  return status;
}

tn_status_t tn_array_graph(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                           tn_module_t** out_module) {
  tn_graph_t graph;
  tn_scope_t* inner = NULL;
  void* owned = NULL;
  *out_module = NULL;
  TN_RETURN_IF_ERROR(tn__scope_check(scope, "tn_array_graph", count, arrays));
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &inner));
  tn__graph_init(&graph, tn__scope_evaluator(scope));
  tn_status_t status = tn__allocate_array(allocator, count, sizeof(tn_array_t*), &owned);
  if (!status) status = write_graph(inner, &graph, count, arrays, owned, out_module);
  tn__graph_forget(&graph);
  tn__graph_deinit(&graph);
  tn__free(allocator, owned, count * sizeof(tn_array_t*));
  tn_scope_destroy(inner);
  return status;
}
