// lower-composites: a composite becomes a call of its decomposition.
#include "pass/passes.h"

static tn_status_t call_decomposition(tn_node_t* node) {
  const tn_attr_t *callee = tn__attr_find(&node->attrs, "decomposition"), *dictionary = NULL;
  const tn_named_attr_t attr = {TN_SV_LITERAL("callee"), callee};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(&node->region->function->module->arena, TN_ATTR_DICTIONARY,
                                         (tn_string_view_t){0}, 1, &attr, &dictionary));
  node->op = TN__OP_OF(func, call);
  node->attrs = dictionary->dictionary;
  return TN_OK;
}

static tn_status_t call_in_region(tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    if (node->op == TN__OP(composite)) TN_RETURN_IF_ERROR(call_decomposition(node));
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(call_in_region(node->regions[i]));
    }
  }
  return TN_OK;
}

static tn_status_t call_in_function(tn_function_t* function, tn_arena_t* scratch) {
  (void)scratch;
  return call_in_region(function->body);
}

tn_status_t tn__pass_lower_composites(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, call_in_function);
}
