// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ir/builder.h"

#include <stdio.h>

#include "base/type_wire.h"

void tn__builder_fail(tn_builder_t* builder, tn_status_t status) {
  if (!builder || builder->status) {
    tn_status_release(status);
  } else {
    builder->status = status;
  }
}

tn_arena_t* tn__builder_arena(tn_builder_t* builder) {
  return &builder->module->arena;
}

tn_status_t tn_builder_create(const tn_allocator_t* allocator, const char* name,
                              tn_builder_t** out_builder) {
  tn_status_t status = TN_OK;
  void* memory = NULL;
  tn_builder_t* builder = NULL;
  *out_builder = NULL;
  if (!allocator) allocator = tn_allocator_system();
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_builder_t), &memory));
  builder = memory;
  builder->allocator = allocator;
  tn__arena_init(&builder->scratch, allocator);
  TN_DONE_IF_ERROR(tn__module_create(allocator, &builder->module));
  if (name) {
    TN_DONE_IF_ERROR(
        tn__arena_copy_string(tn__builder_arena(builder), tn__sv(name), &builder->module->name));
  }
  TN_DONE_IF_ERROR(tn__function_create(builder->module, TN_SV_LITERAL("main"), 0, NULL, 0, NULL,
                                       false, &builder->function));
  *out_builder = builder;
  builder = NULL;
done:
  tn_builder_destroy(builder);
  return status;
}

void tn_builder_destroy(tn_builder_t* builder) {
  if (!builder) return;
  tn_status_release(builder->status);
  tn_module_release(builder->module);
  tn__arena_deinit(&builder->scratch);
  tn__free(builder->allocator, builder->parameters,
           builder->parameter_capacity * sizeof *builder->parameters);
  tn__free(builder->allocator, builder, sizeof *builder);
}

// --- types

const tn_type_t* tn__builder_type(tn_builder_t* builder, const tn_type_t* type) {
  const tn_type_t* copy = NULL;
  if (!type || !tn__builder_is_good(builder)) return NULL;
  tn_status_t status = tn__type_copy(tn__builder_arena(builder), type, &copy);
  if (status) tn__builder_fail(builder, status);
  return copy;
}

const tn_type_t* tn_builder_tensor_type(tn_builder_t* builder, tn_dtype_t dtype, size_t rank,
                                        const int64_t* dims) {
  const tn_type_t* type = NULL;
  if (!tn__builder_is_good(builder)) return NULL;
  tn_status_t status = tn__type_tensor(tn__builder_arena(builder), dtype, rank, dims, &type);
  if (status) tn__builder_fail(builder, status);
  return type;
}

const tn_type_t* tn_builder_tuple_type(tn_builder_t* builder, size_t count,
                                       const tn_type_t* const* elements) {
  const tn_type_t* type = NULL;
  if (!tn__builder_is_good(builder)) return NULL;
  if (!tn__builder_has_list(builder, "tuple type", "list of elements", count, elements))
    return NULL;
  const tn_type_t** copies = NULL;
  tn_status_t status = TN_ARENA_ARRAY(&builder->scratch, count, &copies);
  for (size_t i = 0; !status && i < count; ++i) {
    if (!elements[i]) {
      status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "tuple type: element %zu is NULL", i);
    } else {
      status = tn__type_copy(tn__builder_arena(builder), elements[i], &copies[i]);
    }
  }
  if (!status) status = tn__type_tuple(tn__builder_arena(builder), count, copies, &type);
  if (status) tn__builder_fail(builder, status);
  tn__arena_reset(&builder->scratch);
  return type;
}

const tn_type_t* tn_type_token(void) {
  return tn__type_token();
}

tn_status_t tn_type_parse(tn_builder_t* builder, const void* data, size_t length,
                          const tn_type_t** out_type) {
  *out_type = NULL;
  TN_RETURN_IF_NULL(builder);
  TN_RETURN_IF_NULL(data);
  return tn__type_parse(tn__builder_arena(builder), data, length, out_type);
}

const tn_type_t* tn_value_type(const tn_value_t* value) {
  return value ? value->type : NULL;
}

// --- adding

static tn_region_t* current_region(const tn_builder_t* builder) {
  return builder->open ? builder->open->region : builder->function->body;
}

