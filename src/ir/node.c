// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ir/ir.h"

tn_status_t tn__region_create(tn_function_t* function, size_t argument_count,
                              const tn_type_t* const* argument_types, tn_region_t** out_region) {
  tn_arena_t* arena = &function->module->arena;
  tn_region_t* region = NULL;
  *out_region = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &region));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, argument_count, &region->arguments));
  region->function = function;
  region->argument_count = (uint32_t)argument_count;
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    region->arguments[i].type = argument_types[i];
    region->arguments[i].region = region;
    region->arguments[i].index = i;
  }
  *out_region = region;
  return TN_OK;
}

static tn_status_t make(tn_region_t* region, const tn_node_spec_t* spec, tn_node_t** out_node) {
  // One piece of memory: the node, its results, operands and regions.
  size_t size = sizeof(tn_node_t) + spec->result_count * sizeof(tn_value_t) +
                spec->operand_count * sizeof(tn_value_t*) +
                spec->region_count * sizeof(tn_region_t*);
  void* memory = NULL;
  *out_node = NULL;
  TN_RETURN_IF_ERROR(tn__arena_take(&region->function->module->arena, size, &memory));
  tn_node_t* node = memory;
  *node = (tn_node_t){
      .op = spec->op,
      .region = region,
      .operand_count = (uint32_t)spec->operand_count,
      .result_count = (uint32_t)spec->result_count,
      .region_count = (uint32_t)spec->region_count,
      .attrs = spec->attrs,
      .location = spec->location,
  };
  node->results = (tn_value_t*)(node + 1);
  node->operands = (tn_value_t**)(node->results + spec->result_count);
  node->regions = (tn_region_t**)(node->operands + spec->operand_count);
  for (uint32_t i = 0; i < node->result_count; ++i) {
    node->results[i] =
        (tn_value_t){.type = spec->result_types[i], .node = node, .region = region, .index = i};
  }
  if (spec->operand_count) {
    memcpy(node->operands, spec->operands, spec->operand_count * sizeof *spec->operands);
  }
  for (uint32_t i = 0; i < node->region_count; ++i) {
    node->regions[i] = spec->regions[i];
    node->regions[i]->parent = node;
    node->regions[i]->index = i;
  }
  *out_node = node;
  return TN_OK;
}

// Before `position`; NULL: at the end.
static void put_in(tn_node_t* node, tn_region_t* region, tn_node_t* position) {
  tn_node_t* previous = position ? position->previous : region->last;
  node->previous = previous;
  node->next = position;
  *(previous ? &previous->next : &region->first) = node;
  *(position ? &position->previous : &region->last) = node;
}

tn_status_t tn__node_append(tn_region_t* region, const tn_node_spec_t* spec, tn_node_t** out_node) {
  TN_RETURN_IF_ERROR(make(region, spec, out_node));
  put_in(*out_node, region, NULL);
  return TN_OK;
}

tn_status_t tn__node_insert(tn_node_t* position, const tn_node_spec_t* spec, tn_node_t** out_node) {
  TN_RETURN_IF_ERROR(make(position->region, spec, out_node));
  put_in(*out_node, position->region, position);
  return TN_OK;
}

void tn__node_remove(tn_node_t* node) {
  if (node->previous) {
    node->previous->next = node->next;
  } else {
    node->region->first = node->next;
  }
  if (node->next) {
    node->next->previous = node->previous;
  } else {
    node->region->last = node->previous;
  }
  node->previous = node->next = NULL;
}

void tn__node_move(tn_node_t* node, tn_node_t* position) {
  if (node == position) return;
  tn__node_remove(node);
  node->region = position->region;
  for (uint32_t i = 0; i < node->result_count; ++i) node->results[i].region = node->region;
  put_in(node, position->region, position);
}

static void number_region(tn_region_t* region, tn_function_t* function) {
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    region->arguments[i].id = function->value_count++;
  }
  TN_FOR_EACH_NODE (node, region) {
    node->id = function->node_count++;
    for (uint32_t i = 0; i < node->region_count; ++i) number_region(node->regions[i], function);
    for (uint32_t i = 0; i < node->result_count; ++i) node->results[i].id = function->value_count++;
  }
}

void tn__function_number(tn_function_t* function) {
  function->value_count = function->node_count = 0;
  if (function->body) number_region(function->body, function);
}

