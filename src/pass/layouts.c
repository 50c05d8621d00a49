// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// normalize-layouts: custom calls whose operand_layouts or result_layouts are not row-major. The
// memory of an array of layout [0, 1] is that of its row-major transpose: so an operand is
// transposed, stored, and transposed back for the call, which then reads a view of that layout; and
// results are transposed to the layout of the memory, and back for their users. No value changes.
// The transposes next to the call become views (plan/views.c); barriers keep passes from removing
// the others.
#include "pass/passes.h"

typedef struct normalizer {
  tn_node_t* node;
  tn_arena_t* arena;  // the module's
  tn_arena_t* scratch;
} normalizer_t;

// The order of the dimensions in memory, the one that varies slowest first; *out_is_row_major when
// that is 0, 1, 2...
static tn_status_t read_layout(const normalizer_t* normalizer, const tn_attr_t* layouts,
                               size_t index, tn_i64_list_t* out_order, bool* out_is_row_major) {
  const tn_named_attr_t entry = {TN_SV_LITERAL("layout"), layouts->array.items[index]};
  const tn_attr_dictionary_t dictionary = {1, &entry};
  tn_i64_list_t list;
  *out_is_row_major = true;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&dictionary, "layout", normalizer->scratch, &list));
  int64_t* order = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(normalizer->scratch, list.count, &order));
  for (size_t i = 0; i < list.count; ++i) {
    order[i] = list.values[list.count - 1 - i];
    if (order[i] != (int64_t)i) *out_is_row_major = false;
  }
  *out_order = (tn_i64_list_t){true, list.count, order};
  return TN_OK;
}

static tn_status_t physical_type(const normalizer_t* normalizer, const tn_type_t* type,
                                 const tn_i64_list_t* order, const tn_type_t** out_type) {
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < order->count; ++i) dims[i] = type->dims[order->values[i]];
  return tn__type_tensor(normalizer->arena, type->dtype, type->rank, dims, out_type);
}

// Inserts a node with one result before the call.
static tn_status_t insert(const normalizer_t* normalizer, const tn_op_t* op, size_t operand_count,
                          tn_value_t* const* operands, const char* attr_name, const tn_attr_t* attr,
                          const tn_type_t* type, tn_value_t** out_value) {
  const tn_attr_t* attrs = NULL;
  const tn_named_attr_t named = {tn__sv(attr_name), attr};
  tn_node_t* node = NULL;
  TN_RETURN_IF_ERROR(tn__attr_dictionary(normalizer->arena, TN_ATTR_DICTIONARY,
                                         (tn_string_view_t){0}, attr ? 1 : 0, &named, &attrs));
  TN_RETURN_IF_ERROR(tn__node_insert(normalizer->node,
                                     &(tn_node_spec_t){.op = op,
                                                       .operand_count = operand_count,
                                                       .operands = operands,
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = attrs->dictionary,
                                                       .location = normalizer->node->location},
                                     &node));
  *out_value = &node->results[0];
  return TN_OK;
}

static tn_status_t transpose(const normalizer_t* normalizer, tn_value_t* value,
                             const tn_i64_list_t* order, const tn_type_t* type,
                             tn_value_t** out_value) {
  const tn_attr_t* permutation = NULL;
  TN_RETURN_IF_ERROR(
      tn__attr_i64_array(normalizer->arena, order->count, order->values, &permutation));
  return insert(normalizer, TN__OP(transpose), 1, &value, "permutation", permutation, type,
                out_value);
}

static tn_status_t transpose_back(const normalizer_t* normalizer, tn_value_t* value,
                                  const tn_i64_list_t* order, const tn_type_t* type,
                                  tn_value_t** out_value) {
  int64_t inverse[TN_MAX_RANK];
  for (size_t i = 0; i < order->count; ++i) inverse[order->values[i]] = (int64_t)i;
  const tn_i64_list_t back = {true, order->count, inverse};
  return transpose(normalizer, value, &back, type, out_value);
}

static tn_status_t element_of(const normalizer_t* normalizer, tn_value_t* tuple, size_t index,
                              tn_value_t** out_value) {
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_integer(normalizer->arena, TN_DTYPE_S32, (int64_t)index, &attr));
  return insert(normalizer, TN__OP(get_tuple_element), 1, &tuple, "index", attr,
                tuple->type->elements[index], out_value);
}

// The results, or the elements of the only one if that is a tuple: what result_layouts speak of.
typedef struct result_list {
  bool is_tuple;
  size_t count;
  const tn_type_t* const* types;
} result_list_t;

static tn_status_t list_results(const normalizer_t* normalizer, result_list_t* out) {
  const tn_node_t* node = normalizer->node;
  const tn_type_t* only = node->result_count == 1 ? node->results[0].type : NULL;
  if (only && only->kind == TN_TYPE_TUPLE) {
    *out = (result_list_t){true, only->element_count, only->elements};
    return TN_OK;
  }
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(normalizer->scratch, node->result_count, &types));
  for (uint32_t i = 0; i < node->result_count; ++i) types[i] = node->results[i].type;
  *out = (result_list_t){false, node->result_count, types};
  return TN_OK;
}