static tn_status_t in_operation(const tn_builder_t* builder, const char* name, tn_status_t status) {
  return tn_status_note(status, "in operation %zu (%s) of the builder", builder->operation_count,
                        name);
}

bool tn__builder_has_list(tn_builder_t* builder, const char* name, const char* what, size_t count,
                          const void* list) {
  if (!tn__builder_is_good(builder)) return false;
  if (list || count == 0) return true;
  tn__builder_fail(builder, in_operation(builder, name,
                                         tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                                          "%s: the %s is NULL; expected %zu", name,
                                                          what, count)));
  return false;
}

static tn_status_t check_operands(const tn_builder_t* builder, const char* name,
                                  size_t operand_count, tn_value_t* const* operands) {
  for (size_t i = 0; i < operand_count; ++i) {
    if (!operands[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: operand %zu is NULL", name, i);
    }
    if (operands[i]->region->function != builder->function) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: operand %zu is a value of another builder", name, i);
    }
  }
  return TN_OK;
}

const tn_op_t* tn__builder_find_op(const char* name) {
  const tn_op_t* op = tn__op_find(tn__sv(name));
  char full[128];
  if (op || strchr(name, '.')) return op;
  int length = snprintf(full, sizeof full, "stablehlo.%s", name);
  return length > 0 && (size_t)length < sizeof full ? tn__op_find(tn__sv(full)) : NULL;
}

static tn_status_t take_computations(const tn_builder_t* builder, const char* name, size_t count,
                                     tn_computation_t* const* computations, tn_region_t** regions) {
  for (size_t i = 0; i < count; ++i) {
    tn_computation_t* computation = computations[i];
    if (!computation) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: computation %zu is NULL", name, i);
    }
    if (computation->region->function != builder->function) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: computation %zu belongs to another builder", name, i);
    }
    if (computation->is_open || computation->is_used) {
      return tn_status_create(TN_CODE_FAILED_PRECONDITION, "%s: computation %zu %s", name, i,
                              computation->is_open ? "was not ended" : "is already in use");
    }
    computation->is_used = true;
    regions[i] = computation->region;
  }
  return TN_OK;
}

// Asks the operation's rule, which checks the use as well.
static tn_status_t infer(tn_builder_t* builder, const tn_node_spec_t* spec, size_t result_count,
                         const tn_type_t** types) {
  tn_op_use_t use;
  size_t count = 0;
  const tn_node_t node = {
      .op = spec->op,
      .operand_count = (uint32_t)spec->operand_count,
      .operands = (tn_value_t**)spec->operands,
      .region_count = (uint32_t)spec->region_count,
      .regions = (tn_region_t**)spec->regions,
      .attrs = spec->attrs,
  };
  TN_RETURN_IF_ERROR(tn__node_use(&node, &builder->scratch, &use));
  use.arena = tn__builder_arena(builder);
  TN_RETURN_IF_ERROR(tn__op_infer(&use, result_count, types, &count));
  if (count == result_count) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: has %zu results; asked for %zu",
                          tn__op_short_name(spec->op), count, result_count);
}

static tn_status_t check(tn_builder_t* builder, const tn_node_t* node) {
  tn_op_use_t use;
  TN_RETURN_IF_ERROR(tn__node_use(node, &builder->scratch, &use));
  return tn__op_check(&use);
}