static void resolve_region(tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      node->operands[i] = tn__value_resolve(node->operands[i]);
    }
    for (uint32_t i = 0; i < node->region_count; ++i) resolve_region(node->regions[i]);
  }
}

void tn__function_resolve(tn_function_t* function) {
  if (function->body) resolve_region(function->body);
}

const tn_source_t* tn__module_source(const tn_module_t* module) {
  while (!module->source && module->origin) module = module->origin;
  return module->source;
}

static tn_status_t locate(const tn_module_t* module, tn_location_t location, tn_status_t status) {
  return tn__source_locate(tn__module_source(module), location, status);
}

bool tn__node_is_elementwise(const tn_node_t* node) {
  if (tn__op_has(node->op, TN_ELEMENTWISE)) return true;
  if (node->op != TN__OP(bitcast_convert)) return false;
  const tn_type_t *from = node->operands[0]->type, *to = node->results[0].type;
  return tn__type_same_shape(from, to) &&
         tn_dtype_bit_width(from->dtype) == tn_dtype_bit_width(to->dtype);
}

bool tn__node_looks_up(const tn_node_t* node) {
  if (node->op != TN__OP(gather)) return false;
  const tn_type_t *list = node->operands[0]->type, *indices = node->operands[1]->type;
  const tn_type_t* result = node->results[0].type;
  const tn_attr_t* numbers = tn__attr_find(&node->attrs, "dimension_numbers");
  if (!numbers || !tn__type_is_static(list) || list->rank != 1 || list->dims[0] == 0) return false;
  // Without a dimension of index vectors, and of windows.
  return tn__type_is_static(result) && tn__type_same_shape(indices, result) &&
         tn__attr_get_integer(&numbers->dictionary, "index_vector_dim", 0) ==
             (int64_t)indices->rank;
}

bool tn__node_has_elements(const tn_node_t* node) {
  return tn__node_is_elementwise(node) || tn__node_looks_up(node);
}

bool tn__node_reads_all(const tn_node_t* node, size_t operand) {
  return operand == 0 && tn__node_looks_up(node);
}

tn_status_t tn__node_locate(const tn_node_t* node, tn_status_t status) {
  return locate(node->region->function->module, node->location, status);
}

tn_status_t tn__function_locate(const tn_function_t* function, tn_status_t status) {
  return locate(function->module, function->location, status);
}

static tn_status_t value_types(tn_arena_t* arena, size_t count, tn_value_t* const* values,
                               const tn_type_t* const** out_types) {
  *out_types = NULL;
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &types));
  for (size_t i = 0; i < count; ++i) types[i] = tn__value_resolve(values[i])->type;
  *out_types = types;
  return TN_OK;
}

static tn_status_t region_signature(const tn_region_t* region, tn_arena_t* arena,
                                    tn_region_signature_t* out) {
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, region->argument_count, &types));
  for (uint32_t i = 0; i < region->argument_count; ++i) types[i] = region->arguments[i].type;
  out->region = region;
  out->argument_count = region->argument_count;
  out->argument_types = types;
  const tn_node_t* last = region->last;
  bool ends = last && tn__op_has(last->op, TN_TERMINATOR);
  out->result_count = ends ? last->operand_count : 0;
  return value_types(arena, out->result_count, ends ? last->operands : NULL, &out->result_types);
}

tn_status_t tn__node_use(const tn_node_t* node, tn_arena_t* arena, tn_op_use_t* out_use) {
  *out_use = (tn_op_use_t){
      .op = node->op,
      .operand_count = node->operand_count,
      .result_count = node->result_count,
      .attrs = node->attrs,
      .region_count = node->region_count,
      .arena = arena,
  };
  TN_RETURN_IF_ERROR(
      value_types(arena, node->operand_count, node->operands, &out_use->operand_types));
  const tn_type_t** result_types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, node->result_count, &result_types));
  for (uint32_t i = 0; i < node->result_count; ++i) result_types[i] = node->results[i].type;
  out_use->result_types = result_types;
  tn_region_signature_t* regions = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, node->region_count, &regions));
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_RETURN_IF_ERROR(region_signature(node->regions[i], arena, &regions[i]));
  }
  out_use->regions = regions;
  return TN_OK;
}
