// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations that change nothing give way to their operand, iotas become broadcasts, and reductions
// of single elements what their region does to one.
#include "kernel/body_shape.h"
#include "pass/passes.h"

enum { LARGE_SPLAT_BYTES = 4096 };

// Whether the list `name` is 0, 1, 2...
static bool counts_up(const tn_node_t* node, const char* name, tn_arena_t* scratch) {
  tn_i64_list_t list;
  tn_status_t status = tn__attr_get_i64_list(&node->attrs, name, scratch, &list);
  bool result = !status;
  for (size_t i = 0; result && i < list.count; ++i) result = list.values[i] == (int64_t)i;
  tn_status_release(status);
  return result;
}

// Whether the second transpose undoes the first.
static bool undoes(const tn_node_t* second, const tn_node_t* first, tn_arena_t* scratch) {
  tn_i64_list_t a, b;
  tn_status_t status = tn__attr_get_i64_list(&first->attrs, "permutation", scratch, &a);
  if (!status) status = tn__attr_get_i64_list(&second->attrs, "permutation", scratch, &b);
  bool result = !status && a.count == b.count;
  for (size_t i = 0; result && i < a.count; ++i) result = a.values[b.values[i]] == (int64_t)i;
  tn_status_release(status);
  return result;
}

// Of what is joined, all but what has no elements: rolls by nothing have such halves.
static void drop_empty(tn_node_t* concatenate) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < concatenate->operand_count; ++i) {
    const tn_type_t* type = concatenate->operands[i]->type;
    const bool is_empty = tn__type_is_static(type) && tn__type_size(type) == 0;
    if (!is_empty) concatenate->operands[kept++] = concatenate->operands[i];
  }
  if (kept > 0) concatenate->operand_count = kept;
}

// The value that the node's only result equals, bit for bit; NULL when there is none.
TN_APART static tn_value_t* equal_value(const tn_node_t* node, tn_arena_t* scratch) {
  if (node->result_count != 1 || node->operand_count == 0) return NULL;
  tn_value_t* operand = tn__value_resolve(node->operands[0]);
  const tn_op_t* op = node->op;
  if (op == TN__OP(get_tuple_element)) {
    if (!operand->node || operand->node->op != TN__OP(tuple)) return NULL;
    int64_t index = tn__attr_get_integer(&node->attrs, "index", 0);
    return tn__value_resolve(operand->node->operands[index]);
  }
  if (op == TN__OP(transpose) && operand->node && operand->node->op == op &&
      undoes(node, operand->node, scratch)) {
    return tn__value_resolve(operand->node->operands[0]);
  }
  if (!tn_type_equal(operand->type, node->results[0].type)) return NULL;
  if (op == TN__OP(convert) || op == TN__OP(reshape) || op == TN__OP(bitcast_convert))
    return operand;
  if (op == TN__OP(slice) || op == TN__OP(dynamic_slice)) return operand;  // of the same shape: all
  if (op == TN__OP(concatenate) && node->operand_count == 1) return operand;
  if (op == TN__OP(transpose) && counts_up(node, "permutation", scratch)) return operand;
  if (op == TN__OP(broadcast_in_dim) && counts_up(node, "broadcast_dimensions", scratch))
    return operand;
  return tn__op_has(op, TN_IDENTITY) ? operand : NULL;
}

static bool increases(const tn_i64_list_t* list) {
  for (size_t i = 1; i < list->count; ++i) {
    if (list->values[i] <= list->values[i - 1]) return false;
  }
  return true;
}

// A broadcast or transpose that moves nothing in memory, because all it adds or exchanges are
// dimensions of size 1, is a reshape, which costs nothing.
TN_APART static bool is_reshape(const tn_node_t* node, tn_arena_t* scratch) {
  bool is_transpose = node->op == TN__OP(transpose);
  if (!is_transpose && node->op != TN__OP(broadcast_in_dim)) return false;
  const tn_type_t* from = tn__value_resolve(node->operands[0])->type;
  const tn_type_t* to = node->results[0].type;
  if (!tn__type_is_static(from) || !tn__type_is_static(to)) return false;
  if (tn__type_size(from) != tn__type_size(to)) return false;
  tn_i64_list_t list;
  tn_status_t status = tn__attr_get_i64_list(
      &node->attrs, is_transpose ? "permutation" : "broadcast_dimensions", scratch, &list);
  bool result = !status;
  tn_status_release(status);
  if (!result || !is_transpose) return result && increases(&list);
  int64_t last = -1;
  for (size_t i = 0; i < list.count; ++i) {
    if (from->dims[list.values[i]] == 1) continue;
    if (list.values[i] < last) return false;
    last = list.values[i];
  }
  return true;
}

