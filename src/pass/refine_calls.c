// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls that have sizes as operands. Once these are known, a call that stands for an
// operation of StableHLO or chlo becomes that operation, with the sizes as attributes; any other
// call loses its shape operands, which are for the compiler: the kernel does not take them.
#include "call/infer.h"
#include "call/operation.h"
#include "ops/rule.h"
#include "pass/refiner.h"

// --- shape operands

static const char shape_operands[] = "indices_of_shape_operands";

static tn_status_t check_index(const tn_node_t* node, int64_t index) {
  if (index >= 0 && index < (int64_t)node->operand_count) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s%s: %s names operand %lld; the call has %u",
                          TN_REFINED_OP(node->op), shape_operands, (long long)index,
                          node->operand_count);
}

// A result whose type is static already keeps it; the operand must not contradict it.
static tn_status_t size_result(tn_refiner_t* refiner, tn_node_t* node, uint32_t number,
                               int64_t operand) {
  tn_value_t* result = &node->results[number];
  const tn_type_t* stated = result->type;
  const int64_t* dims = NULL;
  if (!tn__type_is_tensor(stated)) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s%s: result %u has type %s; expected a tensor, since operand %lld is "
                            "its shape",
                            TN_REFINED_OP(node->op), number, TN_TYPE_TEXT(stated),
                            (long long)operand);
  }
  if (tn__type_is_static(stated) && !tn__pass_constant_of(node->operands[operand])) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__refine_read_operand(refiner, node, (uint32_t)operand, stated->rank, &dims));
  TN_RETURN_IF_ERROR(tn__refine_set_shape(refiner, result, stated->rank, dims));
  if (tn__types_agree(result->type, stated)) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "%s%s: operand %lld gives result %u the type %s; expected %s",
                          TN_REFINED_OP(node->op), (long long)operand, number,
                          TN_TYPE_TEXT(result->type), TN_TYPE_TEXT(stated));
}

// The position of an operand among those that stay.
static int64_t position_among_kept(const tn_i64_list_t* dropped, int64_t operand) {
  int64_t position = operand;
  for (size_t i = 0; i < dropped->count; ++i) {
    bool is_repeated = false;
    for (size_t k = 0; k < i; ++k) is_repeated |= dropped->values[k] == dropped->values[i];
    if (!is_repeated && dropped->values[i] < operand) --position;
  }
  return position;
}

static bool is_dropped(const tn_i64_list_t* dropped, int64_t operand) {
  for (size_t i = 0; i < dropped->count; ++i) {
    if (dropped->values[i] == operand) return true;
  }
  return false;
}

static tn_status_t keep_layouts(tn_refiner_t* refiner, const tn_attr_t* layouts,
                                const tn_i64_list_t* dropped, const tn_attr_t** out_layouts) {
  const tn_attr_t** kept = NULL;
  size_t count = 0;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&refiner->scratch, layouts->array.count, &kept));
  for (size_t i = 0; i < layouts->array.count; ++i) {
    if (!is_dropped(dropped, (int64_t)i)) kept[count++] = layouts->array.items[i];
  }
  return tn__attr_array(refiner->arena, count, kept, out_layouts);
}

// An alias with the number that its operand has once the shape operands are gone.
static tn_status_t renumber_alias(tn_refiner_t* refiner, const tn_node_t* node,
                                  const tn_attr_t* alias, const tn_i64_list_t* dropped,
                                  const tn_attr_t** out_alias) {
  const int64_t operand = tn__attr_get_integer(&alias->dictionary, "operand_index", 0);
  tn_named_attr_t* fields = NULL;
  size_t count = 0;
  if (is_dropped(dropped, operand)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s%s: an alias names operand %lld, which is a shape; expected an "
                            "operand of the kernel",
                            TN_REFINED_OP(node->op), (long long)operand);
  }
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&refiner->scratch, alias->dictionary.count + 1, &fields));
  for (size_t i = 0; i < alias->dictionary.count; ++i) {
    if (tn__sv_is(alias->dictionary.entries[i].name, "operand_index")) continue;
    fields[count++] = alias->dictionary.entries[i];
  }
  fields[count].name = TN_SV_LITERAL("operand_index");
  TN_RETURN_IF_ERROR(tn__attr_integer(refiner->arena, TN_DTYPE_S64,
                                      position_among_kept(dropped, operand), &fields[count].attr));
  return tn__attr_dictionary(refiner->arena, TN_ATTR_STRUCT, alias->name, count + 1, fields,
                             out_alias);
}

