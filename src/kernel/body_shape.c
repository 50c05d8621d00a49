// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/body_shape.h"

#include "base/float_format.h"

// --- one binary operation

static void find_binary(const tn_region_t* region, tn_body_shape_t* shape) {
  const tn_node_t* node = region->first;
  if (region->argument_count != 2 || !node || !node->next || node->next != region->last) return;
  const tn_node_t* last = region->last;
  if (node->operand_count != 2 || node->result_count != 1 || node->region_count != 0 ||
      last->operand_count != 1 || last->operands[0] != &node->results[0] ||
      !tn__op_has(node->op, TN_PURE | TN_ELEMENTWISE)) {
    return;
  }
  const tn_value_t* a = &region->arguments[0];
  const tn_value_t* b = &region->arguments[1];
  const bool in_order = node->operands[0] == a && node->operands[1] == b;
  const bool exchanged = node->operands[0] == b && node->operands[1] == a;
  if (in_order || (exchanged && tn__op_has(node->op, TN_COMMUTATIVE))) {
    shape->binary = node->op;
    shape->binary_attrs = &node->attrs;
  }
}

static void find_forwarded(const tn_region_t* region, tn_body_shape_t* shape) {
  const tn_node_t* last = region->last;
  if (!last || last->operand_count != 1 || last->operands[0]->node ||
      last->operands[0]->region != region) {
    return;
  }
  shape->forwarded = 1 + last->operands[0]->index;
}

// --- comparators

enum { NESTING_LIMIT = 16 };

// An argument of the comparator, on its way into a comparison.
typedef struct key_value {
  const tn_value_t* argument;  // NULL: something else
  bool merges_zeros, merges_nans;
} key_value_t;

static const tn_node_t* made_by(const tn_value_t* value, const tn_op_t* op) {
  return value->node && value->node->op == op ? value->node : NULL;
}

static int enum_of(const tn_node_t* node, const char* attr_name, const char* enum_name) {
  const tn_attr_t* attr = tn__attr_find(&node->attrs, attr_name);
  return attr && attr->kind == TN_ATTR_ENUM ? tn__enum_value(enum_name, attr->string) : -1;
}

static bool compares(const tn_node_t* node, const char* direction) {
  return enum_of(node, "comparison_direction", "comparison_direction") ==
         tn__enum_value("comparison_direction", tn__sv(direction));
}

// The value of a constant that is one float.
static bool float_constant(const tn_value_t* value, double* out_value) {
  const tn_node_t* node = made_by(value, TN__OP(constant));
  const tn_attr_t* attr = node ? tn__attr_find(&node->attrs, "value") : NULL;
  if (!attr || attr->kind != TN_ATTR_ELEMENTS || tn__type_size(attr->elements.type) != 1 ||
      tn_dtype_kind(attr->elements.type->dtype) != TN_KIND_FLOAT) {
    return false;
  }
  *out_value = tn__float_load(attr->elements.type->dtype, attr->elements.data);
  return true;
}

// An argument; or `select(x == 0, 0, y)` or `select(x != x, nan, y)` where y is x or the other one
// of it.
static key_value_t find_key(const tn_region_t* region, const tn_value_t* value, int depth) {
  const key_value_t none = {NULL, false, false};
  if (!value->node) {
    return value->region == region ? (key_value_t){value, false, false} : none;
  }
  const tn_node_t* select = made_by(value, TN__OP(select));
  const tn_node_t* compare = select ? made_by(select->operands[0], TN__OP(compare)) : NULL;
  double chosen;
  if (!compare || depth == 0 || !float_constant(select->operands[1], &chosen)) return none;
  const key_value_t subject = find_key(region, compare->operands[0], depth - 1);
  key_value_t key = find_key(region, select->operands[2], depth - 1);
  // A subject that is changed already may have lost what the comparison looks for.
  if (!key.argument || subject.argument != key.argument || subject.merges_zeros ||
      subject.merges_nans) {
    return none;
  }
  double other;
  if (compares(compare, "EQ") && float_constant(compare->operands[1], &other) && other == 0 &&
      chosen == 0) {
    key.merges_zeros = true;
    return key;
  }
  if (compares(compare, "NE") && compare->operands[1] == compare->operands[0] && chosen != chosen) {
    key.merges_nans = true;
    return key;
  }
  return none;
}

