// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Puts element-wise nodes that hand values to each other into fusions (kernel/fusion/).
//
// A fusion does what its nodes did: nothing is computed otherwise, or not at all, and twice only
// what is cheaper than to keep it (fusion_again.c). What is needed outside is a result of it. Small
// arrays are left alone, and so are bodies that kernels run element by element; loops and branches
// are rewritten like functions.
//
// The target says what can be a member (kernel/target.h).
#include "pass/fusion.h"

#include "ir/trace.h"
#include "kernel/target.h"
#include "pass/passes.h"

typedef struct fuser {
  tn_region_t* region;
  tn_arena_t* scratch;
  tn_fusion_groups_t groups;
  uint8_t* states;  // by unit
} fuser_t;

// --- lists of nodes

static void append(tn_region_t* region, tn_node_t* node) {
  node->region = region;
  node->next = NULL;
  node->previous = region->last;
  *(region->last ? &region->last->next : &region->first) = node;
  region->last = node;
  for (uint32_t i = 0; i < node->result_count; ++i) node->results[i].region = region;
}

// --- what a fusion gives: values that are used outside have the id 1 (tn__function_number comes
// later)

// Whether a member of the group reads `value` as a view of what another one gives.
static bool reads_member(const fuser_t* fuser, tn_value_t* value, uint32_t group) {
  const tn_value_t* root = tn__value_root(value);
  return group != TN_FUSION_NONE && root->node && root->region == fuser->region &&
         fuser->groups.group_of[root->node->id] == group;
}

static void note_uses(const fuser_t* fuser, const tn_node_t* node, uint32_t group) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn_value_t* value = node->operands[i];
    if (!value->node || value->region != fuser->region) continue;
    if (!reads_member(fuser, value, group)) value->id = 1;
  }
  for (uint32_t r = 0; r < node->region_count; ++r) {
    TN_FOR_EACH_NODE (inner, node->regions[r]) {
      note_uses(fuser, inner, TN_FUSION_NONE);
    }
  }
}

// Of views that only members read, which have copies of them.
static bool is_unread_view(const tn_node_t* node) {
  return tn__op_makes_view(node->op) && node->results[0].id == 0;
}

// Last nodes first: whether a view is read is known when it is reached.
static void note_all_uses(const fuser_t* fuser) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    for (uint32_t r = 0; r < groups->nodes[i]->result_count; ++r) {
      groups->nodes[i]->results[r].id = 0;
    }
  }
  for (uint32_t i = groups->node_count; i-- > 0;) {
    const tn_node_t* node = groups->nodes[i];
    if (is_unread_view(node)) continue;
    note_uses(fuser, node, groups->group_of[i]);
  }
}

// --- making one

// Values from outside are arguments of the region, and views of what members give are made again in
// it; they replace the values while the group is made.
typedef struct maker {
  fuser_t* fuser;
  tn_region_t* region;
  size_t operand_count, copy_count;
  tn_value_t** operands;  // by argument: what it is outside
  tn_value_t** copied;
} maker_t;

static tn_value_t* bring(maker_t* maker, tn_value_t* value) {
  value = tn__value_resolve(value);
  if (value->region == maker->region) return value;
  tn_value_t* argument = &maker->region->arguments[maker->operand_count];
  argument->type = value->type;
  argument->name = value->name;
  maker->operands[maker->operand_count++] = value;
  value->replacement = argument;
  return argument;
}

static tn_status_t copy_view(maker_t* maker, tn_value_t* value, tn_value_t* operand) {
  tn_node_t* copy = NULL;
  TN_RETURN_IF_ERROR(tn__node_append(maker->region,
                                     &(tn_node_spec_t){.op = value->node->op,
                                                       .operand_count = 1,
                                                       .operands = &operand,
                                                       .result_count = 1,
                                                       .result_types = &value->type,
                                                       .attrs = value->node->attrs,
                                                       .location = value->node->location},
                                     &copy));
  copy->results[0].name = value->name;
  maker->copied[maker->copy_count++] = value;
  value->replacement = &copy->results[0];
  return TN_OK;
}

// Makes the views by which a member reads what another one gives again in the region.
static tn_status_t copy_views(maker_t* maker, tn_value_t* value) {
  tn_value_t* chain[TN_TRACE_VIEWS];
  size_t length = 0;
  const tn_value_t* root = tn__value_root(value);
  if (!root->node || root->region != maker->region) return TN_OK;
  for (; value != root && !value->replacement; value = value->node->operands[0]) {
    chain[length++] = value;
  }
  while (length-- > 0) {
    TN_RETURN_IF_ERROR(
        copy_view(maker, chain[length], tn__value_resolve(chain[length]->node->operands[0])));
  }
  return TN_OK;
}