static tn_status_t renumber_aliases(tn_refiner_t* refiner, const tn_node_t* node,
                                    const tn_attr_t* aliases, const tn_i64_list_t* dropped,
                                    const tn_attr_t** out_aliases) {
  const tn_attr_t** items = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&refiner->scratch, aliases->array.count, &items));
  for (size_t i = 0; i < aliases->array.count; ++i) {
    TN_RETURN_IF_ERROR(renumber_alias(refiner, node, aliases->array.items[i], dropped, &items[i]));
  }
  return tn__attr_array(refiner->arena, aliases->array.count, items, out_aliases);
}

static tn_status_t drop_from_attrs(tn_refiner_t* refiner, tn_node_t* node,
                                   const tn_i64_list_t* dropped) {
  tn_named_attr_t* entries = NULL;
  const tn_attr_t* dictionary = NULL;
  size_t count = 0;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&refiner->scratch, node->attrs.count, &entries));
  for (size_t i = 0; i < node->attrs.count; ++i) {
    tn_named_attr_t entry = node->attrs.entries[i];
    if (tn__sv_is(entry.name, shape_operands)) continue;
    if (tn__sv_is(entry.name, "operand_layouts")) {
      TN_RETURN_IF_ERROR(keep_layouts(refiner, entry.attr, dropped, &entry.attr));
    } else if (tn__sv_is(entry.name, "output_operand_aliases")) {
      TN_RETURN_IF_ERROR(renumber_aliases(refiner, node, entry.attr, dropped, &entry.attr));
    }
    entries[count++] = entry;
  }
  TN_RETURN_IF_ERROR(tn__attr_dictionary(refiner->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         count, entries, &dictionary));
  node->attrs = dictionary->dictionary;
  return TN_OK;
}

static tn_status_t drop_shape_operands(tn_refiner_t* refiner, tn_node_t* node) {
  tn_i64_list_t dropped;
  uint32_t kept = 0;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&node->attrs, shape_operands, &refiner->scratch, &dropped));
  if (dropped.count != node->result_count) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "%s%s: %s has %zu entries; expected %u, one for each result",
        TN_REFINED_OP(node->op), shape_operands, dropped.count, node->result_count);
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    TN_RETURN_IF_ERROR(check_index(node, dropped.values[i]));
    TN_RETURN_IF_ERROR(size_result(refiner, node, i, dropped.values[i]));
  }
  TN_RETURN_IF_ERROR(drop_from_attrs(refiner, node, &dropped));
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (!is_dropped(&dropped, i)) node->operands[kept++] = node->operands[i];
  }
  node->operand_count = kept;
  return TN_OK;
}

static bool can_follow(const tn_inferred_t* inferred, const tn_type_t* type) {
  if (!inferred->has_shape || !tn__type_is_tensor(type) || inferred->rank != type->rank) {
    return false;
  }
  for (size_t i = 0; i < inferred->rank; ++i) {
    if (inferred->dims[i] == TN_DIM_DYNAMIC) return false;
  }
  return true;
}

// Results whose sizes no operand says have those that the operation infers.
static tn_status_t infer_sizes(tn_refiner_t* refiner, tn_node_t* node) {
  tn_inferred_t* inferred = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&refiner->scratch, node->result_count, &inferred));
  TN_RETURN_IF_ERROR(tn__call_infer_node(node, &refiner->scratch, inferred));
  for (uint32_t i = 0; i < node->result_count; ++i) {
    tn_value_t* result = &node->results[i];
    if (tn__type_is_static(result->type)) continue;
    if (!can_follow(&inferred[i], result->type)) {
      return tn_status_create(TN_CODE_UNIMPLEMENTED,
                              "%s%s: result %u has type %s; expected a static one, one that the "
                              "operation infers, or its sizes as an operand that %s names",
                              TN_REFINED_OP(node->op), i, TN_TYPE_TEXT(result->type),
                              shape_operands);
    }
    TN_RETURN_IF_ERROR(tn__refine_set_shape(refiner, result, inferred[i].rank, inferred[i].dims));
  }
  return TN_OK;
}

