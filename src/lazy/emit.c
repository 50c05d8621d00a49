// The graph as IR: what a program is compiled from.
#include <math.h>

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
  return tn_tensor_type(emitter->builder, type->dtype, type->rank, type->dims);
}

static tn_array_type_t array_type(const tn_array_t* array) {
  return (tn_array_type_t){array->dtype, array->rank, array->dims};
}

// A computation that gives its second argument: what replaces.
static tn_computation_t* replacing(tn_builder_t* builder, tn_dtype_t dtype) {
  const tn_type_t* scalar = tn_tensor_type(builder, dtype, 0, NULL);
  const tn_type_t* types[] = {scalar, scalar};
  tn_value_t* arguments[2] = {NULL, NULL};
  tn_computation_t* computation = tn_computation_begin(builder, 2, types, arguments);
  tn_computation_end(builder, computation, 1, &arguments[1]);
  return computation;
}

static tn_value_t* build(tn_builder_t* builder, const char* name, size_t operand_count,
                         tn_value_t* const* operands, size_t attribute_count,
                         const tn_attribute_t* attributes) {
  const tn_operation_t operation = {
      .struct_size = sizeof operation,
      .name = name,
      .operand_count = operand_count,
      .operands = operands,
      .attribute_count = attribute_count,
      .attributes = attributes,
  };
  tn_value_t* result = NULL;
  tn_build_operation(builder, &operation, 1, &result);
  return result;
}

static tn_value_t* compare(tn_builder_t* builder, tn_value_t* a, tn_value_t* b,
                           const char* direction, const char* type) {
  const tn_attribute_t attributes[] = {
      {.name = "comparison_direction",
       .kind = TN_ATTRIBUTE_STRING,
       .data = direction,
       .count = strlen(direction)},
      {.name = "compare_type", .kind = TN_ATTRIBUTE_STRING, .data = type, .count = strlen(type)},
  };
  return build(builder, "compare", 2, (tn_value_t*[]){a, b}, *type ? 2 : 1, attributes);
}

static tn_value_t* number(tn_builder_t* builder, tn_dtype_t dtype, double value) {
  char element[16] = {0};
  tn_dtype_store(dtype, value, element);
  return tn_constant(builder, tn_tensor_type(builder, dtype, 0, NULL), element);
}

// A float as sorting sees it: all zeros are equal, and all NaNs.
static tn_value_t* sort_key(tn_builder_t* builder, tn_dtype_t dtype, tn_value_t* x) {
  tn_value_t* zero = number(builder, dtype, 0);
  tn_value_t* is_zero = compare(builder, x, zero, "EQ", "");
  tn_value_t* key = tn_select(builder, is_zero, zero, x);
  return tn_select(builder, compare(builder, x, x, "NE", ""), number(builder, dtype, (double)NAN),
                   key);
}

// Complex elements go by their real parts, equal ones by the imaginary parts.
static tn_value_t* complex_before(tn_builder_t* builder, tn_dtype_t dtype, tn_value_t* const* x) {
  const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  tn_value_t* real[2];
  tn_value_t* imaginary[2];
  for (int i = 0; i < 2; ++i) {
    real[i] = sort_key(builder, part, tn_real(builder, x[i]));
    imaginary[i] = sort_key(builder, part, tn_imag(builder, x[i]));
  }
  tn_value_t* same = compare(builder, real[0], real[1], "EQ", "TOTALORDER");
  tn_value_t* rest = compare(builder, imaginary[0], imaginary[1], "LT", "TOTALORDER");
  return tn_or(builder, compare(builder, real[0], real[1], "LT", "TOTALORDER"),
               tn_and(builder, same, rest));
}

