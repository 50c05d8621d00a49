// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The graph as IR: what a program is compiled from.
#include "call/operation.h"
#include "call/site.h"
#include "device/device.h"
#include "ir/builder.h"
#include "lazy/emit_random.h"
#include "lazy/graph.h"

typedef struct tn_emitter {
  const tn_graph_t* graph;
  tn_builder_t* builder;
  tn_value_t** values;              // by number
  const uint32_t* operand_numbers;  // of the next step
  bool spells_random;               // random words in operations that others have
} tn_emitter_t;

static const tn_type_t* type_of(const tn_emitter_t* emitter, const tn_array_type_t* type) {
  return tn_builder_tensor_type(emitter->builder, type->dtype, type->rank, type->dims);
}

static tn_array_type_t array_type(const tn_array_t* array) {
  return (tn_array_type_t){array->dtype, array->rank, array->dims};
}

// The step's region, with arguments for all operands of a sort (lazy/body.h).
static tn_computation_t* emit_body(const tn_emitter_t* emitter, const tn_step_t* step) {
  tn_builder_t* builder = emitter->builder;
  const uint32_t count = step->body->argument_count;
  const size_t wanted = step->op == TN__OP(sort) ? 2u * step->operand_count : count;
  const tn_type_t** types = NULL;
  tn_status_t status = TN_ARENA_ARRAY(tn__builder_arena(builder), wanted - count, &types);
  for (size_t i = count; i < wanted && !status; ++i) {
    types[i - count] = tn__type_scalar(step->operands[i / 2]->dtype);
  }
  if (!status) return tn__builder_copy_computation(builder, step->body, wanted - count, types);
  tn__builder_fail(builder, status);
  return NULL;
}

// The step's operation with copies of the attributes; NULLs after a mistake, which the builder has.
static void add(const tn_emitter_t* emitter, const tn_step_t* step, const tn_op_t* op,
                tn_value_t* const* operands, tn_attr_dictionary_t attributes,
                const tn_type_t* const* types, tn_value_t** out_results) {
  tn_builder_t* builder = emitter->builder;
  tn_attr_dictionary_t copy;
  for (uint32_t i = 0; i < step->result_count; ++i) out_results[i] = NULL;
  if (!tn__builder_is_good(builder)) return;
  tn_computation_t* computation = step->body ? emit_body(emitter, step) : NULL;
  tn_status_t status =
      tn__attr_dictionary_copy(tn__builder_arena(builder), true, &attributes, &copy);
  if (status) {
    tn__builder_fail(builder, status);
    return;
  }
  tn_node_t* node =
      tn__builder_add(builder, op->name, step->operand_count, operands, copy.count, copy.entries,
                      step->body ? 1 : 0, &computation, step->result_count, types);
  for (uint32_t i = 0; node && i < step->result_count; ++i) out_results[i] = &node->results[i];
}

// --- custom calls

// Untyped functions get bytes in the place of attributes.
static tn_attr_t config_of(const tn_step_t* step, int32_t version) {
  if (version == TN_API_VERSION_TYPED_FFI) {
    return (tn_attr_t){.kind = TN_ATTR_DICTIONARY, .dictionary = step->attributes};
  }
  return (tn_attr_t){.kind = TN_ATTR_STRING,
                     .string = tn__attr_get_string(&step->attributes, TN_OPAQUE)};
}

static tn_status_t emit_call(tn_emitter_t* emitter, const tn_step_t* step, tn_value_t** operands,
                             const tn_type_t* const* types, tn_value_t** results) {
  const int32_t version = tn__op_call_version(step->op, step->attributes.count);
  const tn_attr_t config = config_of(step, version);
  const tn_named_attr_t attributes[] = {
      TN_ATTR_OF("call_target_name", .kind = TN_ATTR_STRING,
                 .string = tn__op_called_name(step->op)),
      TN_ATTR_OF("api_version", .kind = TN_ATTR_INTEGER, .dtype = TN_DTYPE_S32, .integer = version),
      {tn__sv("backend_config"), &config},
  };
  add(emitter, step, tn__op_written(step->op), operands, (tn_attr_dictionary_t){3, attributes},
      types, results);
  if (!results[0]) return TN_OK;  // the builder has the error
  results[0]->node->op = step->op;
  return tn__module_keep_op(emitter->builder->module, step->op);
}

