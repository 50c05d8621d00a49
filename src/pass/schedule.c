// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls that say when they want to run (tenon.schedule): as early or as late as what they
// depend on allows. Those with effects keep their order among all nodes with effects.
#include "pass/passes.h"

typedef enum hint { HINT_NONE, HINT_EARLIEST, HINT_LATEST } hint_t;

static hint_t hint_of(const tn_node_t* node) {
  if (!tn__op_has(node->op, TN_FOREIGN)) return HINT_NONE;
  tn_string_view_t text = tn__attr_get_string(&node->attrs, "tenon.schedule");
  return tn__sv_is(text, "earliest") ? HINT_EARLIEST
         : tn__sv_is(text, "latest") ? HINT_LATEST
                                     : HINT_NONE;
}

static tn_node_t* later(tn_node_t* a, tn_node_t* b) {
  return !a || (b && b->id > a->id) ? b : a;
}
static tn_node_t* earlier(tn_node_t* a, tn_node_t* b) {
  return !a || (b && b->id < a->id) ? b : a;
}

// A node that moves takes the number of the one it moves to, so nodes of one number are side by
// side, in the order of the program.
static void hoist(tn_region_t* region) {
  const uint32_t front = region->first->id;  // of those that need nothing, and go there
  tn_node_t* last_effect = NULL;
  TN_FOR_EACH_NODE (node, region) {
    ++node->id;
  }
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    bool is_pure = tn__pass_is_pure(node);
    if (hint_of(node) == HINT_EARLIEST) {
      tn_node_t* anchor = is_pure ? NULL : last_effect;
      for (uint32_t i = 0; i < node->operand_count; ++i) {
        tn_node_t* operand = node->operands[i]->node;
        if (operand && operand->region == region) anchor = later(anchor, operand);
      }
      uint32_t id = anchor ? anchor->id : front;
      tn_node_t* after = anchor ? anchor->next : region->first;
      while (after != node && after->id == id) after = after->next;
      if (after != node) {
        node->id = id;
        tn__node_move(node, after);
      }
    }
    if (!is_pure) last_effect = node;
  }
}

typedef struct sinker {
  tn_region_t* region;
  tn_node_t** first_users;  // by value->id: the first node of the region that needs it
} sinker_t;

static void note_users(const sinker_t* sinker, const tn_node_t* node, tn_node_t* user) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    sinker->first_users[node->operands[i]->id] = user;
  }
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_FOR_EACH_NODE (inner, node->regions[i]) {
      note_users(sinker, inner, user);
    }
  }
}

static void sink(const sinker_t* sinker) {
  tn_region_t* region = sinker->region;
  tn_node_t* next_effect = NULL;
  for (tn_node_t *node = region->last, *previous = NULL; node; node = previous) {
    previous = node->previous;
    bool is_pure = tn__op_has(node->op, TN_TERMINATOR) || tn__pass_is_pure(node);
    if (hint_of(node) == HINT_LATEST) {
      tn_node_t* anchor = is_pure ? NULL : next_effect;
      for (uint32_t i = 0; i < node->result_count; ++i) {
        anchor = earlier(anchor, sinker->first_users[node->results[i].id]);
      }
      if (!anchor) anchor = region->last;
      uint32_t id = anchor->id;
      while (anchor->previous != node && anchor->previous->id == id) anchor = anchor->previous;
      if (anchor->previous != node) {
        node->id = id;
        tn__node_move(node, anchor);
      }
    }
    if (!is_pure) next_effect = node;
    note_users(sinker, node, node);
  }
}

static void place_calls(tn_region_t* region, tn_node_t** first_users) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->region_count; ++i) place_calls(node->regions[i], first_users);
  }
  hoist(region);
  const sinker_t sinker = {region, first_users};
  sink(&sinker);
}

static bool has_hints(const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    if (hint_of(node) != HINT_NONE) return true;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      if (has_hints(node->regions[i])) return true;
    }
  }
  return false;
}

static tn_status_t schedule_function(tn_function_t* function, tn_arena_t* scratch) {
  tn_node_t** first_users = NULL;
  if (!has_hints(function->body)) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &first_users));
  place_calls(function->body, first_users);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_schedule_calls(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, schedule_function);
}