// Compares what is of the first operand; the others are moved along.
static tn_computation_t* before(const tn_emitter_t* emitter, const tn_step_t* step) {
  enum { OPERAND_LIMIT = 8 };
  tn_builder_t* builder = emitter->builder;
  const tn_type_t* types[2 * OPERAND_LIMIT];
  tn_value_t* arguments[2 * OPERAND_LIMIT] = {NULL};
  const size_t count = step->operand_count < OPERAND_LIMIT ? step->operand_count : OPERAND_LIMIT;
  for (size_t i = 0; i < 2 * count; ++i) {
    types[i] = tn_tensor_type(builder, step->operands[i / 2]->dtype, 0, NULL);
  }
  tn_computation_t* computation = tn_computation_begin(builder, 2 * count, types, arguments);
  const tn_dtype_t dtype = step->operands[0]->dtype;
  tn_value_t* result = NULL;
  if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX) {
    result = complex_before(builder, dtype, arguments);
  } else if (tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
    result = compare(builder, sort_key(builder, dtype, arguments[0]),
                     sort_key(builder, dtype, arguments[1]), "LT", "TOTALORDER");
  } else {
    result = compare(builder, arguments[0], arguments[1], "LT", "");
  }
  tn_computation_end(builder, computation, 1, &result);
  return computation;
}

typedef struct tn_copied {
  const tn_value_t* value;
  tn_value_t* copy;
} tn_copied_t;

static tn_value_t* find_copy(const tn_copied_t* copied, size_t count, const tn_value_t* value) {
  for (size_t i = 0; i < count; ++i) {
    if (copied[i].value == value) return copied[i].copy;
  }
  return NULL;
}

// The region again, with arguments for all operands of a sort.
static tn_computation_t* copy_region(const tn_emitter_t* emitter, const tn_step_t* step) {
  static const tn_captured_values_t nothing = {0};
  const tn_region_t* region = step->body.region->node->regions[0];
  tn_builder_t* builder = emitter->builder;
  const tn_captured_values_t* captured = &step->body.region->captured;
  const tn_type_t* types[TN_REGION_VALUE_LIMIT] = {NULL};
  tn_value_t *values[TN_REGION_VALUE_LIMIT], *results[TN_REGION_VALUE_LIMIT];
  tn_copied_t copied[TN_REGION_VALUE_LIMIT];
  size_t count = region->argument_count, argument_count = count;
  for (size_t i = 0; i < count; ++i) types[i] = region->arguments[i].type;
  if (step->op == TN__OP(sort)) {
    for (; argument_count < 2u * step->operand_count; ++argument_count) {
      types[argument_count] =
          tn_tensor_type(builder, step->operands[argument_count / 2]->dtype, 0, NULL);
    }
  }
  tn_computation_t* computation = tn_computation_begin(builder, argument_count, types, values);
  for (size_t i = 0; i < count; ++i) copied[i] = (tn_copied_t){&region->arguments[i], values[i]};
  for (size_t i = 0; i < captured->count; ++i) {
    tn__builder_add_copy(builder, captured->values[i]->node, NULL, &nothing, NULL, results);
    copied[count++] = (tn_copied_t){captured->values[i], results[0]};
  }
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      values[i] = find_copy(copied, count, node->operands[i]);
    }
    if (node == region->last) break;
    tn__builder_add_copy(builder, node, values, &nothing, NULL, results);
    for (uint32_t i = 0; i < node->result_count; ++i) {
      copied[count++] = (tn_copied_t){&node->results[i], results[i]};
    }
  }
  tn_computation_end(builder, computation, region->last->operand_count, values);
  return computation;
}

static size_t emit_body(const tn_emitter_t* emitter, const tn_step_t* step,
                        tn_computation_t** out_computation) {
  const tn_dtype_t dtype = step->operand_count ? step->operands[0]->dtype : TN_DTYPE_INVALID;
  switch (step->body.kind) {
    case TN_BODY_NONE: return 0;
    case TN_BODY_BINARY:
      *out_computation = tn_binary_computation(emitter->builder, step->body.op->name, dtype);
      return 1;
    case TN_BODY_REPLACE: *out_computation = replacing(emitter->builder, dtype); return 1;
    case TN_BODY_BEFORE: *out_computation = before(emitter, step); return 1;
    case TN_BODY_REGION: *out_computation = copy_region(emitter, step); return 1;
  }
  return 0;
}