static tn_status_t emit_step(tn_emitter_t* emitter, const tn_step_t* step, const tn_array_t* result,
                             tn_value_t** operands, const tn_type_t** types, tn_value_t** results) {
  const uint32_t* numbers = emitter->operand_numbers;
  if (step->operand_count) emitter->operand_numbers += step->operand_count;
  for (uint32_t i = 0; i < step->operand_count; ++i) operands[i] = emitter->values[numbers[i]];
  if (tn__step_is_identity(step)) {
    for (uint32_t i = 0; i < step->result_count; ++i) results[i] = operands[i];
    return TN_OK;
  }
  if (emitter->spells_random && step->op == tn__op_random_words) {
    results[0] =
        tn__emit_random_words(emitter->builder, operands[0], result->dims[result->rank - 1u]);
    return TN_OK;
  }
  if (step->excerpt) {
    const tn_excerpt_t* excerpt = step->excerpt;
    tn__builder_add_copy(emitter->builder, excerpt->node, operands, &excerpt->captured,
                         operands + excerpt->node->operand_count, results);
    return TN_OK;
  }
  for (uint32_t i = 0; i < step->result_count; ++i) {
    const tn_array_type_t type = step->result_types ? step->result_types[i] : array_type(result);
    types[i] = type_of(emitter, &type);
  }
  if (tn__step_is_called(step)) return emit_call(emitter, step, operands, types, results);
  add(emitter, step, step->op, operands, step->attributes, types, results);
  return TN_OK;
}

// Lists as long as the longest step needs.
static tn_status_t emit_steps(tn_emitter_t* emitter) {
  const tn_graph_t* graph = emitter->graph;
  size_t operand_limit = 1, result_limit = 1;
  for (size_t i = 0; i < graph->step_count; ++i) {
    const tn_step_t* step = graph->steps[i];
    if (step->operand_count > operand_limit) operand_limit = step->operand_count;
    if (step->result_count > result_limit) result_limit = step->result_count;
  }
  const tn_allocator_t* allocator = graph->evaluator->allocator;
  const size_t count = operand_limit + 2 * result_limit;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, count, sizeof(void*), &memory));
  tn_value_t** operands = memory;
  tn_value_t** results = operands + operand_limit;
  const tn_type_t** types = (const tn_type_t**)(results + result_limit);
  tn_status_t status = TN_OK;
  for (size_t i = 0; i < graph->value_count && !status; ++i) {
    const tn_graph_value_t* value = &graph->values[i];
    if (value->step == TN_GRAPH_INPUT) continue;
    if (i == 0 || graph->values[i - 1].step != value->step) {
      status =
          emit_step(emitter, graph->steps[value->step], value->array, operands, types, results);
    }
    if (!status) emitter->values[i] = results[value->index];
  }
  tn__free(allocator, memory, count * sizeof(void*));
  return status;
}

static tn_status_t finish(tn_emitter_t* emitter, size_t count, const uint32_t* numbers,
                          tn_module_t** out_module) {
  void* memory = NULL;
  const tn_allocator_t* allocator = emitter->graph->evaluator->allocator;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, count, sizeof(tn_value_t*), &memory));
  tn_value_t** results = memory;
  for (size_t i = 0; i < count; ++i) results[i] = emitter->values[numbers[i]];
  tn_status_t status = tn_builder_build(emitter->builder, count, results, out_module);
  tn__free(allocator, results, count * sizeof *results);
  return status;
}

static tn_status_t begin(tn_emitter_t* emitter, const tn_graph_t* graph) {
  const tn_allocator_t* allocator = graph->evaluator->allocator;
  void* memory = NULL;
  *emitter = (tn_emitter_t){.graph = graph, .operand_numbers = graph->operands};
  // The target is the host's.
  emitter->spells_random = !graph->device->target->is_host;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(allocator, graph->value_count, sizeof(tn_value_t*), &memory));
  emitter->values = memory;
  return tn_builder_create(allocator, NULL, &emitter->builder);
}

static void end(tn_emitter_t* emitter) {
  const tn_graph_t* graph = emitter->graph;
  const tn_allocator_t* allocator = graph->evaluator->allocator;
  tn_builder_destroy(emitter->builder);
  tn__free(allocator, emitter->values, graph->value_count * sizeof *emitter->values);
}

static void add_parameter(tn_emitter_t* emitter, uint32_t number, int64_t position) {
  const tn_array_type_t type = array_type(emitter->graph->values[number].array);
  emitter->values[number] =
      tn_builder_parameter(emitter->builder, position, type_of(emitter, &type), NULL);
}

