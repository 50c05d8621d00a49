// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a node can be in a fusion, for those who make one and for the kernel itself.
#include <stdlib.h>

#include "ir/trace.h"
#include "kernel/body_shape.h"
#include "kernel/fusion/state.h"
#include "kernel/placement.h"
#include "kernel/row_blocks/row_blocks.h"

enum {
  FEWEST_ELEMENTS = 4096,     // below, plain instructions are as fast
  MOST_MEMBERS = 192,         // a random generator of JAX is 130
  FEWEST_ROW_ELEMENTS = 8,    // shorter ones cost more than they save
  MOST_ROW_BYTES = 64 << 10,  // several values of a whole row are there as well
  MOST_STEP = 8,              // elements from one to the next that still are neighbours
};

static bool is_near(int64_t stride, size_t element_size) {
  return llabs(stride) <= MOST_STEP * (int64_t)element_size;
}

bool tn__fusion_takes_strides(const tn_type_t* type, size_t element_size, const int64_t* strides) {
  int64_t stride = 0, count = 0;  // of the last dimensions, as far as they are one
  for (size_t d = type->rank; d-- > 0;) {
    if (type->dims[d] == 1) continue;
    if (count && strides[d] != stride * count) {
      return strides[d] != 0 && is_near(strides[d], element_size);
    }
    if (!count) stride = strides[d];
    count = (count ? count : 1) * type->dims[d];
    if (is_near(stride, element_size)) return true;
  }
  return count == 0;
}

bool tn__fusion_looks_up_in(const tn_region_t* region, size_t operand) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      if (tn__node_reads_all(node, i) &&
          tn__value_root(node->operands[i]) == &region->arguments[operand]) {
        return true;
      }
    }
  }
  return false;
}

bool tn__cpu_fusion_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  if (use->region_count && tn__fusion_looks_up_in(use->regions[0].region, operand)) return false;
  const tn_type_t* type = use->operand_types[operand];
  return tn__fusion_takes_strides(type, tn_dtype_byte_size(type->dtype), view->strides);
}

// Whether there is something about the node that a part of the elements could not have.
static bool is_odd(const tn_node_t* node) {
  static const char* const odd[] = {"output_operand_aliases", "tenon.schedule"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
    const tn_attr_t* attr = tn__attr_find(&node->attrs, odd[i]);
    if (attr && !(attr->kind == TN_ATTR_ARRAY && attr->array.count == 0)) return true;
  }
  return false;
}

static bool has_effects(const tn_node_t* node) {
  if (!tn__op_has(node->op, TN_FOREIGN)) return !tn__op_has(node->op, TN_PURE);
  return tn__attr_get_bool(&node->attrs, "has_side_effect", false);
}

// All of one shape; scalars are for all elements, in our own operations.
static bool are_types_fit(const tn_node_t* node) {
  const bool takes_scalars = !tn__op_has(node->op, TN_FOREIGN);
  const tn_type_t* shape = node->results[0].type;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    const tn_type_t* type = node->results[i].type;
    if (!tn__type_is_tensor(type) || !tn__type_same_shape(type, shape)) return false;
  }
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_type_t* type = node->operands[i]->type;
    if (!tn__type_is_tensor(type)) return false;
    if (takes_scalars && type->rank == 0) continue;
    if (!tn__type_same_shape(type, shape)) return false;
  }
  return true;
}

// Of a reduction that folds rows; there are some.
static bool are_rows_fit(const tn_op_use_t* use) {
  const int64_t elements =
      tn__type_size(use->operand_types[0]) / tn__type_size(use->result_types[0]);
  const size_t size = tn_dtype_byte_size(use->operand_types[0]->dtype);
  return elements >= FEWEST_ROW_ELEMENTS && (size_t)elements * size <= MOST_ROW_BYTES;
}

static tn_status_t role_of_reduction(const tn_node_t* node, tn_arena_t* scratch,
                                     tn_fusion_role_t* out_role) {
  tn_op_use_t use;
  tn_body_shape_t body;
  uint32_t folds = 0;
  if (node->operand_count != 2) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  const tn_kernel_t* kernel = tn__kernel_find(tn__node_target(node), &use);
  if (!kernel || !kernel->folds) return TN_OK;
  TN_RETURN_IF_ERROR(tn__body_shape(node->regions[0], scratch, &body));
  TN_RETURN_IF_ERROR(kernel->folds(&use, &body, &folds));
  if ((folds & TN_FOLDS_ROWS) && are_rows_fit(&use)) {
    *out_role = TN_FUSION_ROWS;
  } else if (folds & TN_FOLDS_SOURCE) {
    *out_role = TN_FUSION_LAST;
  }
  return TN_OK;
}

bool tn__fusion_fits(const tn_node_t* node) {
  return tn__node_is_elementwise(node) && !has_effects(node) && !node->region_count &&
         node->operand_count && node->result_count && !is_odd(node) && are_types_fit(node);
}

bool tn__fusion_looks_up(const tn_node_t* node) {
  return tn__node_looks_up(node) && !is_odd(node);
}

tn_status_t tn__fusion_role_of(const tn_node_t* node, tn_arena_t* scratch,
                               tn_fusion_role_t* out_role) {
  tn_op_use_t use;
  *out_role = TN_FUSION_OUTSIDE;
  if (node->op == TN__OP(reduce)) return role_of_reduction(node, scratch, out_role);
  if (!tn__fusion_fits(node) && !tn__fusion_looks_up(node)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  const tn_kernel_t* kernel = tn__kernel_find(tn__node_target(node), &use);
  if (kernel && kernel->range) *out_role = TN_FUSION_ELEMENTS;
  return TN_OK;
}

const tn_fusion_rules_t tn__cpu_fusion_rules = {
    .fewest_elements = FEWEST_ELEMENTS,
    .most_members = MOST_MEMBERS,
    .role_of = tn__fusion_role_of,
    .takes_view = tn__cpu_fusion_takes_view,
    .suits_row_blocks = tn__row_blocks_suit,
};