static tn_status_t add(tn_builder_t* builder, const char* name, size_t operand_count,
                       tn_value_t* const* operands, size_t attr_count, const tn_named_attr_t* attrs,
                       size_t computation_count, tn_computation_t* const* computations,
                       size_t result_count, const tn_type_t* const* result_types,
                       tn_node_t** out_node) {
  tn_arena_t* arena = tn__builder_arena(builder);
  TN_RETURN_IF_ERROR(check_operands(builder, name, operand_count, operands));
  const tn_op_t* op = tn__builder_find_op(name);
  if (!op) {
    const tn_op_t* near = tn__op_suggest(tn__sv(name));
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "there is no operation \"%s\"%s%s%s", name,
                            near ? "; did you mean \"" : "", near ? near->name : "",
                            near ? "\"?" : "");
  }
  tn_region_t** regions = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&builder->scratch, computation_count + result_count, &regions));
  const tn_type_t** types = (const tn_type_t**)(regions + computation_count);
  TN_RETURN_IF_ERROR(take_computations(builder, name, computation_count, computations, regions));
  const tn_attr_t* dictionary = NULL;
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attr_count, attrs, &dictionary));
  tn_node_spec_t spec = {
      .op = op,
      .operand_count = operand_count,
      .operands = operands,
      .result_count = result_count,
      .result_types = types,
      .attrs = dictionary->dictionary,
      .region_count = computation_count,
      .regions = regions,
  };
  if (!result_types) TN_RETURN_IF_ERROR(infer(builder, &spec, result_count, types));
  for (size_t i = 0; result_types && i < result_count; ++i) {
    types[i] = result_types[i];
    if (!types[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the type of result %zu is NULL", name,
                              i);
    }
  }
  TN_RETURN_IF_ERROR(tn__node_append(current_region(builder), &spec, out_node));
  return result_types ? check(builder, *out_node) : TN_OK;
}

tn_node_t* tn__builder_add(tn_builder_t* builder, const char* name, size_t operand_count,
                           tn_value_t* const* operands, size_t attr_count,
                           const tn_named_attr_t* attrs, size_t computation_count,
                           tn_computation_t* const* computations, size_t result_count,
                           const tn_type_t* const* result_types) {
  tn_node_t* node = NULL;
  if (!tn__builder_has_list(builder, name, "list of operands", operand_count, operands))
    return NULL;
  tn_status_t status = add(builder, name, operand_count, operands, attr_count, attrs,
                           computation_count, computations, result_count, result_types, &node);
  tn__arena_reset(&builder->scratch);
  if (status) {
    tn__builder_fail(builder, in_operation(builder, name, status));
    return NULL;
  }
  ++builder->operation_count;
  return node;
}

static tn_status_t add_copy(tn_builder_t* builder, const tn_node_t* node,
                            tn_value_t* const* operands, const tn_captured_values_t* captured,
                            tn_value_t* const* replacements, tn_node_t** out_node) {
  const char* name = tn__op_short_name(node->op);
  TN_RETURN_IF_ERROR(check_operands(builder, name, node->operand_count, operands));
  TN_RETURN_IF_ERROR(check_operands(builder, name, captured->count, replacements));
  TN_RETURN_IF_ERROR(tn__module_keep(builder->module, node->region->function->module));
  return tn__node_copy(node, current_region(builder), operands, captured, replacements, out_node);
}

void tn__builder_add_copy(tn_builder_t* builder, const tn_node_t* node, tn_value_t* const* operands,
                          const tn_captured_values_t* captured, tn_value_t* const* replacements,
                          tn_value_t** out_results) {
  tn_node_t* copy = NULL;
  for (uint32_t i = 0; i < node->result_count; ++i) out_results[i] = NULL;
  if (!tn__builder_is_good(builder)) return;
  tn_status_t status = add_copy(builder, node, operands, captured, replacements, &copy);
  if (status) {
    tn__builder_fail(builder, in_operation(builder, tn__op_short_name(node->op), status));
    return;
  }
  ++builder->operation_count;
  for (uint32_t i = 0; i < copy->result_count; ++i) out_results[i] = &copy->results[i];
}

tn_value_t* tn__builder_add_one(tn_builder_t* builder, const char* name, size_t operand_count,
                                tn_value_t* const* operands, size_t attr_count,
                                const tn_named_attr_t* attrs) {
  tn_node_t* node =
      tn__builder_add(builder, name, operand_count, operands, attr_count, attrs, 0, NULL, 1, NULL);
  return node ? &node->results[0] : NULL;
}

const tn_type_t* tn__builder_operand_type(tn_builder_t* builder, const char* name,
                                          const tn_value_t* value, size_t index) {
  if (!tn__builder_is_good(builder)) return NULL;
  if (value) return value->type;
  tn__builder_fail(builder, in_operation(builder, name,
                                         tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                                          "%s: operand %zu is NULL", name, index)));
  return NULL;
}

// --- parameters