// Says of the parameters which may be donated, as JAX does.
static tn_status_t mark_donors(const tn_graph_t* graph, tn_module_t* module) {
  tn_function_t* function = tn__module_entry(module);
  tn_arena_t* arena = &module->arena;
  tn_named_attr_t* entry = NULL;
  for (size_t i = 0; i < graph->input_count; ++i) {
    if (!graph->values[graph->inputs[i]].is_donor) continue;
    if (!entry) {
      TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &entry));
      entry->name = tn__sv("jax.buffer_donor");
      TN_RETURN_IF_ERROR(tn__attr_bool(arena, true, &entry->attr));
    }
    function->argument_attrs[i] = (tn_attr_dictionary_t){1, entry};
  }
  return TN_OK;
}

tn_status_t tn__graph_emit(const tn_graph_t* graph, tn_module_t** out_module) {
  tn_emitter_t emitter;
  *out_module = NULL;
  tn_status_t status = begin(&emitter, graph);
  for (size_t i = 0; i < graph->input_count && !status; ++i) {
    add_parameter(&emitter, graph->inputs[i], (int64_t)i);
  }
  if (!status) status = emit_steps(&emitter);
  if (!status) status = finish(&emitter, graph->output_count, graph->outputs, out_module);
  end(&emitter);
  if (status) return status;
  status = mark_donors(graph, *out_module);
  if (status) {
    tn_module_release(*out_module);
    *out_module = NULL;
  }
  return status;
}

// --- types alone

// --- for others

static uint32_t find_value(const tn_graph_t* graph, const tn_array_t* array) {
  for (uint32_t i = 0; i < graph->value_count; ++i) {
    if (graph->values[i].array == array) return i;
  }
  return TN_GRAPH_INPUT;
}

static tn_status_t add_constant(tn_emitter_t* emitter, uint32_t number) {
  const tn_array_t* array = emitter->graph->values[number].array;
  const tn_array_type_t type = array_type(array);
  const void* data = NULL;
  if (array->flags & TN_ARRAY_ABSTRACT) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "the function uses an input of a transform around it, of shape %s, "
                            "which has no value: it must be an input of the function",
                            TN_SHAPE_TEXT(array->rank, array->dims));
  }
  TN_RETURN_IF_ERROR(tn_buffer_map(array->buffer, &data));
  emitter->values[number] = tn_builder_constant(emitter->builder, type_of(emitter, &type), data);
  tn_buffer_unmap(array->buffer);
  return TN_OK;
}

// Parameters that nothing depends on are there, too.
static tn_status_t add_inputs(tn_emitter_t* emitter, size_t count, tn_array_t* const* parameters) {
  const tn_graph_t* graph = emitter->graph;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t number = find_value(graph, parameters[i]);
    const tn_array_type_t type = array_type(parameters[i]);
    tn_value_t* value =
        tn_builder_parameter(emitter->builder, (int64_t)i, type_of(emitter, &type), NULL);
    if (number != TN_GRAPH_INPUT) emitter->values[number] = value;
  }
  if (!tn__builder_is_good(emitter->builder)) return TN_OK;  // which says why in the end
  for (size_t i = 0; i < graph->input_count; ++i) {
    if (!emitter->values[graph->inputs[i]]) {
      TN_RETURN_IF_ERROR(add_constant(emitter, graph->inputs[i]));
    }
  }
  return TN_OK;
}

tn_status_t tn__graph_export(const tn_graph_t* graph, bool is_portable, size_t parameter_count,
                             tn_array_t* const* parameters, size_t result_count,
                             tn_array_t* const* results, tn_module_t** out_module) {
  tn_emitter_t emitter;
  void* memory = NULL;
  *out_module = NULL;
  tn_status_t status = begin(&emitter, graph);
  if (is_portable) emitter.spells_random = true;
  if (!status) status = add_inputs(&emitter, parameter_count, parameters);
  if (!status) status = emit_steps(&emitter);
  if (!status) {
    status =
        tn__allocate_array(graph->evaluator->allocator, result_count, sizeof(uint32_t), &memory);
  }
  uint32_t* numbers = memory;
  for (size_t i = 0; i < result_count && !status; ++i) numbers[i] = find_value(graph, results[i]);
  if (!status) status = finish(&emitter, result_count, numbers, out_module);
  tn__free(graph->evaluator->allocator, numbers, result_count * sizeof *numbers);
  end(&emitter);
  return status;
}