// A comparison of both arguments of one operand. `out_key` is its order if the direction is LT.
static bool find_comparison(const tn_region_t* region, const tn_node_t* compare,
                            tn_sort_key_t* out_key, bool* out_exchanged) {
  const key_value_t a = find_key(region, compare->operands[0], NESTING_LIMIT);
  const key_value_t b = find_key(region, compare->operands[1], NESTING_LIMIT);
  if (!a.argument || !b.argument || a.merges_zeros != b.merges_zeros ||
      a.merges_nans != b.merges_nans || a.argument->index / 2 != b.argument->index / 2 ||
      a.argument->index == b.argument->index) {
    return false;
  }
  const bool total = enum_of(compare, "compare_type", "comparison_type") ==
                     tn__enum_value("comparison_type", tn__sv("TOTALORDER"));
  // With a total order, keys that are canonical only half are an order of their own.
  if (total && a.merges_zeros != a.merges_nans) return false;
  *out_key = (tn_sort_key_t){
      .operand = a.argument->index / 2,
      .is_canonical = !total || a.merges_zeros,
  };
  *out_exchanged = a.argument->index > b.argument->index;
  return true;
}

static const tn_node_t* other_operand(const tn_node_t* node, const tn_node_t* known) {
  const tn_value_t* other = node->operands[node->operands[0]->node == known ? 1 : 0];
  return other->node;
}

// One key, or `a before b, or a equal to b and the rest`. False when it is something else.
static bool find_keys(const tn_region_t* region, const tn_node_t* node, tn_sort_key_t* keys,
                      size_t capacity, size_t* count) {
  if (!node || *count == capacity) return false;
  tn_sort_key_t key;
  bool exchanged;
  if (node->op == TN__OP(compare)) {
    const bool less = compares(node, "LT"), greater = compares(node, "GT");
    if (!(less || greater) || !find_comparison(region, node, &key, &exchanged)) return false;
    key.descending = greater != exchanged;
    keys[(*count)++] = key;
    return true;
  }
  if (node->op != TN__OP(or)) return false;
  const tn_node_t* both = made_by(node->operands[0], TN__OP(and));
  if (!both) both = made_by(node->operands[1], TN__OP(and));
  const tn_node_t* before = both ? other_operand(node, both) : NULL;
  const size_t first = *count;
  if (!before || before->op != TN__OP(compare) ||
      !find_keys(region, before, keys, capacity, count)) {
    return false;
  }
  for (int i = 0; i < 2; ++i) {
    const tn_node_t* equal = made_by(both->operands[i], TN__OP(compare));
    if (!equal || !compares(equal, "EQ") || !find_comparison(region, equal, &key, &exchanged) ||
        key.operand != keys[first].operand || key.is_canonical != keys[first].is_canonical) {
      continue;
    }
    return find_keys(region, both->operands[1 - i]->node, keys, capacity, count);
  }
  return false;
}

static tn_status_t find_order(const tn_region_t* region, tn_arena_t* arena,
                              tn_body_shape_t* shape) {
  const tn_node_t* last = region->last;
  if (region->argument_count == 0 || region->argument_count % 2 || !last ||
      last->operand_count != 1) {
    return TN_OK;
  }
  tn_sort_key_t keys[NESTING_LIMIT];
  size_t count = 0;
  if (!find_keys(region, last->operands[0]->node, keys, NESTING_LIMIT, &count)) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, count, keys, &shape->keys));
  shape->key_count = count;
  return TN_OK;
}

tn_status_t tn__body_shape(const tn_region_t* region, tn_arena_t* arena,
                           tn_body_shape_t* out_shape) {
  *out_shape = (tn_body_shape_t){0};
  find_binary(region, out_shape);
  find_forwarded(region, out_shape);
  return find_order(region, arena, out_shape);
}