static tn_status_t move_member(maker_t* maker, tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    TN_RETURN_IF_ERROR(copy_views(maker, node->operands[i]));
    node->operands[i] = bring(maker, node->operands[i]);
  }
  append(maker->region, node);
  return TN_OK;
}

// Room for as many arguments and views as the members can need.
static tn_status_t make_region(maker_t* maker, size_t operand_count) {
  fuser_t* fuser = maker->fuser;
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(fuser->scratch, operand_count * TN_TRACE_VIEWS, &maker->copied));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(fuser->scratch, operand_count, &types));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(fuser->scratch, operand_count, &maker->operands));
  return tn__region_create(fuser->region->function, operand_count, types, &maker->region);
}

// What members give to others, by value: it gets a replacement.
static tn_status_t add_fusion(maker_t* maker, size_t result_count, tn_value_t** results,
                              tn_location_t location) {
  tn_node_t *fusion = NULL, *terminator = NULL;
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(maker->fuser->scratch, result_count, &types));
  for (size_t r = 0; r < result_count; ++r) types[r] = results[r]->type;
  TN_RETURN_IF_ERROR(tn__node_append(maker->region,
                                     &(tn_node_spec_t){.op = TN__OP(return ),
                                                       .operand_count = result_count,
                                                       .operands = results,
                                                       .location = location},
                                     &terminator));
  maker->region->argument_count = (uint32_t)maker->operand_count;
  TN_RETURN_IF_ERROR(tn__node_append(maker->fuser->region,
                                     &(tn_node_spec_t){.op = TN__OP_OF(tenon, fusion),
                                                       .operand_count = maker->operand_count,
                                                       .operands = maker->operands,
                                                       .result_count = result_count,
                                                       .result_types = types,
                                                       .region_count = 1,
                                                       .regions = &maker->region,
                                                       .location = location},
                                     &fusion));
  for (size_t i = 0; i < maker->operand_count; ++i) maker->operands[i]->replacement = NULL;
  for (size_t i = 0; i < maker->copy_count; ++i) maker->copied[i]->replacement = NULL;
  for (size_t r = 0; r < result_count; ++r) {
    fusion->results[r].name = results[r]->name;
    results[r]->replacement = &fusion->results[r];
  }
  return TN_OK;
}

static tn_status_t emit_group(fuser_t* fuser, uint32_t group) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  const uint32_t* members = groups->members + groups->firsts[group];
  const uint32_t member_count = groups->firsts[group + 1] - groups->firsts[group];
  maker_t maker = {.fuser = fuser};
  size_t operand_count = 0, value_count = 0, result_count = 0;
  for (uint32_t m = 0; m < member_count; ++m) {
    operand_count += groups->nodes[members[m]]->operand_count;
    value_count += groups->nodes[members[m]]->result_count;
  }
  tn_value_t** results = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(fuser->scratch, value_count, &results));
  TN_RETURN_IF_ERROR(make_region(&maker, operand_count));
  for (uint32_t m = 0; m < member_count; ++m) {
    tn_node_t* node = groups->nodes[members[m]];
    TN_RETURN_IF_ERROR(move_member(&maker, node));
    for (uint32_t r = 0; r < node->result_count; ++r) {
      if (node->results[r].id == 1) results[result_count++] = &node->results[r];
    }
  }
  return add_fusion(&maker, result_count, results,
                    groups->nodes[members[member_count - 1]]->location);
}

// --- the new order

// A unit is a group, or a node that is in none; its number is that of its first node.
typedef struct visit {
  uint32_t unit, member;  // where the search is: which of the unit's nodes,
  uint32_t next;          // and its next dependency
} visit_t;

enum { UNSEEN, ON_PATH, EMITTED };

static uint32_t unit_of(const fuser_t* fuser, uint32_t node) {
  const uint32_t group = fuser->groups.group_of[node];
  return group == TN_FUSION_NONE ? node : fuser->groups.members[fuser->groups.firsts[group]];
}

static uint32_t unit_size(const fuser_t* fuser, uint32_t unit) {
  const uint32_t group = fuser->groups.group_of[unit];
  if (group == TN_FUSION_NONE) return 1;
  return fuser->groups.firsts[group + 1] - fuser->groups.firsts[group];
}

static uint32_t member_of(const fuser_t* fuser, uint32_t unit, uint32_t member) {
  const uint32_t group = fuser->groups.group_of[unit];
  if (group == TN_FUSION_NONE) return unit;
  return fuser->groups.members[fuser->groups.firsts[group] + member];
}

// A unit that must come before the visited one and is not there yet; TN_FUSION_NONE: there is none.
static uint32_t next_missing(const fuser_t* fuser, visit_t* visit) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  for (; visit->member < unit_size(fuser, visit->unit); ++visit->member, visit->next = 0) {
    const uint32_t node = member_of(fuser, visit->unit, visit->member);
    for (; groups->starts[node] + visit->next < groups->starts[node + 1]; ++visit->next) {
      const uint32_t d = groups->starts[node] + visit->next;
      const uint32_t needed = unit_of(fuser, groups->dependencies[d]), view = groups->views[d];
      if (needed == visit->unit) continue;
      if (fuser->states[needed] != EMITTED) return needed;
      if (view != TN_FUSION_NONE && fuser->states[view] != EMITTED) return view;
    }
  }
  return TN_FUSION_NONE;
}

