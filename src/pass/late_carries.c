// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// late-carries: a loop's body computes the next value of a carry behind the last use of the present
// one, so that it can be where that is. What it reads is kept for longer: it is no larger.
#include "pass/passes.h"

enum { MOST_BYTES = 256 << 10 };

typedef struct mover {
  uint32_t* uses;          // by value
  tn_node_t** last_users;  // by argument of the body
} mover_t;

static void note_users(const mover_t* mover, const tn_region_t* body, const tn_node_t* node,
                       tn_node_t* user) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* operand = node->operands[i];
    if (operand->region == body && !operand->node) mover->last_users[operand->index] = user;
  }
  for (uint32_t r = 0; r < node->region_count; ++r) {
    TN_FOR_EACH_NODE (inner, node->regions[r]) {
      note_users(mover, body, inner, user);
    }
  }
}

// Whether the node can be computed later at no cost.
static bool can_wait(const mover_t* mover, const tn_node_t* node) {
  size_t kept = 0;
  if (node->result_count != 1 || node->op == TN__OP(constant) || !tn__pass_is_pure(node) ||
      mover->uses[node->results[0].id] != 1 || tn__op_has(node->op, TN_FOREIGN | TN_FORWARDS)) {
    return false;
  }
  const size_t own = tn__type_byte_size(node->results[0].type);
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* operand = node->operands[i];
    if (operand->region == node->region && operand->node) {
      kept += tn__type_byte_size(operand->type);
    }
  }
  return own <= MOST_BYTES && kept <= 2 * own;
}

static void move_carries(const mover_t* mover, tn_region_t* body) {
  tn_node_t* end = body->last;
  for (uint32_t i = 0; i < body->argument_count; ++i) mover->last_users[i] = NULL;
  TN_FOR_EACH_NODE (node, body) {
    note_users(mover, body, node, node);
  }
  for (uint32_t i = 0; i < end->operand_count; ++i) {
    tn_node_t *node = end->operands[i]->node, *last = mover->last_users[i];
    if (!node || node->region != body || !last || last == end || last->id <= node->id) continue;
    if (!can_wait(mover, node)) continue;
    tn__node_move(node, last->next);  // there is a terminator
    node->id = last->id;
    for (uint32_t o = 0; o < node->operand_count; ++o) {
      const tn_value_t* operand = node->operands[o];
      if (operand->region != body || operand->node) continue;
      tn_node_t** user = &mover->last_users[operand->index];
      if ((*user)->id <= node->id) *user = node;
    }
  }
}

static void move_in_region(const mover_t* mover, tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t r = 0; r < node->region_count; ++r) move_in_region(mover, node->regions[r]);
    if (node->op == TN__OP(while)) move_carries(mover, node->regions[1]);
  }
}

static size_t most_carries(const tn_region_t* region) {
  size_t most = 0;
  TN_FOR_EACH_NODE (node, region) {
    size_t count = node->op == TN__OP(while) ? node->operand_count : 0;
    most = count > most ? count : most;
    for (uint32_t r = 0; r < node->region_count; ++r) {
      count = most_carries(node->regions[r]);
      most = count > most ? count : most;
    }
  }
  return most;
}

static tn_status_t move_in_function(tn_function_t* function, tn_arena_t* scratch) {
  mover_t mover = {0};
  const size_t count = most_carries(function->body);
  if (count == 0) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &mover.uses));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &mover.last_users));
  tn__pass_count_uses(function->body, mover.uses);
  move_in_region(&mover, function->body);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_delay_carries(tn_module_t* module, tn_function_t* entry) {
  if (!tn__pass_has_loops(module)) return TN_OK;
  return tn__pass_for_each_function(module, entry, move_in_function);
}
