// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which nodes of a region a fusion may hold together, private to the pass.
#ifndef TENON_PASS_FUSION_H_
#define TENON_PASS_FUSION_H_

#include "ir/ir.h"

#define TN_FUSION_NONE UINT32_MAX

// Nodes are numbers: their place in the region, which is also their `id`.
typedef struct tn_fusion_groups {
  uint32_t node_count;
  tn_node_t** nodes;
  uint8_t*
      roles;  // by node: 1 + what the target's rules say that it can be; 0: they were not asked
  // What must be computed before node i: dependencies[starts[i]] to dependencies[starts[i + 1]].
  // What it uses, itself or in its regions; of what has effects, the last one before it, too.
  uint32_t* starts;
  uint32_t* dependencies;
  // Through which view of that, which is needed too unless both are in one group; TN_FUSION_NONE:
  // none, or it is the dependency itself.
  uint32_t* views;
  uint32_t* group_of;  // by node; TN_FUSION_NONE
  uint32_t group_count;
  // Members of group g in the order of the program: members[firsts[g]] to members[firsts[g + 1]].
  uint32_t* firsts;
  uint32_t* members;
} tn_fusion_groups_t;

// Of arrays with that many elements at least. Everything in `scratch`. However groups and other
// nodes need each other, it is in no circle. `groups` are zeroed, or those that were found before
// tn__fusion_compute_again, whose roles are taken over.
TN_MUST_USE tn_status_t tn__fusion_find_groups(tn_region_t* region, int64_t fewest_elements,
                                               tn_arena_t* scratch, tn_fusion_groups_t* groups);

// Gives groups operations of their own for values of other groups that are cheaper to compute again
// than to keep. When there were any, groups have to be found anew.
TN_MUST_USE tn_status_t tn__fusion_compute_again(tn_region_t* region,
                                                 const tn_fusion_groups_t* groups,
                                                 tn_arena_t* scratch, bool* out_any);

// The value that has the elements of `value`, which may be a view of it.
const tn_value_t* tn__fusion_root(const tn_value_t* value);

#endif  // TENON_PASS_FUSION_H_