// --- operations

static tn_status_t check_counts(const tn_node_t* node, uint32_t operands, uint32_t results) {
  if (node->operand_count == operands && node->result_count == results) return TN_OK;
  return tn_status_create(
      TN_CODE_INVALID_ARGUMENT, "%s%s: %u operands and %u results; expected %u and %u",
      TN_REFINED_OP(node->op), node->operand_count, node->result_count, operands, results);
}

// Gives the node another operation with these attributes, and the first operands.
static tn_status_t become(tn_node_t* node, const tn_op_t* op, uint32_t operand_count,
                          const tn_pass_attrs_t* attrs) {
  const tn_attr_t* dictionary = NULL;
  TN_RETURN_IF_ERROR(tn__attr_dictionary(attrs->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attrs->count, attrs->entries, &dictionary));
  node->op = op;
  node->operand_count = operand_count;
  node->attrs = dictionary->dictionary;
  return TN_OK;
}

static tn_status_t infer_results(tn_refiner_t* refiner, tn_node_t* node) {
  tn_op_use_t use;
  TN_RETURN_IF_ERROR(tn__node_use(node, &refiner->scratch, &use));
  return tn__refine_infer(refiner, node, &use);
}

// The function that a call computes elements with.
static tn_status_t find_computation(const tn_node_t* node, const tn_function_t** out_function) {
  const tn_module_t* module = node->region->function->module;
  const tn_attr_t* called = tn__attr_find(&node->attrs, "called_computations");
  const bool is_one = called && called->kind == TN_ATTR_ARRAY && called->array.count == 1 &&
                      called->array.items[0]->kind == TN_ATTR_SYMBOL;
  *out_function = is_one ? tn__module_find_function(module, called->array.items[0]->string) : NULL;
  if (*out_function) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "%s%s: called_computations names no function of the module; expected one",
                          TN_REFINED_OP(node->op));
}

// Behind arrays and initial values are the dimensions, strides and dilations of windows, and the
// padding.
static tn_status_t refine_window(tn_refiner_t* refiner, tn_node_t* node) {
  static const char* const lists[] = {"window_dimensions", "window_strides", "base_dilations",
                                      "window_dilations"};
  tn_pass_attrs_t attrs = {.arena = refiner->arena};
  const tn_function_t* body = NULL;
  const int64_t* values = NULL;
  const tn_attr_t* padding = NULL;
  const tn_type_t* pairs = NULL;
  TN_RETURN_IF_ERROR(check_counts(node, 2 * node->result_count + 5, node->result_count));
  if (!node->result_count) return check_counts(node, 7, 1);
  TN_RETURN_IF_ERROR(find_computation(node, &body));
  const size_t rank = node->operands[0]->type->rank;
  uint32_t next = 2 * node->result_count;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i, ++next) {
    TN_RETURN_IF_ERROR(tn__refine_read_operand(refiner, node, next, rank, &values));
    TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, lists[i], rank, values));
  }
  TN_RETURN_IF_ERROR(tn__refine_read_operand(refiner, node, next, 2 * rank, &values));
  TN_RETURN_IF_ERROR(tn__type_tensor(refiner->arena, TN_DTYPE_S64, 2,
                                     (const int64_t[]){(int64_t)rank, 2}, &pairs));
  TN_RETURN_IF_ERROR(tn__attr_elements(refiner->arena, pairs, false, values, &padding));
  tn__pass_add_attr(&attrs, "padding", padding);
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(refiner->arena, &node->regions));
  TN_RETURN_IF_ERROR(tn__pass_calling_region(node, body, &node->regions[0]));
  node->regions[0]->parent = node;
  node->region_count = 1;
  TN_RETURN_IF_ERROR(become(node, TN__OP(reduce_window), 2 * node->result_count, &attrs));
  return infer_results(refiner, node);
}

