// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// dead-code-elimination: removes pure nodes whose results have no uses.
#include "pass/passes.h"

void tn__pass_count_uses(const tn_region_t* region, uint32_t* uses) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) ++uses[node->operands[i]->id];
    for (uint32_t i = 0; i < node->region_count; ++i) tn__pass_count_uses(node->regions[i], uses);
  }
}

static void drop_uses(const tn_node_t* node, uint32_t* uses) {
  for (uint32_t i = 0; i < node->operand_count; ++i) --uses[node->operands[i]->id];
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_FOR_EACH_NODE (inner, node->regions[i]) {
      drop_uses(inner, uses);
    }
  }
}

static bool is_dead(const tn_node_t* node, const uint32_t* uses) {
  if (tn__op_has(node->op, TN_TERMINATOR)) return false;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    if (uses[node->results[i].id]) return false;
  }
  return tn__pass_is_pure(node);
}

// From the last node to the first, so that what a dead node used may die in the same sweep.
static void sweep(tn_region_t* region, uint32_t* uses) {
  for (tn_node_t *node = region->last, *previous = NULL; node; node = previous) {
    previous = node->previous;
    if (is_dead(node, uses)) {
      drop_uses(node, uses);
      tn__node_remove(node);
      continue;
    }
    for (uint32_t i = 0; i < node->region_count; ++i) sweep(node->regions[i], uses);
  }
}

static tn_status_t remove_dead(tn_function_t* function, tn_arena_t* scratch) {
  uint32_t* uses = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &uses));
  tn__pass_count_uses(function->body, uses);
  sweep(function->body, uses);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_eliminate_dead_code(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, remove_dead);
}
