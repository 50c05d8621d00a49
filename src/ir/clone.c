// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ir/ir.h"

// While cloning, an original value's id is an index into the table of copies.
typedef struct cloner {
  tn_value_t** copies;
  tn_arena_t scratch;
} cloner_t;

static tn_status_t clone_region(cloner_t* cloner, tn_function_t* function,
                                const tn_region_t* original, size_t extra_count,
                                const tn_type_t* const* extra_types, tn_region_t** out_region);

static void copy_value(cloner_t* cloner, const tn_value_t* original, tn_value_t* copy) {
  copy->name = original->name;
  cloner->copies[original->id] = copy;
}

// A value of the outside that has no copy is used as it is.
static tn_value_t* copy_of(const cloner_t* cloner, tn_value_t* original) {
  tn_value_t* copy = cloner->copies[original->id];
  return copy ? copy : original;
}

// Appends to `region`, or inserts before `position` when that is not NULL.
static tn_status_t clone_node(cloner_t* cloner, tn_region_t* region, tn_node_t* position,
                              const tn_node_t* original) {
  tn_value_t** operands = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(
      &cloner->scratch,
      (size_t)original->operand_count + original->result_count + original->region_count,
      &operands));
  const tn_type_t** types = (const tn_type_t**)(operands + original->operand_count);
  tn_region_t** regions = (tn_region_t**)(types + original->result_count);
  for (uint32_t i = 0; i < original->operand_count; ++i) {
    operands[i] = copy_of(cloner, original->operands[i]);
  }
  for (uint32_t i = 0; i < original->result_count; ++i) types[i] = original->results[i].type;
  for (uint32_t i = 0; i < original->region_count; ++i) {
    TN_RETURN_IF_ERROR(
        clone_region(cloner, region->function, original->regions[i], 0, NULL, &regions[i]));
  }
  tn_node_spec_t spec = {
      .op = original->op,
      .operand_count = original->operand_count,
      .operands = operands,
      .result_count = original->result_count,
      .result_types = types,
      .attrs = original->attrs,
      .region_count = original->region_count,
      .regions = regions,
      .location = original->location,
  };
  tn_node_t* node = NULL;
  TN_RETURN_IF_ERROR(position ? tn__node_insert(position, &spec, &node)
                              : tn__node_append(region, &spec, &node));
  for (uint32_t i = 0; i < node->result_count; ++i) {
    copy_value(cloner, &original->results[i], &node->results[i]);
  }
  return TN_OK;
}

// With arguments behind its own, which nothing uses.
static tn_status_t clone_region(cloner_t* cloner, tn_function_t* function,
                                const tn_region_t* original, size_t extra_count,
                                const tn_type_t* const* extra_types, tn_region_t** out_region) {
  const size_t count = original->argument_count + extra_count;
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&cloner->scratch, count, &types));
  for (uint32_t i = 0; i < original->argument_count; ++i) types[i] = original->arguments[i].type;
  for (size_t i = 0; i < extra_count; ++i) types[original->argument_count + i] = extra_types[i];
  TN_RETURN_IF_ERROR(tn__region_create(function, count, types, out_region));
  for (uint32_t i = 0; i < original->argument_count; ++i) {
    copy_value(cloner, &original->arguments[i], &(*out_region)->arguments[i]);
  }
  TN_FOR_EACH_NODE (node, original) {
    TN_RETURN_IF_ERROR(clone_node(cloner, *out_region, NULL, node));
  }
  return TN_OK;
}

static tn_status_t cloner_init(cloner_t* cloner, const tn_allocator_t* allocator,
                               const tn_function_t* original) {
  tn__arena_init(&cloner->scratch, allocator);
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&cloner->scratch, original->value_count, &cloner->copies));
  return TN_OK;
}

static tn_status_t clone_body(tn_function_t* function, const tn_function_t* original) {
  tn_status_t status = TN_OK;
  cloner_t cloner;
  TN_DONE_IF_ERROR(cloner_init(&cloner, function->module->allocator, original));
  for (uint32_t i = 0; i < original->argument_count; ++i) {
    copy_value(&cloner, &original->body->arguments[i], &function->body->arguments[i]);
  }
  TN_FOR_EACH_NODE (node, original->body) {
    TN_DONE_IF_ERROR(clone_node(&cloner, function->body, NULL, node));
  }
  function->value_count = original->value_count;
  function->node_count = original->node_count;
done:
  tn__arena_deinit(&cloner.scratch);
  return status;
}

static tn_status_t clone_function(tn_module_t* clone, const tn_function_t* original,
                                  tn_string_view_t name) {
  tn_function_t* function = NULL;
  TN_RETURN_IF_ERROR(tn__function_create(
      clone, name, original->argument_count, original->argument_types, original->result_count,
      original->result_types, original->body == NULL, &function));
  function->visibility = original->visibility;
  function->argument_attrs = original->argument_attrs;
  function->result_attrs = original->result_attrs;
  function->attrs = original->attrs;
  function->location = original->location;
  if (!original->body) return TN_OK;
  TN_RETURN_IF_ERROR(clone_body(function, original));
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__module_copy_function(tn_module_t* module, tn_function_t* function,
                                     tn_string_view_t name) {
  TN_RETURN_IF_ERROR(tn__module_keep(module, function->module));
  return clone_function(module, function, name);
}

tn_status_t tn__module_clone(tn_module_t* module, tn_module_t** out_clone) {
  tn_status_t status = TN_OK;
  tn_module_t* clone = NULL;
  *out_clone = NULL;
  TN_RETURN_IF_ERROR(tn__module_create(module->allocator, &clone));
  clone->origin = tn_module_retain(module);
  clone->name = module->name;
  clone->attrs = module->attrs;
  clone->preamble = module->preamble;
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    TN_DONE_IF_ERROR(clone_function(clone, f, f->name));
  }
  *out_clone = clone;
  clone = NULL;
done:
  tn_module_release(clone);
  return status;
}

