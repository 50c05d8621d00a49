// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/node.h"

#include "base/interrupt.h"
#include "kernel/body_shape.h"
#include "kernel/placement.h"

tn_status_t tn__node_choose(const tn_node_t* node, tn_arena_t* arena,
                            tn_node_choice_t* out_choice) {
  void* memory = NULL;
  *out_choice = (tn_node_choice_t){0};
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof(tn_op_use_t), &memory));
  TN_RETURN_IF_ERROR(tn__node_use(node, arena, memory));
  out_choice->use = memory;
  if (tn__op_is_transfer(node->op)) {
    out_choice->kernel = node->op == &tn__op_to_host ? &tn__kernel_to_host : &tn__kernel_to_device;
  } else {
    out_choice->kernel = tn__kernel_find(tn__node_target(node), out_choice->use);
  }
  return TN_OK;
}

static tn_status_t no_kernel(const tn_node_t* node, const tn_op_use_t* use) {
  const tn_type_t* type = use->operand_count  ? use->operand_types[0]
                          : use->result_count ? use->result_types[0]
                                              : tn__type_token();
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: there is no kernel for %s on %s",
                          tn__op_short_name(use->op), TN_TYPE_TEXT(type),
                          tn__node_target(node)->platform);
}

// Only bodies of reductions are made wide; those of other operations that take arrays take whole
// ones.
static int64_t lanes_of(const tn_node_t* node, const tn_region_t* region) {
  bool is_wide = node->op == TN__OP(reduce) && region->arguments[0].type->rank == 1;
  return is_wide ? region->arguments[0].type->dims[0] : 0;
}

tn_status_t tn__node_prepare(const tn_node_t* node, const tn_node_choice_t* choice,
                             tn_kernel_site_t* site) {
  // Called for each operation: here a compilation ends early.
  TN_RETURN_IF_ERROR(tn__interrupt_check(node->region->function->module->interrupt));
  site->use = choice->use;
  site->target = tn__node_target(node);
  site->node = node;
  if (!choice->kernel) return no_kernel(node, choice->use);
  tn_body_shape_t* bodies = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, node->region_count, &bodies));
  site->bodies = bodies;
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_RETURN_IF_ERROR(tn__body_shape(node->regions[i], site->arena, &bodies[i]));
    bodies[i].lanes = lanes_of(node, node->regions[i]);
  }
  return choice->kernel->prepare ? choice->kernel->prepare(site) : TN_OK;
}
