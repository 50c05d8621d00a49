// Marks chains of element-wise nodes that one loop could compute: a later stage may compile each
// group as a whole.
//
// A node joins the group of an operand when that has the same shape and stands in the same region.
// The mark is the node's `group`, 0 for none; nothing is moved.
#include "pass/passes.h"

static bool can_fuse(const tn_node_t* node) {
  return node->result_count == 1 && node->region_count == 0 &&
         tn__op_has(node->op, TN_PURE | TN_ELEMENTWISE) &&
         tn__type_is_tensor(node->results[0].type) && tn__type_is_static(node->results[0].type);
}

static tn_node_t* partner(const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn_node_t* operand = node->operands[i]->node;
    if (operand && operand->region == node->region && can_fuse(operand) &&
        tn__type_same_shape(operand->results[0].type, node->results[0].type)) {
      return operand;
    }
  }
  return NULL;
}

static void mark_region(tn_region_t* region, uint32_t* count) {
  TN_FOR_EACH_NODE (node, region) {
    node->group = 0;
    for (uint32_t i = 0; i < node->region_count; ++i) mark_region(node->regions[i], count);
    if (!can_fuse(node)) continue;
    tn_node_t* other = partner(node);
    if (!other) continue;
    if (other->group == 0) other->group = ++*count;
    node->group = other->group;
  }
}

static tn_status_t mark_function(tn_function_t* function, tn_arena_t* scratch) {
  uint32_t count = 0;
  (void)scratch;
  mark_region(function->body, &count);
  return TN_OK;
}

tn_status_t tn__pass_mark_fusions(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, mark_function);
}