static tn_status_t make_call(const normalizer_t* normalizer, tn_value_t* const* operands,
                             tn_node_t** out_call) {
  const tn_node_t* node = normalizer->node;
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(normalizer->scratch, node->result_count, &types));
  for (uint32_t i = 0; i < node->result_count; ++i) types[i] = node->results[i].type;
  return tn__node_insert(normalizer->node,
                         &(tn_node_spec_t){.op = node->op,
                                           .operand_count = node->operand_count,
                                           .operands = operands,
                                           .result_count = node->result_count,
                                           .result_types = types,
                                           .attrs = node->attrs,
                                           .location = node->location},
                         out_call);
}

// The value as `order` has it in memory, and then as it was.
static tn_status_t transpose_there_and_back(const normalizer_t* normalizer,
                                            const tn_i64_list_t* order, tn_value_t** value) {
  const tn_type_t *type = (*value)->type, *turned = NULL;
  TN_RETURN_IF_ERROR(physical_type(normalizer, type, order, &turned));
  TN_RETURN_IF_ERROR(transpose(normalizer, *value, order, turned, value));
  TN_RETURN_IF_ERROR(
      insert(normalizer, TN__OP(optimization_barrier), 1, value, NULL, NULL, turned, value));
  return transpose_back(normalizer, *value, order, type, value);
}

// What takes the place of the node's results.
static tn_status_t replace_results(const normalizer_t* normalizer, tn_node_t* call,
                                   const result_list_t* results, const tn_i64_list_t* orders,
                                   const bool* is_row_major) {
  tn_node_t* node = normalizer->node;
  tn_value_t** values = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(normalizer->scratch, results->count, &values));
  for (size_t i = 0; i < results->count; ++i) {
    values[i] = &call->results[i];
    if (results->is_tuple) {
      TN_RETURN_IF_ERROR(element_of(normalizer, &call->results[0], i, &values[i]));
    }
    if (!is_row_major[i]) {
      TN_RETURN_IF_ERROR(transpose_there_and_back(normalizer, &orders[i], &values[i]));
    }
    if (!results->is_tuple) node->results[i].replacement = values[i];
  }
  if (!results->is_tuple) return TN_OK;
  tn_value_t* tuple = NULL;
  TN_RETURN_IF_ERROR(insert(normalizer, TN__OP(tuple), results->count, values, NULL, NULL,
                            node->results[0].type, &tuple));
  node->results[0].replacement = tuple;
  return TN_OK;
}

TN_APART static tn_status_t normalize_call(tn_node_t* node, tn_arena_t* scratch) {
  const tn_attr_t* operand_layouts = tn__attr_find(&node->attrs, "operand_layouts");
  const tn_attr_t* result_layouts = tn__attr_find(&node->attrs, "result_layouts");
  if (!operand_layouts) return TN_OK;
  const normalizer_t normalizer = {node, &node->region->function->module->arena, scratch};
  result_list_t results;
  bool turns = false;
  TN_RETURN_IF_ERROR(list_results(&normalizer, &results));
  size_t count = (size_t)node->operand_count + results.count;
  tn_i64_list_t* orders = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &orders));
  bool* is_row_major = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &is_row_major));
  for (size_t i = 0; i < count; ++i) {
    bool is_operand = i < node->operand_count;
    TN_RETURN_IF_ERROR(read_layout(&normalizer, is_operand ? operand_layouts : result_layouts,
                                   is_operand ? i : i - node->operand_count, &orders[i],
                                   &is_row_major[i]));
    turns |= !is_row_major[i];
  }
  if (!turns) return TN_OK;
  tn_value_t** operands = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, node->operand_count, &operands));
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    operands[i] = tn__value_resolve(node->operands[i]);
    if (is_row_major[i]) continue;
    TN_RETURN_IF_ERROR(transpose_there_and_back(&normalizer, &orders[i], &operands[i]));
  }
  orders += node->operand_count;
  is_row_major += node->operand_count;
  tn_node_t* call = NULL;
  TN_RETURN_IF_ERROR(make_call(&normalizer, operands, &call));
  TN_RETURN_IF_ERROR(replace_results(&normalizer, call, &results, orders, is_row_major));
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t normalize_region(tn_region_t* region, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(normalize_region(node->regions[i], scratch));
    }
    if (tn__op_has(node->op, TN_FOREIGN)) TN_RETURN_IF_ERROR(normalize_call(node, scratch));
  }
  return TN_OK;
}

static tn_status_t normalize_function(tn_function_t* function, tn_arena_t* scratch) {
  TN_RETURN_IF_ERROR(normalize_region(function->body, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_normalize_layouts(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, normalize_function);
}
