// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/interrupt.h"
#include "pass/passes.h"

tn_function_t* tn__pass_callee(const tn_node_t* node) {
  const char* attr = node->op == TN__OP_OF(func, call) ? "callee"
                     : node->op == TN__OP(composite)   ? "decomposition"
                                                       : NULL;
  if (!attr) return NULL;
  return tn__module_find_function(node->region->function->module,
                                  tn__attr_get_string(&node->attrs, attr));
}

bool tn__pass_is_pure(const tn_node_t* node) {
  if (tn__op_has(node->op, TN_FOREIGN)) {
    return !tn__attr_get_bool(&node->attrs, "has_side_effect", false);
  }
  if (!tn__op_has(node->op, TN_PURE)) return false;
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_FOR_EACH_NODE (inner, node->regions[i]) {
      if (!tn__op_has(inner->op, TN_TERMINATOR) && !tn__pass_is_pure(inner)) return false;
    }
  }
  return true;
}

// Depth-first search over an explicit path: how deep functions call is the program's choice, not
// the stack's.
enum { UNSEEN, ON_PATH, DONE };

typedef struct visit {
  tn_function_t* function;
  tn_node_t* next;  // where to go on looking for calls
} visit_t;

typedef struct search {
  tn_reached_functions_t* reached;
  uint8_t* states;  // by function->index
  visit_t* path;
  size_t depth;
} search_t;

// The node after `node` in preorder, inner regions included; NULL at the end of the function.
static tn_node_t* following(tn_node_t* node) {
  for (uint32_t i = 0; i < node->region_count; ++i) {
    if (node->regions[i]->first) return node->regions[i]->first;
  }
  while (node) {
    if (node->next) return node->next;
    tn_node_t* parent = node->region->parent;
    if (!parent) return NULL;
    for (uint32_t i = node->region->index + 1; i < parent->region_count; ++i) {
      if (parent->regions[i]->first) return parent->regions[i]->first;
    }
    node = parent;
  }
  return NULL;
}

bool tn__pass_has_loops(const tn_module_t* module) {
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    for (tn_node_t* node = f->body ? f->body->first : NULL; node; node = following(node)) {
      if (node->op == TN__OP(while)) return true;
    }
  }
  return false;
}

static void enter(search_t* search, tn_function_t* function) {
  search->states[function->index] = ON_PATH;
  search->path[search->depth++] =
      (visit_t){function, function->body ? function->body->first : NULL};
}

static tn_status_t visit_call(search_t* search, const tn_node_t* node, tn_function_t* callee) {
  if (search->states[callee->index] == ON_PATH) {
    return tn__node_locate(
        node, tn_status_create(TN_CODE_INVALID_ARGUMENT, "call: function @%.*s calls itself",
                               TN_SV(callee->name)));
  }
  if (search->states[callee->index] == UNSEEN) enter(search, callee);
  return TN_OK;
}

tn_status_t tn__pass_reach(tn_module_t* module, tn_function_t* entry, tn_arena_t* arena,
                           tn_reached_functions_t* out_reached) {
  uint32_t count = 0;
  void* memory = NULL;
  *out_reached = (tn_reached_functions_t){0};
  for (tn_function_t* f = module->first_function; f; f = f->next) f->index = count++;
  search_t search = {.reached = out_reached};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &out_reached->functions));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &search.path));
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, count, &memory));
  search.states = memory;
  enter(&search, entry);
  while (search.depth) {
    visit_t* visit = &search.path[search.depth - 1];
    tn_node_t* node = visit->next;
    if (!node) {
      search.states[visit->function->index] = DONE;
      out_reached->functions[out_reached->count++] = visit->function;
      --search.depth;
      continue;
    }
    visit->next = following(node);
    tn_function_t* callee = tn__pass_callee(node);
    if (callee) TN_RETURN_IF_ERROR(visit_call(&search, node, callee));
  }
  return TN_OK;
}

tn_status_t tn__pass_check_recursion(tn_module_t* module, tn_function_t* entry) {
  tn_arena_t scratch;
  tn_reached_functions_t reached;
  tn__arena_init(&scratch, module->allocator);
  tn_status_t status = tn__pass_reach(module, entry, &scratch, &reached);
  tn__arena_deinit(&scratch);
  return status;
}

tn_status_t tn__pass_for_each_function(tn_module_t* module, tn_function_t* entry,
                                       tn_status_t (*rewrite)(tn_function_t* function,
                                                              tn_arena_t* scratch)) {
  tn_status_t status = TN_OK;
  tn_arena_t scratch, function_scratch;
  tn_reached_functions_t reached;
  tn__arena_init(&scratch, module->allocator);
  tn__arena_init(&function_scratch, module->allocator);
  TN_DONE_IF_ERROR(tn__pass_reach(module, entry, &scratch, &reached));
  for (size_t i = 0; i < reached.count; ++i) {
    if (!reached.functions[i]->body) continue;
    TN_DONE_IF_ERROR(tn__interrupt_check(module->interrupt));
    TN_DONE_IF_ERROR(rewrite(reached.functions[i], &function_scratch));
    tn__arena_reset(&function_scratch);
  }
done:
  tn__arena_deinit(&scratch);
  tn__arena_deinit(&function_scratch);
  return status;
}
