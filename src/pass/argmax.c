// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// split-argmax: JAX's argmax and argmin reduce the elements together with an iota, by a region that
// compares both. Where only the place is used, that is the least index among those whose element
// equals the greatest one or is NaN: two reductions by known operations, which have vector loops
// and are fused.
#include <math.h>

#include "base/float_format.h"
#include "pass/passes.h"

// reduce(values, iota) of which only the second result is used.
typedef struct argmax {
  bool is_largest;
  int64_t dimension;
} argmax_t;

static bool compares(const tn_value_t* value, const char* direction, const tn_value_t* a,
                     const tn_value_t* b) {
  const tn_node_t* node = value->node;
  if (!node || node->op != TN__OP(compare)) return false;
  const tn_attr_t* attr = tn__attr_find(&node->attrs, "comparison_direction");
  const tn_attr_t* type = tn__attr_find(&node->attrs, "compare_type");
  if (type && tn__sv_is(type->string, "TOTALORDER")) return false;  // NaN and zeros have places
  return attr && attr->kind == TN_ATTR_ENUM && tn__sv_is(attr->string, direction) &&
         node->operands[0] == a && node->operands[1] == b;
}

// Both operands of the operation, in this order.
static bool is_pair(const tn_value_t* value, const tn_op_t* op, const tn_value_t** out_first,
                    const tn_value_t** out_second) {
  if (!value->node || value->node->op != op || value->node->operand_count != 2) return false;
  *out_first = value->node->operands[0];
  *out_second = value->node->operands[1];
  return true;
}

static bool selects(const tn_value_t* value, const tn_value_t* condition, const tn_value_t* a,
                    const tn_value_t* b) {
  const tn_node_t* node = value->node;
  return node && node->op == TN__OP(select) && node->operands[0] == condition &&
         node->operands[1] == a && node->operands[2] == b;
}

// (best, place, x, i): takes = best > x or best is NaN; keeps = takes or best == x and place < i;
// returns (takes ? best : x, keeps ? place : i).
static bool is_argmax(const tn_region_t* region, bool* out_is_largest) {
  const tn_node_t* last = region->last;
  if (region->argument_count != 4 || !last || last->operand_count != 2) return false;
  const tn_value_t *best = &region->arguments[0], *place = &region->arguments[1];
  const tn_value_t *x = &region->arguments[2], *i = &region->arguments[3];
  const tn_node_t* selected = last->operands[1]->node;
  if (!selected || selected->op != TN__OP(select)) return false;
  const tn_value_t *keeps = selected->operands[0], *takes, *tie, *before, *is_nan, *equal, *first;
  if (!is_pair(keeps, TN__OP(or), &takes, &tie) || !is_pair(takes, TN__OP(or), &before, &is_nan) ||
      !is_pair(tie, TN__OP(and), &equal, &first)) {
    return false;
  }
  *out_is_largest = compares(before, "GT", best, x);
  return (*out_is_largest || compares(before, "LT", best, x)) &&
         compares(is_nan, "NE", best, best) && compares(equal, "EQ", best, x) &&
         compares(first, "LT", place, i) && selects(last->operands[0], takes, best, x) &&
         selects(last->operands[1], keeps, place, i);
}

static bool is_infinite(const tn_value_t* value, bool is_negative) {
  const tn_attr_t* attr = tn__pass_constant_of(value);
  if (!attr || tn_dtype_kind(attr->elements.type->dtype) != TN_KIND_FLOAT) return false;
  const double number = tn__float_load(attr->elements.type->dtype, attr->elements.data);
  return number == (is_negative ? -(double)INFINITY : (double)INFINITY);
}

static bool is_zero(const tn_value_t* value) {
  static const char zeros[8] = {0};
  const tn_attr_t* attr = tn__pass_constant_of(value);
  const size_t size = attr ? tn_dtype_byte_size(attr->elements.type->dtype) : 0;
  return size > 0 && size <= sizeof zeros && memcmp(attr->elements.data, zeros, size) == 0;
}

static bool read_argmax(const tn_node_t* node, const uint32_t* uses, tn_arena_t* scratch,
                        argmax_t* out) {
  tn_i64_list_t dimensions;
  if (node->op != TN__OP(reduce) || node->operand_count != 4 || uses[node->results[0].id] ||
      !is_argmax(node->regions[0], &out->is_largest)) {
    return false;
  }
  tn_status_t status = tn__attr_get_i64_list(&node->attrs, "dimensions", scratch, &dimensions);
  tn_status_release(status);
  if (status || dimensions.count != 1) return false;
  out->dimension = dimensions.values[0];
  const tn_type_t *values = node->operands[0]->type, *places = node->operands[1]->type;
  const tn_node_t* iota = tn__value_resolve(node->operands[1])->node;
  return iota && iota->op == TN__OP(iota) &&
         tn__attr_get_integer(&iota->attrs, "iota_dimension", -1) == out->dimension &&
         tn__type_is_static(values) && values->dims[out->dimension] > 0 &&
         values->dims[out->dimension] <= INT32_MAX &&
         (places->dtype == TN_DTYPE_S32 || places->dtype == TN_DTYPE_S64) &&
         node->results[0].type->dtype == values->dtype &&
         node->results[1].type->dtype == places->dtype &&
         is_infinite(node->operands[2], out->is_largest) && is_zero(node->operands[3]);
}

