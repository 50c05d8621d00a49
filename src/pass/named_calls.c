// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls that name an operation: exporters wrote operations of chlo into artifacts as calls
// @mhlo.NAME whose attributes are a dictionary, XLA writes a top-k as @TopK, and JAX an array whose
// elements do not matter as @AllocateBuffer.
#include "call/operation.h"
#include "kernel/target.h"
#include "pass/passes.h"

static tn_status_t misfit(const tn_node_t* node, const char* expected) {
  const tn_string_view_t name = tn__attr_get_string(&node->attrs, "call_target_name");
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "custom call @%.*s: expected %s", TN_SV(name),
                          expected);
}

// --- functions of one array

// The unary operation of chlo behind "mhlo."; NULL: there is none.
static const tn_op_t* find_unary(tn_string_view_t name) {
  char full[64];
  const int length =
      name.length > 5 && memcmp(name.data, "mhlo.", 5) == 0
          ? snprintf(full, sizeof full, "chlo.%.*s", (int)(name.length - 5), name.data + 5)
          : 0;
  if (length <= 0 || (size_t)length >= sizeof full) return NULL;
  const tn_op_t* op = tn__op_find(tn__sv(full));
  return op && op->operands == 1 && op->results == 1 && tn__op_has(op, TN_PURE | TN_ELEMENTWISE)
             ? op
             : NULL;
}

static tn_status_t become_unary(tn_node_t* node, const tn_op_t* op) {
  if (node->operand_count != 1 || node->result_count != 1) {
    return misfit(node, "one operand and one result");
  }
  node->op = op;
  node->attrs = (tn_attr_dictionary_t){0};
  return TN_OK;
}

// --- the largest elements

// What the call says in the dictionary of its attributes, or itself.
static const tn_attr_t* find_setting(const tn_node_t* node, const char* name) {
  const tn_attr_t* attributes = tn__attr_find(&node->attrs, "mhlo.attributes");
  const bool is_inside = attributes && attributes->kind == TN_ATTR_DICTIONARY;
  const tn_attr_t* inside = is_inside ? tn__attr_find(&attributes->dictionary, name) : NULL;
  return inside ? inside : tn__attr_find(&node->attrs, name);
}

// Whether the order that the call states, if it states one, has the largest elements first.
static bool takes_largest(const tn_node_t* node) {
  const tn_attr_t* largest = find_setting(node, "largest");
  const tn_attr_t* called = tn__attr_find(&node->attrs, "called_computations");
  if (largest && (largest->kind != TN_ATTR_BOOL || !largest->boolean)) return false;
  if (!called || called->kind != TN_ATTR_ARRAY || !called->array.count) return true;
  const tn_attr_t* first = called->array.items[0];
  const tn_function_t* order =
      first->kind == TN_ATTR_SYMBOL
          ? tn__module_find_function(node->region->function->module, first->string)
          : NULL;
  const tn_node_t* last = order && order->body ? order->body->last : NULL;
  const tn_node_t* compare = last && last->operand_count == 1 ? last->operands[0]->node : NULL;
  return compare && compare->op == TN__OP(compare) &&
         tn__attr_get_enum(&compare->attrs, "comparison_direction", -1) ==
             TN_ENUM_comparison_direction_GT &&
         compare->operands[0] == &order->body->arguments[0] &&
         compare->operands[1] == &order->body->arguments[1];
}

// k, which the call states or the results have as their last size; -1: unknown.
static int64_t count_of(const tn_node_t* node, const tn_type_t* values) {
  const tn_attr_t* k = find_setting(node, "k");
  if (k) return k->kind == TN_ATTR_INTEGER ? k->integer : -1;
  const bool is_there = tn__type_is_tensor(values) && values->rank > 0;
  return is_there ? values->dims[values->rank - 1] : -1;
}

// The call's results: two, or one tuple of two.
static tn_status_t replace_by_top_k(tn_node_t* node, const tn_type_t* const types[2],
                                    const tn_pass_attrs_t* attrs) {
  const tn_attr_t* dictionary = NULL;
  tn_node_t* top_k = NULL;
  TN_RETURN_IF_ERROR(tn__attr_dictionary(attrs->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attrs->count, attrs->entries, &dictionary));
  if (node->result_count == 2) {
    node->op = TN__OP_OF(chlo, top_k);
    node->attrs = dictionary->dictionary;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__node_insert(node,
                                     &(tn_node_spec_t){.op = TN__OP_OF(chlo, top_k),
                                                       .operand_count = 1,
                                                       .operands = node->operands,
                                                       .result_count = 2,
                                                       .result_types = types,
                                                       .attrs = dictionary->dictionary,
                                                       .location = node->location},
                                     &top_k));
  tn_value_t* parts[] = {&top_k->results[0], &top_k->results[1]};
  TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(tuple), 2, parts, NULL, node->results[0].type,
                                     &node->results[0].replacement));
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t become_top_k(tn_node_t* node) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  const tn_type_t* tuple = node->result_count == 1 ? node->results[0].type : NULL;
  const bool is_tuple = tuple && tuple->kind == TN_TYPE_TUPLE && tuple->element_count == 2;
  const tn_attr_t* k = NULL;
  if (node->operand_count != 1 || (node->result_count != 2 && !is_tuple)) {
    return misfit(node, "an array, and values and indices as the results or one tuple of them");
  }
  const tn_type_t* const types[] = {is_tuple ? tuple->elements[0] : node->results[0].type,
                                    is_tuple ? tuple->elements[1] : node->results[1].type};
  const int64_t count = count_of(node, types[0]);
  if (!takes_largest(node)) return misfit(node, "the largest elements first");
  if (count < 0) return misfit(node, "k among the attributes, or results of known size");
  TN_RETURN_IF_ERROR(tn__attr_integer(attrs.arena, TN_DTYPE_S64, count, &k));
  tn__pass_add_attr(&attrs, "k", k);
  return replace_by_top_k(node, types, &attrs);
}

// --- memory

// Its elements may be anything: zeros, so that a program gives the same results every time.
static tn_status_t become_zeros(tn_node_t* node) {
  static const uint64_t zero[2] = {0, 0};
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_type_t* type = node->result_count == 1 ? node->results[0].type : NULL;
  const tn_attr_t *value = NULL, *dictionary = NULL;
  if (node->operand_count || !type || !tn__type_is_tensor(type)) {
    return misfit(node, "no operand and one array as the result");
  }
  if (!tn__type_is_static(type)) return TN_OK;  // its shape operands are still there
  TN_RETURN_IF_ERROR(tn__attr_elements(arena, type, true, zero, &value));
  const tn_named_attr_t named = {TN_SV_LITERAL("value"), value};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &dictionary));
  node->op = TN__OP(constant);
  node->attrs = dictionary->dictionary;
  return TN_OK;
}

tn_status_t tn__pass_name_operation(tn_node_t* node) {
  const tn_string_view_t name = tn__attr_get_string(&node->attrs, "call_target_name");
  const tn_registered_op_t* registered = tn__op_registered(node->op);
  if (!registered || registered->target_count) return TN_OK;
  const tn_op_t* unary = find_unary(name);
  if (unary) return become_unary(node, unary);
  if (tn__sv_is(name, "mhlo.topk") || tn__sv_is(name, "TopK")) return become_top_k(node);
  const bool has_sizes = !tn__attr_find(&node->attrs, "indices_of_shape_operands");
  return tn__sv_is(name, "AllocateBuffer") && has_sizes ? become_zeros(node) : TN_OK;
}