// --- custom calls

static tn_status_t emit_call(tn_emitter_t* emitter, const tn_step_t* step, tn_value_t** operands,
                             const tn_type_t* const* types, tn_value_t** results) {
  const tn_string_view_t name = tn__op_called_name(step->op);
  const tn_attribute_t attributes[] = {
      {.name = "call_target_name",
       .kind = TN_ATTRIBUTE_STRING,
       .data = name.data,
       .count = name.length},
      {.name = "api_version",
       .kind = TN_ATTRIBUTE_INTEGER,
       .dtype = TN_DTYPE_S32,
       .integer = TN_API_VERSION_TYPED_FFI},
      {.name = "backend_config",
       .kind = TN_ATTRIBUTE_DICTIONARY,
       .count = step->attributes ? step->attributes->count : 0,
       .entries = step->attributes ? step->attributes->entries : NULL},
  };
  const tn_operation_t operation = {
      .struct_size = sizeof operation,
      .name = tn__op_written(step->op)->name,
      .operand_count = step->operand_count,
      .operands = operands,
      .attribute_count = sizeof attributes / sizeof *attributes,
      .attributes = attributes,
      .result_types = types,
  };
  tn_build_operation(emitter->builder, &operation, step->result_count, results);
  if (!results[0]) return TN_OK;  // the builder has the error
  results[0]->node->op = step->op;
  return tn__module_keep_op(emitter->builder->module, step->op);
}

static tn_status_t emit_step(tn_emitter_t* emitter, const tn_step_t* step, const tn_array_t* result,
                             tn_value_t** operands, const tn_type_t** types, tn_value_t** results) {
  tn_computation_t* computation = NULL;
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
  const size_t computation_count = emit_body(emitter, step, &computation);
  const tn_operation_t operation = {
      .struct_size = sizeof operation,
      .name = step->op->name,
      .operand_count = step->operand_count,
      .operands = operands,
      .attribute_count = step->attributes ? step->attributes->count : 0,
      .attributes = step->attributes ? step->attributes->entries : NULL,
      .computation_count = computation_count,
      .computations = &computation,
      .result_types = types,
  };
  tn_build_operation(emitter->builder, &operation, step->result_count, results);
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
  emitter->spells_random = graph->evaluator->device->target != &tn__compile_target_host;
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
  emitter->values[number] = tn_parameter(emitter->builder, position, type_of(emitter, &type), NULL);
}

// Says of the parameters which may be donated, as JAX does.
static tn_status_t mark_donors(const tn_graph_t* graph, tn_module_t* module) {
  tn_function_t* function = tn__module_entry(module);
  tn_arena_t* arena = &module->arena;
  void* memory = NULL;
  tn_named_attr_t* entry = NULL;
  for (size_t i = 0; i < graph->input_count; ++i) {
    if (!graph->values[graph->inputs[i]].is_donor) continue;
    if (!entry) {
      TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof *entry, &memory));
      entry = memory;
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
  emitter->values[number] = tn_constant(emitter->builder, type_of(emitter, &type), data);
  tn_buffer_unmap(array->buffer);
  return TN_OK;
}

// Parameters that nothing depends on are there, too.
static tn_status_t add_inputs(tn_emitter_t* emitter, size_t count, tn_array_t* const* parameters) {
  const tn_graph_t* graph = emitter->graph;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t number = find_value(graph, parameters[i]);
    const tn_array_type_t type = array_type(parameters[i]);
    tn_value_t* value = tn_parameter(emitter->builder, (int64_t)i, type_of(emitter, &type), NULL);
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
