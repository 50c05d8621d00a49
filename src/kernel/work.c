// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/work.h"

#include "kernel/contraction/dot.h"

// Terms of each sum of a product; 0 when there is no memory to say.
static int64_t contracted_size(const tn_node_t* node) {
  tn_arena_room_t room;
  tn_arena_t arena;
  tn_op_use_t use;
  tn_dot_extent_t extent = {0};
  tn__arena_init_in(&arena, tn_allocator_system(), &room);
  tn_status_t status = tn__node_use(node, &arena, &use);
  if (!status) status = tn__dot_extent(&use, &extent);
  tn_status_release(status);
  tn__arena_deinit(&arena);
  return extent.depth;
}

// And of a convolution.
static int64_t window_size(const tn_node_t* node) {
  const tn_type_t* kernel = node->operands[1]->type;
  const tn_attr_t* attr = tn__attr_find(&node->attrs, "dimension_numbers");
  if (!attr || attr->kind != TN_ATTR_STRUCT || tn__type_size(kernel) == 0) return 0;
  return tn__type_size(kernel) /
         kernel
             ->dims[tn__attr_get_integer(&attr->dictionary, "kernel_output_feature_dimension", 0)];
}

uint64_t tn__node_work(const tn_node_t* node) {
  int64_t terms = 0;
  if (node->op == TN__OP(dot_general) || node->op == TN__OP(dot)) terms = contracted_size(node);
  if (node->op == TN__OP(convolution)) terms = window_size(node);
  return terms ? 2 * (uint64_t)terms * (uint64_t)tn__type_size(node->results[0].type) : 0;
}