static tn_status_t add_parameter(tn_builder_t* builder, int64_t number, const tn_type_t* type,
                                 const char* name, tn_value_t** out_value) {
  enum { PARAMETER_LIMIT = 1 << 20 };
  if (!type) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "parameter %lld: its type is NULL",
                            (long long)number);
  }
  if (number < 0 || number >= PARAMETER_LIMIT) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "parameter %lld: numbers go from 0 to %d",
                            (long long)number, PARAMETER_LIMIT - 1);
  }
  if (builder->open) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "parameter %lld: a computation is open; its arguments come from "
                            "tn_computation_begin",
                            (long long)number);
  }
  size_t index = (size_t)number;
  void* parameters = builder->parameters;
  TN_RETURN_IF_ERROR(tn__grow(builder->allocator, &parameters, &builder->parameter_capacity,
                              index + 1, sizeof *builder->parameters));
  builder->parameters = parameters;
  if (builder->parameters[index]) {
    return tn_status_create(TN_CODE_ALREADY_EXISTS, "parameter %lld is given twice",
                            (long long)number);
  }
  tn_value_t* value = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(tn__builder_arena(builder), &value));
  const tn_type_t* copy = NULL;
  TN_RETURN_IF_ERROR(tn__type_copy(tn__builder_arena(builder), type, &copy));
  *value = (tn_value_t){.type = copy, .region = builder->function->body, .index = (uint32_t)number};
  if (name) {
    TN_RETURN_IF_ERROR(
        tn__arena_copy_string(tn__builder_arena(builder), tn__sv(name), &value->name));
  }
  builder->parameters[index] = value;
  if (index + 1 > builder->parameter_count) builder->parameter_count = index + 1;
  *out_value = value;
  return TN_OK;
}

tn_value_t* tn_builder_parameter(tn_builder_t* builder, int64_t number, const tn_type_t* type,
                                 const char* name) {
  tn_value_t* value = NULL;
  if (!tn__builder_is_good(builder)) return NULL;
  tn_status_t status = add_parameter(builder, number, type, name, &value);
  if (status) tn__builder_fail(builder, status);
  return value;
}

// --- computations

static tn_status_t begin(tn_builder_t* builder, size_t count, const tn_type_t* const* types,
                         tn_computation_t** out_computation) {
  tn_arena_t* arena = tn__builder_arena(builder);
  uint32_t depth = builder->open ? builder->open->depth + 1 : 2;  // the function's body is one
  if (depth > TN_LIMIT_NESTING) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "computations nest deeper than %d levels",
                            TN_LIMIT_NESTING);
  }
  const tn_type_t** copies = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&builder->scratch, count, &copies));
  for (size_t i = 0; i < count; ++i) {
    if (!types[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "computation: the type of argument %zu is NULL", i);
    }
    TN_RETURN_IF_ERROR(tn__type_copy(arena, types[i], &copies[i]));
  }
  tn_computation_t* computation = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &computation));
  *computation = (tn_computation_t){.outer = builder->open, .depth = depth, .is_open = true};
  TN_RETURN_IF_ERROR(tn__region_create(builder->function, count, copies, &computation->region));
  *out_computation = computation;
  return TN_OK;
}

tn_computation_t* tn_computation_begin(tn_builder_t* builder, size_t count,
                                       const tn_type_t* const* types, tn_value_t** out_arguments) {
  tn_computation_t* computation = NULL;
  for (size_t i = 0; i < count; ++i) out_arguments[i] = NULL;
  if (!tn__builder_has_list(builder, "computation", "list of types", count, types)) return NULL;
  tn_status_t status = begin(builder, count, types, &computation);
  tn__arena_reset(&builder->scratch);
  if (status) {
    tn__builder_fail(builder, status);
    return NULL;
  }
  builder->open = computation;
  for (size_t i = 0; i < count; ++i) out_arguments[i] = &computation->region->arguments[i];
  return computation;
}

void tn_computation_end(tn_builder_t* builder, tn_computation_t* computation, size_t count,
                        tn_value_t* const* results) {
  if (!tn__builder_is_good(builder)) return;
  if (!computation || builder->open != computation) {
    tn__builder_fail(builder, tn_status_create(TN_CODE_FAILED_PRECONDITION,
                                               "tn_computation_end: this computation is not the "
                                               "one that was begun last"));
    return;
  }
  tn__builder_add(builder, "return", count, results, 0, NULL, 0, NULL, 0, NULL);
  builder->open = computation->outer;
  computation->is_open = false;
}

