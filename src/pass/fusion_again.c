// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What is cheaper to compute again than to keep.
//
// A value of a group that another group reads as well is written to memory for it. Where it is one
// quick operation on what the other group reads anyway, or on arguments of the function, the other
// group gets an operation of its own: layer norm subtracts the mean of a row for its variance, and
// again for its result.
#include "pass/fusion.h"
#include "pass/passes.h"

enum {
  MOST_GROUPS = 3,  // that compute it again
  MOST_STEPS = 4,   // one after the other, that are computed again
  SMALL_PART = 16,  // what is that much smaller than a value may be read at no cost
};

typedef struct use {
  tn_node_t* user;
  uint32_t group, operand;
  struct use* next;
} use_t;

typedef struct chooser {
  tn_region_t* region;
  tn_arena_t* scratch;
  const tn_fusion_groups_t* groups;
  use_t** uses;      // by node: of its results
  bool* is_kept;     // by node: something that is in no group reads it
  size_t own_bytes;  // of the value that is looked at
} chooser_t;

static bool is_quick(const tn_node_t* node) {
  const tn_op_t* const quick[] = {
      TN__OP(abs),     TN__OP(add),     TN__OP(and),     TN__OP(clamp),    TN__OP(compare),
      TN__OP(convert), TN__OP(maximum), TN__OP(minimum), TN__OP(multiply), TN__OP(negate),
      TN__OP(not ),    TN__OP(or),      TN__OP(select),  TN__OP(subtract), TN__OP(xor),
  };
  for (size_t i = 0; i < sizeof quick / sizeof *quick; ++i) {
    if (node->op == quick[i]) return true;
  }
  return false;
}

static tn_node_t* maker_of(const chooser_t* chooser, const tn_value_t* value) {
  return value->region == chooser->region ? value->node : NULL;
}

// --- uses

static tn_status_t add_use(chooser_t* chooser, tn_node_t* user, uint32_t operand, uint32_t group) {
  const tn_node_t* maker = maker_of(chooser, user->operands[operand]);
  use_t* use = NULL;
  if (!maker) return TN_OK;
  if (group == TN_FUSION_NONE || tn__node_reads_all(user, operand)) {
    chooser->is_kept[maker->id] = true;
  }
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(chooser->scratch, &use));
  *use = (use_t){user, group, operand, chooser->uses[maker->id]};
  chooser->uses[maker->id] = use;
  return TN_OK;
}

static void keep_what_is_read(const chooser_t* chooser, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      const tn_node_t* maker = maker_of(chooser, node->operands[i]);
      if (maker) chooser->is_kept[maker->id] = true;
    }
    for (uint32_t r = 0; r < node->region_count; ++r) {
      keep_what_is_read(chooser, node->regions[r]);
    }
  }
}

static bool is_read_by(const chooser_t* chooser, const tn_node_t* maker, uint32_t group,
                       const tn_node_t* but) {
  for (const use_t* use = chooser->uses[maker->id]; use; use = use->next) {
    if (use->group == group && use->user != but) return true;
  }
  return false;
}

// --- choice

static bool may_be_given_away(const chooser_t* chooser, const tn_value_t* argument) {
  const tn_function_t* function = chooser->region->function;
  if (chooser->region != function->body || !function->argument_attrs) return true;
  const tn_attr_dictionary_t* attrs = &function->argument_attrs[argument->index];
  return tn__attr_find(attrs, "tf.aliasing_output") || tn__attr_find(attrs, "jax.buffer_donor");
}

// Whether the group can compute the node with what is there by then, and how many bytes more it
// reads for that.
static tn_status_t can_compute(const chooser_t* chooser, const tn_node_t* node, uint32_t group,
                               int steps, bool* out_can, size_t* bytes) {
  *out_can = false;
  if (steps == 0 || node->result_count != 1 || !is_quick(node)) return TN_OK;
  if (chooser->groups->group_of[node->id] == TN_FUSION_NONE) return TN_OK;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* root = tn__fusion_root(node->operands[i]);
    const size_t length = tn__type_byte_size(root->type);
    const tn_node_t* maker = maker_of(chooser, root);
    bool is_there = length <= chooser->own_bytes / SMALL_PART ||
                    (maker && is_read_by(chooser, maker, group, node));
    for (uint32_t k = 0; k < i; ++k) is_there = is_there || node->operands[k] == node->operands[i];
    if (!is_there && maker && !chooser->is_kept[maker->id]) {
      TN_RETURN_IF_ERROR(can_compute(chooser, maker, group, steps - 1, &is_there, bytes));
    } else if (!is_there && !root->node && !may_be_given_away(chooser, root)) {
      *bytes += length;
      is_there = true;
    }
    if (!is_there) return TN_OK;
  }
  *out_can = true;
  return TN_OK;
}