// (state, shape) -> (state, bits)
static tn_status_t refine_rng(tn_refiner_t* refiner, tn_node_t* node) {
  tn_pass_attrs_t attrs = {.arena = refiner->arena};
  const tn_attr_t* algorithm = tn__attr_find(&node->attrs, "rng_algorithm");
  TN_RETURN_IF_ERROR(check_counts(node, 2, 2));
  if (!algorithm) return tn__attr_missing("rng_algorithm", "an enumerator");
  TN_RETURN_IF_ERROR(size_result(refiner, node, 1, 1));
  tn__pass_add_attr(&attrs, "rng_algorithm", algorithm);
  return become(node, TN__OP(rng_bit_generator), 1, &attrs);
}

// (array, k) -> (values, indices)
static tn_status_t refine_top_k(tn_refiner_t* refiner, tn_node_t* node) {
  tn_pass_attrs_t attrs = {.arena = refiner->arena};
  const tn_attr_t* k = NULL;
  const int64_t* value = NULL;
  TN_RETURN_IF_ERROR(check_counts(node, 2, 2));
  TN_RETURN_IF_ERROR(tn__refine_read_operand(refiner, node, 1, 1, &value));
  TN_RETURN_IF_ERROR(tn__attr_integer(refiner->arena, TN_DTYPE_S64, value[0], &k));
  tn__pass_add_attr(&attrs, "k", k);
  TN_RETURN_IF_ERROR(become(node, TN__OP_OF(chlo, top_k), 1, &attrs));
  return infer_results(refiner, node);
}

// ApproxTopK whose last operand is k, which its results have as their size.
static tn_status_t refine_approx_top_k(tn_refiner_t* refiner, tn_node_t* node) {
  const int64_t dimension = tn__pass_top_k_dimension(node);
  const int64_t* k = NULL;
  TN_RETURN_IF_ERROR(check_counts(node, 2 * node->result_count + 1, node->result_count));
  TN_RETURN_IF_ERROR(tn__refine_read_operand(refiner, node, node->operand_count - 1, 1, &k));
  for (uint32_t i = 0; i < node->result_count; ++i) {
    int64_t dims[TN_MAX_RANK];
    const tn_type_t* type = node->operands[i]->type;
    if (tn__type_is_static(node->results[i].type)) continue;
    if (!tn__type_is_tensor(type) || dimension < 0 || dimension >= (int64_t)type->rank) {
      return infer_sizes(refiner, node);
    }
    memcpy(dims, type->dims, type->rank * sizeof *dims);
    dims[dimension] = k[0];
    TN_RETURN_IF_ERROR(tn__refine_set_shape(refiner, &node->results[i], type->rank, dims));
  }
  node->op = tn__op_approx_top_k;
  --node->operand_count;
  return TN_OK;
}

static const struct rule {
  const tn_op_t* const* op;
  tn_status_t (*refine)(tn_refiner_t* refiner, tn_node_t* node);
} rules[] = {
    {&tn__op_dynamic_reduce_window, refine_window},
    {&tn__op_dynamic_rng_bit_generator, refine_rng},
    {&tn__op_dynamic_top_k, refine_top_k},
    {&tn__op_dynamic_approx_top_k, refine_approx_top_k},
    {&tn__op_shape_assertion, NULL},  // refine.c
};

static const struct rule* find_rule(const tn_op_t* op) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
    if (*rules[i].op == op) return &rules[i];
  }
  return NULL;
}

bool tn__refine_has_rule(const tn_node_t* node) {
  if (!tn__op_has(node->op, TN_FOREIGN)) return false;
  if (tn__attr_find(&node->attrs, shape_operands)) return true;
  const tn_string_view_t name = tn__attr_get_string(&node->attrs, "call_target_name");
  const tn_op_t* op = tn__op_is_called(node->op) ? node->op : tn__builtin_find(name);
  return op && find_rule(op);
}

tn_status_t tn__refine_call(tn_refiner_t* refiner, tn_node_t* node) {
  if (tn__attr_find(&node->attrs, shape_operands)) {
    TN_RETURN_IF_ERROR(drop_shape_operands(refiner, node));
  }
  const struct rule* rule = find_rule(node->op);
  return rule && rule->refine ? rule->refine(refiner, node) : infer_sizes(refiner, node);
}