tn_computation_t* tn_builder_binary_computation(tn_builder_t* builder, const char* name,
                                                tn_dtype_t dtype) {
  const tn_type_t* scalar = tn_builder_tensor_type(builder, dtype, 0, NULL);
  const tn_type_t* types[] = {scalar, scalar};
  tn_value_t* arguments[2] = {NULL, NULL};
  tn_computation_t* computation = tn_computation_begin(builder, 2, types, arguments);
  tn_value_t* result = tn__builder_add_one(builder, name, 2, arguments, 0, NULL);
  tn_computation_end(builder, computation, 1, &result);
  return computation;
}

static tn_status_t copy_computation(tn_builder_t* builder, const tn_region_t* region,
                                    size_t extra_count, const tn_type_t* const* extra_types,
                                    tn_computation_t** out_computation) {
  *out_computation = NULL;
  TN_RETURN_IF_ERROR(tn__module_keep(builder->module, region->function->module));
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(tn__builder_arena(builder), out_computation));
  return tn__region_copy(region, builder->function, extra_count, extra_types,
                         &(*out_computation)->region);
}

tn_computation_t* tn__builder_copy_computation(tn_builder_t* builder, const tn_region_t* region,
                                               size_t extra_count,
                                               const tn_type_t* const* extra_types) {
  tn_computation_t* computation = NULL;
  if (!tn__builder_is_good(builder)) return NULL;
  tn_status_t status = copy_computation(builder, region, extra_count, extra_types, &computation);
  if (!status) return computation;
  tn__builder_fail(builder, status);
  return NULL;
}

// --- the module

// The body gets its arguments in one piece, in the place of the parameters that were handed out.
static tn_status_t set_signature(tn_builder_t* builder, size_t result_count,
                                 tn_value_t* const* results) {
  tn_function_t* function = builder->function;
  tn_arena_t* arena = tn__builder_arena(builder);
  size_t count = builder->parameter_count;
  for (size_t i = 0; i < count; ++i) {
    if (!builder->parameters[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "parameter %zu is missing; there are parameters up to %zu", i,
                              count - 1);
    }
  }
  tn_value_t* arguments = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &arguments));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count + result_count, &function->argument_types));
  function->result_types = function->argument_types + count;
  for (size_t i = 0; i < count; ++i) {
    arguments[i] = *builder->parameters[i];
    builder->parameters[i]->replacement = &arguments[i];
    function->argument_types[i] = arguments[i].type;
  }
  for (size_t i = 0; i < result_count; ++i) function->result_types[i] = results[i]->type;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &function->argument_attrs));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, result_count, &function->result_attrs));
  function->argument_count = function->body->argument_count = (uint32_t)count;
  function->result_count = (uint32_t)result_count;
  function->body->arguments = arguments;
  tn__function_resolve(function);
  return TN_OK;
}

static tn_status_t build(tn_builder_t* builder, size_t result_count, tn_value_t* const* results) {
  if (builder->open) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "tn_builder_build: a computation was begun and not ended");
  }
  tn__builder_add(builder, "func.return", result_count, results, 0, NULL, 0, NULL, 0, NULL);
  if (builder->status) {
    tn_status_t status = builder->status;
    builder->status = TN_OK;
    return status;
  }
  TN_RETURN_IF_ERROR(set_signature(builder, result_count, results));
  builder->function->visibility = TN_SV_LITERAL("public");
  return tn__module_verify(builder->module);
}

tn_status_t tn_builder_build(tn_builder_t* builder, size_t result_count, tn_value_t* const* results,
                             tn_module_t** out_module) {
  *out_module = NULL;
  if (!builder || !builder->module) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION, "tn_builder_build: %s",
                            builder ? "the module was built already" : "the builder is NULL");
  }
  tn_status_t status = builder->status;
  builder->status = TN_OK;
  if (!status) status = build(builder, result_count, results);
  if (status) {
    tn_module_release(builder->module);
  } else {
    *out_module = builder->module;
  }
  builder->module = NULL;
  return status;
}
