// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Copies functions to where they are called.
//
// First the small ones, callees before callers, so that what is copied is itself already rewritten,
// as long as the module does not grow without bound. Then, callers before callees, functions that
// are called from one place only, whatever their size: each is copied once, and what it calls is
// met in the copy. So both take time in proportion to the module, however deep its calls.
#include "pass/passes.h"

enum {
  SMALL_FUNCTION = 200,     // nodes
  ALLOWANCE_FACTOR = 4,     // the module may grow to this many times its nodes ...
  ALLOWANCE_BASE = 100000,  // ... and this many more
  ALLOWANCE_ALL = 1000000,  // the same where all calls are to go
};

typedef struct inliner {
  tn_arena_t scratch;
  tn_reached_functions_t reached;
  uint32_t* call_counts;  // by function->index: calls from functions that are reached
  uint32_t* depths;       // by function->index: regions inside one another
  bool* is_gone;          // by function->index: copied to its only call
  int64_t allowance;      // nodes that may still be added
  bool only_calls;        // the second round
  bool takes_all;         // whatever its size, as long as the allowance lasts
} inliner_t;

static void count_calls(inliner_t* inliner, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    const tn_function_t* callee = tn__pass_callee(node);
    if (callee) ++inliner->call_counts[callee->index];
    for (uint32_t i = 0; i < node->region_count; ++i) count_calls(inliner, node->regions[i]);
  }
}

static uint32_t depth_of(const tn_region_t* region) {
  uint32_t deepest = 0;
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->region_count; ++i) {
      uint32_t depth = depth_of(node->regions[i]);
      if (depth > deepest) deepest = depth;
    }
  }
  return deepest + 1;
}

static bool pays(inliner_t* inliner, const tn_function_t* callee, uint32_t depth) {
  if (!callee->body || depth + inliner->depths[callee->index] > TN_LIMIT_NESTING) return false;
  if (inliner->only_calls) {
    inliner->is_gone[callee->index] = inliner->call_counts[callee->index] == 1;
    return inliner->is_gone[callee->index];
  }
  uint32_t size = callee->node_count;
  if ((size > SMALL_FUNCTION && !inliner->takes_all) || size > inliner->allowance) return false;
  inliner->allowance -= size;
  return true;
}

// Gives the node that is now first in the call's place; NULL at the end of the region.
static tn_status_t inline_call(inliner_t* inliner, tn_node_t* node, const tn_function_t* callee,
                               tn_node_t** out_first) {
  tn_region_t* region = node->region;
  tn_value_t** arguments = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&inliner->scratch,
                                    (size_t)node->operand_count + node->result_count, &arguments));
  tn_value_t** results = arguments + node->operand_count;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    arguments[i] = tn__value_resolve(node->operands[i]);
  }
  tn_node_t* previous = node->previous;
  TN_RETURN_IF_ERROR(tn__function_splice(callee, node, arguments, results));
  for (uint32_t i = 0; i < node->result_count; ++i) node->results[i].replacement = results[i];
  tn__node_remove(node);
  *out_first = previous ? previous->next : region->first;
  return TN_OK;
}

static tn_status_t inline_region(inliner_t* inliner, tn_region_t* region, uint32_t depth) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    const tn_function_t* callee = tn__pass_callee(node);
    if (callee && pays(inliner, callee, depth)) {
      tn_node_t* first = NULL;
      TN_RETURN_IF_ERROR(inline_call(inliner, node, callee, &first));
      if (inliner->only_calls) next = first;
      continue;
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(inline_region(inliner, node->regions[i], depth + 1));
    }
  }
  return TN_OK;
}

static tn_status_t inline_into(inliner_t* inliner, tn_function_t* function) {
  if (!function->body || inliner->is_gone[function->index]) return TN_OK;
  TN_RETURN_IF_ERROR(inline_region(inliner, function->body, 1));
  tn__function_resolve(function);
  tn__function_number(function);
  inliner->depths[function->index] = depth_of(function->body);
  return TN_OK;
}

// What both rounds have to know of the functions as they are now.
static tn_status_t look_around(inliner_t* inliner, tn_module_t* module, tn_function_t* entry) {
  void* memory = NULL;
  size_t count = 0;
  TN_RETURN_IF_ERROR(tn__pass_reach(module, entry, &inliner->scratch, &inliner->reached));
  for (const tn_function_t* f = module->first_function; f; f = f->next) ++count;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&inliner->scratch, count,
                                              2 * sizeof(uint32_t) + sizeof(bool), &memory));
  inliner->call_counts = memory;
  inliner->depths = inliner->call_counts + count;
  inliner->is_gone = (bool*)(inliner->depths + count);
  for (size_t i = 0; i < inliner->reached.count; ++i) {
    const tn_function_t* function = inliner->reached.functions[i];
    inliner->allowance += (int64_t)ALLOWANCE_FACTOR * function->node_count;
    if (!function->body) continue;
    count_calls(inliner, function->body);
    inliner->depths[function->index] = depth_of(function->body);
  }
  return TN_OK;
}

tn_status_t tn__pass_inline_calls(tn_module_t* module, tn_function_t* entry) {
  tn_status_t status = TN_OK;
  inliner_t inliner = {.allowance = ALLOWANCE_BASE};
  tn__arena_init(&inliner.scratch, module->allocator);
  TN_DONE_IF_ERROR(look_around(&inliner, module, entry));
  for (size_t i = 0; i < inliner.reached.count; ++i) {
    TN_DONE_IF_ERROR(inline_into(&inliner, inliner.reached.functions[i]));
  }
  inliner.only_calls = true;
  TN_DONE_IF_ERROR(look_around(&inliner, module, entry));
  for (size_t i = inliner.reached.count; i-- > 0;) {
    TN_DONE_IF_ERROR(inline_into(&inliner, inliner.reached.functions[i]));
  }
done:
  tn__arena_deinit(&inliner.scratch);
  return status;
}

tn_status_t tn__pass_inline_all(tn_module_t* module, tn_function_t* entry) {
  tn_status_t status = TN_OK;
  inliner_t inliner = {.allowance = ALLOWANCE_ALL, .takes_all = true};
  tn__arena_init(&inliner.scratch, module->allocator);
  TN_DONE_IF_ERROR(look_around(&inliner, module, entry));
  for (size_t i = 0; i < inliner.reached.count; ++i) {
    TN_DONE_IF_ERROR(inline_into(&inliner, inliner.reached.functions[i]));
  }
done:
  tn__arena_deinit(&inliner.scratch);
  return status;
}