static bool is_large_splat(const tn_node_t* constant) {
  const tn_attr_t* value = tn__attr_find(&constant->attrs, "value");
  return value->elements.splat && tn__type_byte_size(constant->results[0].type) > LARGE_SPLAT_BYTES;
}

// constant dense<x> : tensor<...large...>  becomes  broadcast_in_dim (constant dense<x> :
// tensor<...>)
TN_APART static tn_status_t split_splat(tn_node_t* node) {
  const tn_attr_t* value = tn__attr_find(&node->attrs, "value");
  const tn_type_t* type = node->results[0].type;
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_type_t* scalar = tn__type_scalar(type->dtype);
  const tn_attr_t *element = NULL, *dimensions = NULL, *dictionary = NULL;
  tn_node_t *constant = NULL, *broadcast = NULL;
  TN_RETURN_IF_ERROR(tn__attr_elements(arena, scalar, false, value->elements.data, &element));
  tn_named_attr_t named = {TN_SV_LITERAL("value"), element};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &dictionary));
  TN_RETURN_IF_ERROR(tn__node_insert(node,
                                     &(tn_node_spec_t){.op = TN__OP(constant),
                                                       .result_count = 1,
                                                       .result_types = &scalar,
                                                       .attrs = dictionary->dictionary,
                                                       .location = node->location},
                                     &constant));
  TN_RETURN_IF_ERROR(tn__attr_i64_array(arena, 0, NULL, &dimensions));
  named = (tn_named_attr_t){TN_SV_LITERAL("broadcast_dimensions"), dimensions};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &dictionary));
  tn_value_t* operand = &constant->results[0];
  TN_RETURN_IF_ERROR(tn__node_insert(node,
                                     &(tn_node_spec_t){.op = TN__OP(broadcast_in_dim),
                                                       .operand_count = 1,
                                                       .operands = &operand,
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = dictionary->dictionary,
                                                       .location = node->location},
                                     &broadcast));
  broadcast->results[0].name = node->results[0].name;
  node->results[0].replacement = &broadcast->results[0];
  tn__node_remove(node);
  return TN_OK;
}

// Whether all that reads the value in its own region is elementwise: a broadcast is not stored
// then.
static bool has_elementwise_readers(const tn_value_t* value) {
  for (const tn_node_t* node = value->node->next; node; node = node->next) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      if (node->operands[i] == value && !tn__node_is_elementwise(node)) return false;
    }
  }
  return true;
}

// iota along one of several dimensions  becomes  broadcast_in_dim (iota of that dimension), which
// elementwise operations read as it is.
TN_APART static tn_status_t split_iota(tn_node_t* node) {
  const tn_type_t* type = node->results[0].type;
  tn_pass_attrs_t along = {.arena = &node->region->function->module->arena}, into = along;
  if (!tn__type_is_tensor(type) || !tn__type_is_static(type) || type->rank < 2 ||
      tn__type_byte_size(type) <= LARGE_SPLAT_BYTES ||
      !has_elementwise_readers(&node->results[0])) {
    return TN_OK;
  }
  const int64_t dimension = tn__attr_get_integer(&node->attrs, "iota_dimension", 0);
  const tn_type_t* line = NULL;
  const tn_attr_t* first = NULL;
  tn_value_t *counted = NULL, *result = NULL;
  TN_RETURN_IF_ERROR(tn__type_tensor(along.arena, type->dtype, 1, &type->dims[dimension], &line));
  TN_RETURN_IF_ERROR(tn__attr_integer(along.arena, TN_DTYPE_S64, 0, &first));
  tn__pass_add_attr(&along, "iota_dimension", first);
  TN_RETURN_IF_ERROR(tn__pass_insert(node, node->op, 0, NULL, &along, line, &counted));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&into, "broadcast_dimensions", 1, &dimension));
  TN_RETURN_IF_ERROR(
      tn__pass_insert(node, TN__OP(broadcast_in_dim), 1, &counted, &into, type, &result));
  result->name = node->results[0].name;
  node->results[0].replacement = result;
  tn__node_remove(node);
  return TN_OK;
}