// The other groups that read the node's result; more than MOST_GROUPS: too many.
static size_t list_readers(const chooser_t* chooser, const tn_node_t* node, uint32_t* readers) {
  size_t count = 0;
  for (const use_t* use = chooser->uses[node->id]; use; use = use->next) {
    bool is_listed = use->group == chooser->groups->group_of[node->id];
    for (size_t i = 0; i < count && !is_listed; ++i) is_listed = readers[i] == use->group;
    if (is_listed) continue;
    if (count == MOST_GROUPS) return MOST_GROUPS + 1;
    readers[count++] = use->group;
  }
  return count;
}

static tn_status_t compute_again(chooser_t* chooser, tn_node_t* node, uint32_t group) {
  tn_node_t* copy = NULL;
  const tn_type_t* type = node->results[0].type;
  TN_RETURN_IF_ERROR(tn__node_insert(node->next,
                                     &(tn_node_spec_t){.op = node->op,
                                                       .operand_count = node->operand_count,
                                                       .operands = node->operands,
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = node->attrs,
                                                       .location = node->location},
                                     &copy));
  copy->results[0].name = node->results[0].name;
  copy->id = node->id;  // has the same role
  for (use_t** link = &chooser->uses[node->id]; *link;) {
    use_t* use = *link;
    if (use->group == group) {
      use->user->operands[use->operand] = &copy->results[0];
      *link = use->next;
    } else {
      link = &use->next;
    }
  }
  for (uint32_t i = 0; i < copy->operand_count; ++i) {
    TN_RETURN_IF_ERROR(add_use(chooser, copy, i, group));
  }
  return TN_OK;
}

static tn_status_t look_at(chooser_t* chooser, tn_node_t* node, bool* out_any) {
  uint32_t readers[MOST_GROUPS];
  if (chooser->is_kept[node->id] || !is_quick(node)) return TN_OK;
  const size_t count = list_readers(chooser, node, readers);
  if (count == 0 || count > MOST_GROUPS) return TN_OK;
  chooser->own_bytes = tn__type_byte_size(node->results[0].type);
  for (size_t i = 0; i < count; ++i) {
    bool can = false;
    size_t bytes = 0;
    TN_RETURN_IF_ERROR(can_compute(chooser, node, readers[i], MOST_STEPS, &can, &bytes));
    if (!can || bytes > chooser->own_bytes) return TN_OK;
  }
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(compute_again(chooser, node, readers[i]));
  }
  *out_any = true;
  return TN_OK;
}

tn_status_t tn__fusion_compute_again(tn_region_t* region, const tn_fusion_groups_t* groups,
                                     tn_arena_t* scratch, bool* out_any) {
  chooser_t chooser = {.region = region, .scratch = scratch, .groups = groups};
  *out_any = false;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, groups->node_count, &chooser.uses));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, groups->node_count, &chooser.is_kept));
  for (uint32_t n = 0; n < groups->node_count; ++n) {
    tn_node_t* node = groups->nodes[n];
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      TN_RETURN_IF_ERROR(add_use(&chooser, node, i, groups->group_of[n]));
    }
    for (uint32_t r = 0; r < node->region_count; ++r) {
      keep_what_is_read(&chooser, node->regions[r]);
    }
  }
  // Last nodes first: what an operation that is computed again reads may be, too.
  for (uint32_t n = groups->node_count; n-- > 0;) {
    if (groups->group_of[n] == TN_FUSION_NONE) continue;
    TN_RETURN_IF_ERROR(look_at(&chooser, groups->nodes[n], out_any));
  }
  return TN_OK;
}