static tn_status_t insert_comparison(tn_node_t* node, const char* direction, tn_value_t* a,
                                     tn_value_t* b, const tn_type_t* type, tn_value_t** out_value) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_enum(attrs.arena, "comparison_direction", tn__sv(direction), &attr));
  tn__pass_add_attr(&attrs, "comparison_direction", attr);
  return tn__pass_insert(node, TN__OP(compare), 2, (tn_value_t*[]){a, b}, &attrs, type, out_value);
}

static tn_status_t broadcast(tn_node_t* node, tn_value_t** value, size_t count,
                             const int64_t* dimensions, const tn_type_t* type) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "broadcast_dimensions", count, dimensions));
  return tn__pass_insert(node, TN__OP(broadcast_in_dim), 1, value, &attrs, type, value);
}

// 0, 1, 2... along the dimension, and what is above all of them.
static tn_status_t make_places(tn_node_t* node, int64_t dimension, const tn_type_t* type,
                               tn_value_t** out_places, tn_value_t** out_none) {
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_type_t* line = NULL;
  tn_pass_attrs_t attrs = {.arena = arena};
  const tn_attr_t *zero = NULL, *value = NULL;
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, type->dtype, 1, &type->dims[dimension], &line));
  TN_RETURN_IF_ERROR(tn__attr_integer(arena, TN_DTYPE_S64, 0, &zero));
  tn__pass_add_attr(&attrs, "iota_dimension", zero);
  TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(iota), 0, NULL, &attrs, line, out_places));
  TN_RETURN_IF_ERROR(broadcast(node, out_places, 1, &dimension, type));
  const int32_t most = INT32_MAX;
  attrs = (tn_pass_attrs_t){.arena = arena};
  TN_RETURN_IF_ERROR(tn__attr_elements(arena, tn__type_scalar(type->dtype), false, &most, &value));
  tn__pass_add_attr(&attrs, "value", value);
  return tn__pass_insert(node, TN__OP(constant), 0, NULL, &attrs, tn__type_scalar(type->dtype),
                         out_none);
}

TN_APART static tn_status_t split(tn_node_t* node, const argmax_t* argmax) {
  tn_value_t* x = tn__value_resolve(node->operands[0]);
  const tn_type_t *type = x->type, *truth = NULL;
  const tn_type_t *place_type = NULL, *first_type = NULL;  // 32 bits are enough
  tn_arena_t* arena = &node->region->function->module->arena;
  tn_value_t *best, *places, *none, *equal, *is_nan, *is_best, *candidates, *first;
  int64_t kept[TN_MAX_RANK];
  size_t count = 0;
  for (int64_t d = 0; d < (int64_t)type->rank; ++d) {
    if (d != argmax->dimension) kept[count++] = d;
  }
  const tn_type_t* wanted = node->results[1].type;
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, TN_DTYPE_PRED, type->rank, type->dims, &truth));
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, TN_DTYPE_S32, type->rank, type->dims, &place_type));
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, TN_DTYPE_S32, wanted->rank, wanted->dims, &first_type));
  TN_RETURN_IF_ERROR(tn__pass_insert_reduce(
      node, argmax->is_largest ? TN__OP(maximum) : TN__OP(minimum), x, node->operands[2], 1,
      &argmax->dimension, node->results[0].type, &best));
  TN_RETURN_IF_ERROR(broadcast(node, &best, count, kept, type));
  TN_RETURN_IF_ERROR(insert_comparison(node, "EQ", x, best, truth, &equal));
  TN_RETURN_IF_ERROR(insert_comparison(node, "NE", x, x, truth, &is_nan));
  TN_RETURN_IF_ERROR(
      tn__pass_insert(node, TN__OP(or), 2, (tn_value_t*[]){equal, is_nan}, NULL, truth, &is_best));
  TN_RETURN_IF_ERROR(make_places(node, argmax->dimension, place_type, &places, &none));
  tn_value_t* initial = none;
  TN_RETURN_IF_ERROR(broadcast(node, &none, 0, NULL, place_type));
  TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(select), 3,
                                     (tn_value_t*[]){is_best, places, none}, NULL, place_type,
                                     &candidates));
  TN_RETURN_IF_ERROR(tn__pass_insert_reduce(node, TN__OP(minimum), candidates, initial, 1,
                                            &argmax->dimension, first_type, &first));
  if (wanted->dtype != TN_DTYPE_S32) {
    TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(convert), 1, &first, NULL, wanted, &first));
  }
  first->name = node->results[1].name;
  node->results[1].replacement = first;
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t split_region(tn_region_t* region, const uint32_t* uses, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    argmax_t argmax;
    if (read_argmax(node, uses, scratch, &argmax)) {
      TN_RETURN_IF_ERROR(split(node, &argmax));
      continue;
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(split_region(node->regions[i], uses, scratch));
    }
  }
  return TN_OK;
}

static tn_status_t split_function(tn_function_t* function, tn_arena_t* scratch) {
  uint32_t* uses = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &uses));
  tn__pass_count_uses(function->body, uses);
  TN_RETURN_IF_ERROR(split_region(function->body, uses, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_split_argmax(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, split_function);
}
