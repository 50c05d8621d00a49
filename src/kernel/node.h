// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The kernel of a node of a program.
#ifndef TENON_KERNEL_NODE_H_
#define TENON_KERNEL_NODE_H_

#include "ir/ir.h"
#include "kernel/kernel.h"

// Who computes a node.
typedef struct tn_node_choice {
  const tn_op_use_t* use;  // NULL: not asked yet
  const tn_kernel_t* kernel;
} tn_node_choice_t;

// The best kernel that the node's target has; NULL when there is none. The use is in the arena.
TN_MUST_USE tn_status_t tn__node_choose(const tn_node_t* node, tn_arena_t* arena,
                                        tn_node_choice_t* out_choice);
// Prepares that kernel; without one the operation is UNIMPLEMENTED. The site has its arena, views,
// calls and single operands; the rest is set here. After an error it may have a state that has to
// go.
TN_MUST_USE tn_status_t tn__node_prepare(const tn_node_t* node, const tn_node_choice_t* choice,
                                         tn_kernel_site_t* site);

#endif  // TENON_KERNEL_NODE_H_