tn_status_t tn__function_splice(const tn_function_t* function, tn_node_t* position,
                                tn_value_t* const* arguments, tn_value_t** out_results) {
  tn_status_t status = TN_OK;
  cloner_t cloner;
  TN_DONE_IF_ERROR(cloner_init(&cloner, position->region->function->module->allocator, function));
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    cloner.copies[function->body->arguments[i].id] = arguments[i];
  }
  const tn_node_t* last = function->body->last;
  TN_FOR_EACH_NODE (node, function->body) {
    if (node != last) TN_DONE_IF_ERROR(clone_node(&cloner, position->region, position, node));
  }
  for (uint32_t i = 0; i < last->operand_count; ++i) {
    out_results[i] = copy_of(&cloner, last->operands[i]);
  }
done:
  tn__arena_deinit(&cloner.scratch);
  return status;
}

tn_status_t tn__region_splice(const tn_region_t* region, tn_node_t* position,
                              tn_value_t* const* arguments, tn_value_t** out_results) {
  tn_status_t status = TN_OK;
  cloner_t cloner;
  tn_function_t* function = region->function;
  TN_DONE_IF_ERROR(cloner_init(&cloner, function->module->allocator, function));
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    cloner.copies[region->arguments[i].id] = arguments[i];
  }
  TN_FOR_EACH_NODE (node, region) {
    if (node == region->last) break;
    TN_DONE_IF_ERROR(clone_node(&cloner, position->region, position, node));
    const tn_node_t* copy = position->previous;
    for (uint32_t i = 0; i < copy->result_count; ++i) {
      copy_of(&cloner, &node->results[i])->id = function->value_count++;
    }
  }
  for (uint32_t i = 0; i < region->last->operand_count; ++i) {
    out_results[i] = copy_of(&cloner, region->last->operands[i]);
  }
done:
  tn__arena_deinit(&cloner.scratch);
  return status;
}

// --- nodes of other modules

static bool is_within(const tn_region_t* region, const tn_node_t* node) {
  for (; region && region->parent; region = region->parent->region) {
    if (region->parent == node) return true;
  }
  return false;
}

static void add_captured(const tn_node_t* node, const tn_region_t* region, bool* is_listed,
                         tn_captured_values_t* captured) {
  TN_FOR_EACH_NODE (inner, region) {
    for (uint32_t i = 0; i < inner->operand_count; ++i) {
      tn_value_t* value = inner->operands[i];
      if (is_listed[value->id] || is_within(value->region, node)) continue;
      is_listed[value->id] = true;
      captured->values[captured->count++] = value;
    }
    for (uint32_t i = 0; i < inner->region_count; ++i) {
      add_captured(node, inner->regions[i], is_listed, captured);
    }
  }
}

tn_status_t tn__node_captured(const tn_node_t* node, tn_arena_t* arena,
                              tn_captured_values_t* out_captured) {
  const tn_function_t* function = node->region->function;
  bool* listed = NULL;
  *out_captured = (tn_captured_values_t){0};
  if (node->region_count == 0) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, function->value_count, &out_captured->values));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, function->value_count, &listed));
  for (uint32_t i = 0; i < node->region_count; ++i) {
    add_captured(node, node->regions[i], listed, out_captured);
  }
  return TN_OK;
}

tn_status_t tn__node_copy(const tn_node_t* node, tn_region_t* region, tn_value_t* const* operands,
                          const tn_captured_values_t* captured, tn_value_t* const* replacements,
                          tn_node_t** out_node) {
  tn_status_t status = TN_OK;
  cloner_t cloner;
  *out_node = NULL;
  TN_DONE_IF_ERROR(
      cloner_init(&cloner, region->function->module->allocator, node->region->function));
  for (size_t i = 0; i < captured->count; ++i) {
    cloner.copies[captured->values[i]->id] = replacements[i];
  }
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    cloner.copies[node->operands[i]->id] = operands[i];
  }
  TN_DONE_IF_ERROR(clone_node(&cloner, region, NULL, node));
  *out_node = region->last;
done:
  tn__arena_deinit(&cloner.scratch);
  return status;
}

tn_status_t tn__region_copy(const tn_region_t* region, tn_function_t* function, size_t extra_count,
                            const tn_type_t* const* extra_types, tn_region_t** out_region) {
  cloner_t cloner;
  *out_region = NULL;
  tn_status_t status = cloner_init(&cloner, function->module->allocator, region->function);
  if (!status) {
    status = clone_region(&cloner, function, region, extra_count, extra_types, out_region);
  }
  tn__arena_deinit(&cloner.scratch);
  return status;
}
