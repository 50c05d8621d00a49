// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// lower-composites: a composite becomes the operation that it is named after, as jax.export names
// functions of chlo that StableHLO has not, or else a call of its decomposition.
#include "kernel/target.h"
#include "pass/passes.h"

// Elementwise operations of chlo that the target computes, on floats that are of one type, and
// without attributes.
static tn_status_t find_operation(const tn_node_t* node, tn_arena_t* scratch,
                                  const tn_op_t** out_op) {
  const tn_compile_target_t* target = node->region->function->module->target;
  const tn_attr_t* attributes = tn__attr_find(&node->attrs, "composite_attributes");
  const tn_string_view_t name = tn__attr_get_string(&node->attrs, "name");
  const tn_op_t* op = tn__op_find(name);
  tn_op_use_t use;
  *out_op = NULL;
  if (!op || !target || strncmp(op->name, "chlo.", 5) != 0 || node->result_count != 1 ||
      !tn__op_has(op, TN_PURE | TN_ELEMENTWISE) || node->operand_count == 0 ||
      (attributes && attributes->dictionary.count)) {
    return TN_OK;
  }
  const tn_type_t* type = node->results[0].type;
  if (!tn__type_is_tensor(type) || tn_dtype_kind(type->dtype) != TN_KIND_FLOAT) return TN_OK;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_type_t* own = node->operands[i]->type;
    if (!tn__type_same_shape(own, type) || own->dtype != type->dtype) return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  use.op = op;
  use.attrs = (tn_attr_dictionary_t){0};
  tn_status_t status = tn__op_check(&use);
  if (!status && tn__kernel_find(target, &use)) *out_op = op;
  tn_status_release(status);
  return TN_OK;
}

static tn_status_t call_decomposition(tn_node_t* node) {
  const tn_attr_t *callee = tn__attr_find(&node->attrs, "decomposition"), *dictionary = NULL;
  const tn_named_attr_t attr = {TN_SV_LITERAL("callee"), callee};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(&node->region->function->module->arena, TN_ATTR_DICTIONARY,
                                         (tn_string_view_t){0}, 1, &attr, &dictionary));
  node->op = TN__OP_OF(func, call);
  node->attrs = dictionary->dictionary;
  return TN_OK;
}

static tn_status_t lower(tn_node_t* node, tn_arena_t* scratch) {
  const tn_op_t* op = NULL;
  TN_RETURN_IF_ERROR(find_operation(node, scratch, &op));
  if (!op) return call_decomposition(node);
  node->op = op;
  node->attrs = (tn_attr_dictionary_t){0};
  return TN_OK;
}

static tn_status_t lower_in_region(tn_region_t* region, tn_arena_t* scratch) {
  TN_FOR_EACH_NODE (node, region) {
    if (node->op == TN__OP(composite)) TN_RETURN_IF_ERROR(lower(node, scratch));
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(lower_in_region(node->regions[i], scratch));
    }
  }
  return TN_OK;
}

static tn_status_t lower_in_function(tn_function_t* function, tn_arena_t* scratch) {
  return lower_in_region(function->body, scratch);
}

tn_status_t tn__pass_lower_composites(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, lower_in_function);
}