// Whether the operation on this value and another one gives the other one.
static bool is_neutral(const tn_op_t* op, const tn_value_t* value) {
  const tn_attr_t* constant = tn__pass_constant_of(value);
  if (!constant || value->type->dtype != TN_DTYPE_PRED) return false;
  const bool truth = *(const uint8_t*)constant->elements.data != 0;
  return (op == TN__OP(and) && truth) || (op == TN__OP(or) && !truth);
}

// reduce over dimensions of size 1  becomes  its operation on the initial value and the input.
// JAX's checks of indices have it.
TN_APART static tn_status_t reduce_once(tn_node_t* node, tn_arena_t* scratch) {
  if (node->operand_count != 2) return TN_OK;
  tn_value_t* input = tn__value_resolve(node->operands[0]);
  tn_value_t* initial = tn__value_resolve(node->operands[1]);
  const tn_type_t* type = node->results[0].type;
  if (!tn__type_is_static(input->type) || !tn__type_is_static(type)) return TN_OK;
  if (tn__type_size(input->type) != tn__type_size(type) || tn__type_size(type) == 0) return TN_OK;
  if (input->type->dtype != type->dtype || initial->type->dtype != type->dtype) return TN_OK;
  tn_body_shape_t body;
  TN_RETURN_IF_ERROR(tn__body_shape(node->regions[0], scratch, &body));
  if (!body.binary || body.binary_attrs->count) return TN_OK;  // as a comparison's direction
  tn_pass_attrs_t nowhere = {.arena = &node->region->function->module->arena};
  TN_RETURN_IF_ERROR(tn__pass_add_list(&nowhere, "broadcast_dimensions", 0, NULL));
  tn_value_t *operands[2], *result;
  TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(reshape), 1, &input, NULL, type, &operands[1]));
  if (is_neutral(body.binary, initial)) {
    result = operands[1];
  } else {
    TN_RETURN_IF_ERROR(
        tn__pass_insert(node, TN__OP(broadcast_in_dim), 1, &initial, &nowhere, type, &operands[0]));
    TN_RETURN_IF_ERROR(tn__pass_insert(node, body.binary, 2, operands, NULL, type, &result));
  }
  result->name = node->results[0].name;
  node->results[0].replacement = result;
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t simplify_region(tn_region_t* region, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(simplify_region(node->regions[i], scratch));
    }
    if (node->op == TN__OP(iota)) {
      TN_RETURN_IF_ERROR(split_iota(node));
      continue;
    }
    if (node->op == TN__OP(reduce)) {
      TN_RETURN_IF_ERROR(reduce_once(node, scratch));
      continue;
    }
    if (node->op == TN__OP(concatenate)) drop_empty(node);
    tn_value_t* value = equal_value(node, scratch);
    if (value) {
      node->results[0].replacement = value;
      tn__node_remove(node);
    } else if (is_reshape(node, scratch)) {
      node->op = TN__OP(reshape);
      node->attrs = (tn_attr_dictionary_t){0};
    }
  }
  return TN_OK;
}

static tn_status_t simplify_function(tn_function_t* function, tn_arena_t* scratch) {
  TN_RETURN_IF_ERROR(simplify_region(function->body, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_simplify(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, simplify_function);
}

// --- large splats

static tn_status_t split_in_region(tn_region_t* region, const uint32_t* uses) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(split_in_region(node->regions[i], uses));
    }
    if (node->op != TN__OP(constant) || !is_large_splat(node)) continue;
    if (uses[node->results[0].id]) {
      TN_RETURN_IF_ERROR(split_splat(node));
    } else {
      tn__node_remove(node);
    }
  }
  return TN_OK;
}

static tn_status_t split_in_function(tn_function_t* function, tn_arena_t* scratch) {
  uint32_t* uses = NULL;
  tn__function_number(function);
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &uses));
  tn__pass_count_uses(function->body, uses);
  TN_RETURN_IF_ERROR(split_in_region(function->body, uses));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_split_splats(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, split_in_function);
}