// The unit, and before it what it needs. `path` has room for all nodes.
static tn_status_t emit(fuser_t* fuser, visit_t* path, uint32_t unit) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  size_t depth = 0;
  if (fuser->states[unit] == EMITTED) return TN_OK;
  path[depth++] = (visit_t){.unit = unit};
  while (depth) {
    visit_t* visit = &path[depth - 1];
    fuser->states[visit->unit] = ON_PATH;
    const uint32_t missing = next_missing(fuser, visit);
    if (missing != TN_FUSION_NONE) {
      if (fuser->states[missing] == ON_PATH) {
        return tn_status_create(TN_CODE_INTERNAL, "fusions need each other");
      }
      path[depth++] = (visit_t){.unit = missing};
      continue;
    }
    const uint32_t group = groups->group_of[visit->unit];
    if (group == TN_FUSION_NONE) {
      tn_node_t* node = groups->nodes[visit->unit];
      if (!is_unread_view(node)) append(fuser->region, node);
    } else {
      TN_RETURN_IF_ERROR(emit_group(fuser, group));
    }
    fuser->states[visit->unit] = EMITTED;
    --depth;
  }
  return TN_OK;
}

static void resolve_region(tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      node->operands[i] = tn__value_resolve(node->operands[i]);
    }
    if (node->op == TN__OP_OF(tenon, fusion)) continue;  // sees nothing from outside
    for (uint32_t r = 0; r < node->region_count; ++r) resolve_region(node->regions[r]);
  }
}

// Nodes keep their order, groups are where their last member was, and what is needed before that
// comes first.
static tn_status_t rewrite_region(fuser_t* fuser) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  visit_t* path = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(fuser->scratch, groups->node_count, &path));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(fuser->scratch, groups->node_count, &fuser->states));
  note_all_uses(fuser);
  fuser->region->first = fuser->region->last = NULL;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    const uint32_t unit = unit_of(fuser, i);
    const bool is_last = member_of(fuser, unit, unit_size(fuser, unit) - 1) == i;
    if (is_last) TN_RETURN_IF_ERROR(emit(fuser, path, unit));
  }
  resolve_region(fuser->region);
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    for (uint32_t r = 0; r < groups->nodes[i]->result_count; ++r) {
      groups->nodes[i]->results[r].replacement = NULL;
    }
  }
  return TN_OK;
}

// --- regions

// Loops and branches; other regions are run element by element.
static bool is_control_flow(const tn_node_t* node) {
  return node->op == TN__OP(while) || node->op == TN__OP(if) || node->op == TN__OP(case);
}

// Without what is in the region's own regions.
TN_APART static tn_status_t fuse_nodes(tn_region_t* region, int64_t fewest, tn_arena_t* scratch) {
  fuser_t fuser = {.region = region, .scratch = scratch};
  bool any = false;
  TN_RETURN_IF_ERROR(tn__fusion_find_groups(region, fewest, scratch, &fuser.groups));
  if (fuser.groups.group_count) {
    TN_RETURN_IF_ERROR(tn__fusion_compute_again(region, &fuser.groups, scratch, &any));
  }
  if (any) TN_RETURN_IF_ERROR(tn__fusion_find_groups(region, fewest, scratch, &fuser.groups));
  return fuser.groups.group_count ? rewrite_region(&fuser) : TN_OK;
}

static tn_status_t fuse_region(tn_region_t* region, int64_t fewest, tn_arena_t* scratch) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t r = 0; is_control_flow(node) && r < node->region_count; ++r) {
      TN_RETURN_IF_ERROR(fuse_region(node->regions[r], fewest, scratch));
    }
  }
  return fuse_nodes(region, fewest, scratch);
}

int64_t tn__pass_fewest_fused(const tn_compile_target_t* target) {
  const int64_t own = target->fusion_element_count;
  return own < 0 ? target->fusion->fewest_elements : own;
}

static tn_status_t fuse_function(tn_function_t* function, tn_arena_t* scratch) {
  const int64_t fewest = tn__pass_fewest_fused(function->module->target);
  TN_RETURN_IF_ERROR(fuse_region(function->body, fewest, scratch));
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_fuse(tn_module_t* module, tn_function_t* entry) {
  if (!module->target->fusion) return TN_OK;
  TN_RETURN_IF_ERROR(tn__pass_for_each_function(module, entry, fuse_function));
  return tn__pass_eliminate_dead_code(module, entry);  // broadcasts that are not read any more
}
