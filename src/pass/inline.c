// Copies functions to where they are called.
//
// Callees come before callers, so what is copied is itself already rewritten. A call stays a call
// when the function is large, called more than once, and the copies would make the module grow
// without bound.
#include "pass/passes.h"

enum {
  SMALL_FUNCTION = 200,     // nodes: copied whatever happens, within the allowance
  ALLOWANCE_FACTOR = 4,     // the module may grow to this many times its nodes ...
  ALLOWANCE_BASE = 100000,  // ... and this many more
};

typedef struct inliner {
  tn_arena_t scratch;
  tn_reached_functions_t reached;
  uint32_t* call_counts;  // by function->index: calls from functions that are reached
  int64_t allowance;      // nodes that may still be added
  bool only_composites;
} inliner_t;

static void count_calls(inliner_t* inliner, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    const tn_function_t* callee = tn__pass_callee(node);
    if (callee) ++inliner->call_counts[callee->index];
    for (uint32_t i = 0; i < node->region_count; ++i) count_calls(inliner, node->regions[i]);
  }
}

static bool pays(inliner_t* inliner, const tn_node_t* node, const tn_function_t* callee) {
  if (!callee->body) return false;
  bool is_composite = node->op == TN__OP(composite);
  if (inliner->only_composites) return is_composite;
  uint32_t size = callee->node_count;
  bool is_only_call = inliner->call_counts[callee->index] == 1;
  if (!is_only_call && (size > SMALL_FUNCTION || size > inliner->allowance)) return false;
  inliner->allowance -= size;
  return true;
}

static tn_status_t inline_call(inliner_t* inliner, tn_node_t* node, const tn_function_t* callee) {
  void* memory = NULL;
  if (node->operand_count != callee->argument_count || node->result_count != callee->result_count) {
    return tn__node_locate(
        node,
        tn_status_create(TN_CODE_INVALID_ARGUMENT,
                         "%s: @%.*s takes %u arguments and gives %u results; found %u "
                         "operands and %u results",
                         tn__op_short_name(node->op), TN_SV(callee->name), callee->argument_count,
                         callee->result_count, node->operand_count, node->result_count));
  }
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&inliner->scratch,
                                              (size_t)node->operand_count + node->result_count,
                                              sizeof(tn_value_t*), &memory));
  tn_value_t** arguments = memory;
  tn_value_t** results = arguments + node->operand_count;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    arguments[i] = tn__value_resolve(node->operands[i]);
  }
  TN_RETURN_IF_ERROR(tn__function_splice(callee, node, arguments, results));
  for (uint32_t i = 0; i < node->result_count; ++i) node->results[i].replacement = results[i];
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t inline_region(inliner_t* inliner, tn_region_t* region) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    const tn_function_t* callee = tn__pass_callee(node);
    if (callee && pays(inliner, node, callee)) {
      TN_RETURN_IF_ERROR(inline_call(inliner, node, callee));
      continue;
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(inline_region(inliner, node->regions[i]));
    }
  }
  return TN_OK;
}

static tn_status_t inline_all(tn_module_t* module, tn_function_t* entry, bool only_composites) {
  tn_status_t status = TN_OK;
  void* memory = NULL;
  inliner_t inliner = {.only_composites = only_composites, .allowance = ALLOWANCE_BASE};
  tn__arena_init(&inliner.scratch, module->allocator);
  TN_DONE_IF_ERROR(tn__pass_reach(module, entry, &inliner.scratch, &inliner.reached));
  size_t function_count = 0;
  for (tn_function_t* f = module->first_function; f; f = f->next) ++function_count;
  TN_DONE_IF_ERROR(
      tn__arena_allocate_array(&inliner.scratch, function_count, sizeof(uint32_t), &memory));
  inliner.call_counts = memory;
  for (size_t i = 0; i < inliner.reached.count; ++i) {
    tn_function_t* function = inliner.reached.functions[i];
    inliner.allowance += (int64_t)ALLOWANCE_FACTOR * function->node_count;
    if (function->body) count_calls(&inliner, function->body);
  }
  for (size_t i = 0; i < inliner.reached.count; ++i) {
    tn_function_t* function = inliner.reached.functions[i];
    if (!function->body) continue;
    TN_DONE_IF_ERROR(inline_region(&inliner, function->body));
    tn__function_resolve(function);
    tn__function_number(function);
  }
done:
  tn__arena_deinit(&inliner.scratch);
  return status;
}

tn_status_t tn__pass_inline_composites(tn_module_t* module, tn_function_t* entry) {
  return inline_all(module, entry, true);
}

tn_status_t tn__pass_inline_calls(tn_module_t* module, tn_function_t* entry) {
  return inline_all(module, entry, false);
}
