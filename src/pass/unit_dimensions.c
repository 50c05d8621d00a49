// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// unit-dimensions: what reads an elementwise result through a reshape that only adds or removes
// dimensions of size 1 is computed over the shape of that result, so that both can be in one
// fusion. JAX adds a last dimension to indices, and removes it from what is gathered.
#include "kernel/target.h"
#include "pass/passes.h"

static bool is_same_but_for_units(const tn_type_t* a, const tn_type_t* b) {
  size_t i = 0, k = 0;
  for (;; ++i, ++k) {
    while (i < a->rank && a->dims[i] == 1) ++i;
    while (k < b->rank && b->dims[k] == 1) ++k;
    if (i == a->rank || k == b->rank) return i == a->rank && k == b->rank;
    if (a->dims[i] != b->dims[k]) return false;
  }
}

// What it is a reshape of, behind any number of them.
static tn_value_t* source_of(tn_value_t* value) {
  value = tn__value_resolve(value);
  while (value->node && value->node->op == TN__OP(reshape)) {
    value = tn__value_resolve(value->node->operands[0]);
  }
  return value;
}

// The shape of an operand's source over which the node may be computed; NULL: its own.
static const tn_type_t* find_shape(const tn_node_t* node) {
  const tn_type_t* type = node->results[0].type;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t *value = tn__value_resolve(node->operands[i]),
                     *source = source_of(node->operands[i]);
    if (source == value || !source->node || !tn__node_has_elements(source->node) ||
        !tn__type_same_shape(value->type, type)) {
      continue;
    }
    if (!tn__type_same_shape(source->type, type) && is_same_but_for_units(source->type, type)) {
      return source->type;
    }
  }
  return NULL;
}

static bool is_fit(const tn_node_t* node, int64_t fewest) {
  if (!tn__node_is_elementwise(node) || tn__op_has(node->op, TN_FOREIGN) ||
      node->result_count != 1 || node->region_count) {
    return false;
  }
  const tn_type_t* type = node->results[0].type;
  if (!tn__type_is_tensor(type) || !tn__type_is_static(type) || tn__type_size(type) < fewest) {
    return false;
  }
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_type_t* operand = node->operands[i]->type;
    if (operand->rank && !tn__type_same_shape(operand, type)) return false;
  }
  return true;
}

TN_APART static tn_status_t reshape_node(tn_node_t* node, const tn_type_t* shape) {
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_type_t *type = node->results[0].type, *own = NULL;
  tn_node_t* made = NULL;
  tn_value_t* result = NULL;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn_value_t* operand = tn__value_resolve(node->operands[i]);
    if (operand->type->rank == 0) continue;
    TN_RETURN_IF_ERROR(
        tn__type_tensor(arena, operand->type->dtype, shape->rank, shape->dims, &own));
    TN_RETURN_IF_ERROR(tn__pass_insert_reshape(node, operand, own, &node->operands[i]));
  }
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, type->dtype, shape->rank, shape->dims, &own));
  TN_RETURN_IF_ERROR(tn__node_insert(node,
                                     &(tn_node_spec_t){.op = node->op,
                                                       .operand_count = node->operand_count,
                                                       .operands = node->operands,
                                                       .result_count = 1,
                                                       .result_types = &own,
                                                       .attrs = node->attrs,
                                                       .location = node->location},
                                     &made));
  made->results[0].name = node->results[0].name;
  TN_RETURN_IF_ERROR(tn__pass_insert_reshape(node, &made->results[0], type, &result));
  node->results[0].replacement = result;
  tn__node_remove(node);
  return TN_OK;
}

// Reshapes that undo each other are none.
static void drop_reshape(tn_node_t* node) {
  tn_value_t* source = source_of(&node->results[0]);
  if (!tn_type_equal(source->type, node->results[0].type)) return;
  node->results[0].replacement = source;
  tn__node_remove(node);
}

static tn_status_t rewrite_region(tn_region_t* region, int64_t fewest) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(rewrite_region(node->regions[i], fewest));
    }
    if (node->op == TN__OP(reshape)) {
      drop_reshape(node);
    } else if (is_fit(node, fewest)) {
      const tn_type_t* shape = find_shape(node);
      if (shape) TN_RETURN_IF_ERROR(reshape_node(node, shape));
    }
  }
  return TN_OK;
}

static tn_status_t rewrite_function(tn_function_t* function, tn_arena_t* scratch) {
  (void)scratch;
  const int64_t fewest = tn__pass_fewest_fused(function->module->target);
  TN_RETURN_IF_ERROR(rewrite_region(function->body, fewest));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_drop_unit_dimensions(tn_module_t* module, tn_function_t* entry) {
  if (!module->target->fusion) return TN_OK;
  return tn__pass_for_each_function(module, entry, rewrite_function);
}
