// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the region of a fusion may hold: elementwise operations over one shape or over its rows,
// gathers that look up elements by indices of such a shape, reductions of arrays of that shape, and
// views of values (ops/view.h).
#include "ir/ir.h"
#include "ops/view.h"

// Text says a user's operation as a custom call; whether it is elementwise is known when the
// module is compiled.
static bool has_elements(const tn_node_t* node) {
  if (node->region_count || node->result_count == 0) return false;
  if (!tn__op_has(node->op, TN_FOREIGN)) {
    return tn__op_has(node->op, TN_PURE) && tn__node_has_elements(node);
  }
  return !tn__attr_get_bool(&node->attrs, "has_side_effect", false);
}

static const tn_type_t* shape_of(const tn_node_t* node) {
  return node->op == TN__OP(reduce) ? node->operands[0]->type : node->results[0].type;
}

const tn_type_t* tn__fusion_shape(const tn_region_t* region) {
  const tn_type_t* largest = NULL;
  TN_FOR_EACH_NODE (node, region) {
    if (node->op == TN__OP(reduce)) return node->operands[0]->type;
    if (!has_elements(node) || !tn__type_is_tensor(node->results[0].type)) continue;
    const tn_type_t* shape = node->results[0].type;
    if (!largest || tn__type_size(shape) > tn__type_size(largest)) largest = shape;
  }
  return largest;
}

static tn_status_t check_kind(const tn_node_t* node) {
  if (node->op == TN__OP(reduce) || tn__op_makes_view(node->op) || has_elements(node)) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "fusion: its region holds %s; expected elementwise operations without "
                          "effects, gathers of elements of lists, reductions, and views of values",
                          tn__op_short_name(node->op));
}

static tn_status_t check_shape(const tn_node_t* node, const tn_type_t* shape) {
  const tn_type_t* own = shape_of(node);
  if (!tn__type_is_tensor(own) || !tn__type_is_static(own)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "fusion: %s computes a value of type %s; expected a static tensor",
                            tn__op_short_name(node->op), TN_TYPE_TEXT(own));
  }
  if (tn__type_same_shape(own, shape)) return TN_OK;
  size_t rank = 0;
  if (node->op != TN__OP(reduce) && tn__type_is_rows_of(own, shape, &rank)) return TN_OK;
  return tn_status_create(
      TN_CODE_INVALID_ARGUMENT,
      "fusion: %s has shape %s; expected %s, or one element for each of its rows",
      tn__op_short_name(node->op), TN_SHAPE_TEXT(own->rank, own->dims),
      TN_SHAPE_TEXT(shape->rank, shape->dims));
}

tn_status_t tn__verify_fusion(const tn_node_t* fusion) {
  const tn_region_t* region = fusion->regions[0];
  const tn_type_t* shape = tn__fusion_shape(region);
  if (!shape) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "fusion: its region computes nothing; expected an operation");
  }
  TN_FOR_EACH_NODE (node, region) {
    if (tn__op_has(node->op, TN_TERMINATOR)) continue;
    tn_status_t status = check_kind(node);
    if (!status && !tn__op_makes_view(node->op)) status = check_shape(node, shape);
    if (status) return tn__node_locate(node, status);
  }
  return TN_OK;
}
