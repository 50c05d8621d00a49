// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// loop-invariant-code: what a loop computes in every turn from values outside of it is computed
// once, before it. Small results alone: they are kept while the loop runs. What may fail, or take
// any time, stays, since the loop may have no turn.
#include "pass/passes.h"

enum { MOST_BYTES = 16 << 10 };  // larger arrays are fused, and read broadcasts as they are

// Constants cost nothing where they are, and go where a node needs them.
static bool is_constant(const tn_value_t* value) {
  return value->node && value->node->op == TN__OP(constant);
}

static bool is_invariant(const tn_node_t* node) {
  if (!tn__op_has(node->op, TN_PURE) || tn__op_has(node->op, TN_FOREIGN | TN_TERMINATOR)) {
    return false;
  }
  if (node->region_count || node->result_count != 1 || is_constant(&node->results[0])) return false;
  const tn_type_t* type = node->results[0].type;
  if (!tn__type_is_tensor(type) || !tn__type_is_static(type)) return false;
  if (tn__type_byte_size(type) > MOST_BYTES) return false;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* operand = node->operands[i];
    if (!tn__type_is_tensor(operand->type) || !tn__type_is_static(operand->type)) return false;
    if (operand->region == node->region && !is_constant(operand)) return false;
  }
  return true;
}

static void hoist(tn_node_t* node, tn_node_t* loop) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn_value_t* operand = node->operands[i];
    if (operand->region == node->region) tn__node_move(operand->node, loop);
  }
  tn__node_move(node, loop);
}

// Inner loops first: what leaves one may leave the next.
static void hoist_from(tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t r = 0; r < node->region_count && !tn__op_has(node->op, TN_ISOLATED); ++r) {
      hoist_from(node->regions[r]);
    }
    if (node->op != TN__OP(while)) continue;
    for (uint32_t r = 0; r < node->region_count; ++r) {
      for (tn_node_t *inner = node->regions[r]->first, *next = NULL; inner; inner = next) {
        next = inner->next;
        if (is_invariant(inner)) hoist(inner, node);
      }
    }
  }
}

static tn_status_t hoist_in_function(tn_function_t* function, tn_arena_t* scratch) {
  (void)scratch;
  hoist_from(function->body);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_hoist_invariants(tn_module_t* module, tn_function_t* entry) {
  if (!tn__pass_has_loops(module)) return TN_OK;
  return tn__pass_for_each_function(module, entry, hoist_in_function);
}
