// Puts element-wise nodes that hand values to each other into fusions (kernel/fusion.h).
//
// A fusion does what its nodes did: nothing is computed otherwise, or not at all, and twice only
// what is cheaper than to keep it (fusion_again.c). What is needed outside is a result of it. Small
// arrays are left alone, and so are bodies that kernels run element by element; loops and branches
// are rewritten like functions.
//
// After this pass a module is no longer what StableHLO allows, so it comes last.
#include "pass/fusion.h"

#include <errno.h>
#include <stdlib.h>

#include "kernel/fusion.h"
#include "kernel/target.h"
#include "pass/passes.h"

// A value from outside that a fusion reads.
typedef struct entry {
  tn_value_t* value;
  bool is_initial;  // as what a reduction begins with: a scalar
} entry_t;

typedef struct fuser {
  tn_region_t* region;
  tn_arena_t* scratch;
  tn_arena_t* arena;  // the module's
  tn_fusion_groups_t groups;
  uint8_t* states;  // by unit
} fuser_t;

static tn_status_t take_list(tn_arena_t* arena, size_t count, size_t item_size, void* out_list) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, item_size, &memory));
  memcpy(out_list, &memory, sizeof memory);
  return TN_OK;
}

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

static void note_uses(const fuser_t* fuser, const tn_node_t* node, uint32_t group) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn_value_t* value = node->operands[i];
    if (!value->node || value->region != fuser->region) continue;
    const uint32_t other = fuser->groups.group_of[value->node->id];
    if (other != TN_FUSION_NONE && other != group) value->id = 1;
  }
  for (uint32_t r = 0; r < node->region_count; ++r) {
    TN_FOR_EACH_NODE (inner, node->regions[r]) {
      note_uses(fuser, inner, TN_FUSION_NONE);
    }
  }
}

static void note_all_uses(const fuser_t* fuser) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    for (uint32_t r = 0; r < groups->nodes[i]->result_count; ++r) {
      groups->nodes[i]->results[r].id = 0;
    }
  }
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    note_uses(fuser, groups->nodes[i], groups->group_of[i]);
    // What a fused reduction gives is never for its own group.
    const bool is_reduction = groups->nodes[i]->op == TN__OP(reduce);
    if (is_reduction && groups->group_of[i] != TN_FUSION_NONE) groups->nodes[i]->results[0].id = 1;
  }
}

// --- making one

typedef struct maker {
  fuser_t* fuser;
  uint32_t group;
  const tn_type_t* shape;
  size_t entry_count, operand_count;
  entry_t* entries;
  uint32_t* operand_entries;  // by operand of the members, in order; TN_FUSION_NONE: of a member
} maker_t;

static void add_entry(maker_t* maker, const tn_node_t* node, uint32_t index) {
  tn_value_t* operand = node->operands[index];
  const entry_t next = {operand, node->op == TN__OP(reduce)};
  uint32_t* entry = &maker->operand_entries[maker->operand_count++];
  *entry = TN_FUSION_NONE;
  if (operand->node && operand->region == maker->fuser->region &&
      maker->fuser->groups.group_of[operand->node->id] == maker->group) {
    return;
  }
  for (uint32_t e = 0; e < maker->entry_count && *entry == TN_FUSION_NONE; ++e) {
    const entry_t* known = &maker->entries[e];
    if (known->value == next.value && known->is_initial == next.is_initial) *entry = e;
  }
  if (*entry != TN_FUSION_NONE) return;
  *entry = (uint32_t)maker->entry_count;
  maker->entries[maker->entry_count++] = next;
}

// What the fusion is given for the entry: scalars that are for all elements become arrays.
static tn_status_t make_operand(const maker_t* maker, const entry_t* entry,
                                tn_value_t** out_value) {
  const fuser_t* fuser = maker->fuser;
  const tn_attr_t *dims = NULL, *attrs = NULL;
  const tn_type_t* type = entry->value->type;
  tn_node_t* node = NULL;
  *out_value = entry->value;
  if (entry->is_initial || type->rank == maker->shape->rank) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__type_tensor(fuser->arena, type->dtype, maker->shape->rank, maker->shape->dims, &type));
  TN_RETURN_IF_ERROR(tn__attr_i64_array(fuser->arena, 0, NULL, &dims));
  const tn_named_attr_t named = {TN_SV_LITERAL("broadcast_dimensions"), dims};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(fuser->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &attrs));
  TN_RETURN_IF_ERROR(tn__node_append(fuser->region,
                                     &(tn_node_spec_t){.op = TN__OP(broadcast_in_dim),
                                                       .operand_count = 1,
                                                       .operands = &entry->value,
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = attrs->dictionary},
                                     &node));
  node->results[0].name = entry->value->name;
  *out_value = &node->results[0];
  return TN_OK;
}

static tn_status_t make_operands(const maker_t* maker, tn_value_t*** out_operands) {
  tn_value_t** operands = NULL;
  TN_RETURN_IF_ERROR(
      take_list(maker->fuser->scratch, maker->entry_count, sizeof *operands, &operands));
  for (size_t e = 0; e < maker->entry_count; ++e) {
    TN_RETURN_IF_ERROR(make_operand(maker, &maker->entries[e], &operands[e]));
  }
  *out_operands = operands;
  return TN_OK;
}

static tn_status_t make_region(const maker_t* maker, tn_value_t* const* operands,
                               tn_region_t** out_region) {
  const fuser_t* fuser = maker->fuser;
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(take_list(fuser->scratch, maker->entry_count, sizeof *types, &types));
  for (size_t e = 0; e < maker->entry_count; ++e) types[e] = operands[e]->type;
  TN_RETURN_IF_ERROR(
      tn__region_create(fuser->region->function, maker->entry_count, types, out_region));
  for (size_t e = 0; e < maker->entry_count; ++e) {
    (*out_region)->arguments[e].name = operands[e]->name;
  }
  return TN_OK;
}

// Moves the members into a region of their own; what they give to others gets a replacement.
static tn_status_t emit_group(fuser_t* fuser, uint32_t group) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  const uint32_t* members = groups->members + groups->firsts[group];
  const uint32_t member_count = groups->firsts[group + 1] - groups->firsts[group];
  maker_t maker = {
      .fuser = fuser, .group = group, .shape = groups->nodes[members[0]]->results[0].type};
  size_t operand_count = 0, value_count = 0, result_count = 0;
  for (uint32_t m = 0; m < member_count; ++m) {
    operand_count += groups->nodes[members[m]]->operand_count;
    value_count += groups->nodes[members[m]]->result_count;
  }
  tn_value_t **results = NULL, **operands = NULL;
  const tn_type_t** result_types = NULL;
  TN_RETURN_IF_ERROR(
      take_list(fuser->scratch, operand_count, sizeof(uint32_t), &maker.operand_entries));
  TN_RETURN_IF_ERROR(take_list(fuser->scratch, operand_count + 1, sizeof(entry_t), &maker.entries));
  TN_RETURN_IF_ERROR(take_list(fuser->scratch, value_count, sizeof *results, &results));
  TN_RETURN_IF_ERROR(take_list(fuser->scratch, value_count, sizeof *result_types, &result_types));
  for (uint32_t m = 0; m < member_count; ++m) {
    tn_node_t* node = groups->nodes[members[m]];
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      add_entry(&maker, node, i);
    }
    for (uint32_t r = 0; r < node->result_count; ++r) {
      if (node->results[r].id != 1) continue;
      result_types[result_count] = node->results[r].type;
      results[result_count++] = &node->results[r];
    }
  }
  tn_region_t* region = NULL;
  tn_node_t *fusion = NULL, *terminator = NULL;
  TN_RETURN_IF_ERROR(make_operands(&maker, &operands));
  TN_RETURN_IF_ERROR(make_region(&maker, operands, &region));
  const uint32_t* entry = maker.operand_entries;
  for (uint32_t m = 0; m < member_count; ++m) {
    tn_node_t* node = groups->nodes[members[m]];
    append(region, node);
    for (uint32_t i = 0; i < node->operand_count; ++i, ++entry) {
      if (*entry != TN_FUSION_NONE) node->operands[i] = &region->arguments[*entry];
    }
  }
  const tn_location_t location = groups->nodes[members[member_count - 1]]->location;
  TN_RETURN_IF_ERROR(tn__node_append(region,
                                     &(tn_node_spec_t){.op = TN__OP(return ),
                                                       .operand_count = result_count,
                                                       .operands = results,
                                                       .location = location},
                                     &terminator));
  TN_RETURN_IF_ERROR(tn__node_append(fuser->region,
                                     &(tn_node_spec_t){.op = &tn__op_fusion,
                                                       .operand_count = maker.entry_count,
                                                       .operands = operands,
                                                       .result_count = result_count,
                                                       .result_types = result_types,
                                                       .region_count = 1,
                                                       .regions = &region,
                                                       .location = location},
                                     &fusion));
  for (size_t r = 0; r < result_count; ++r) {
    fusion->results[r].name = results[r]->name;
    results[r]->replacement = &fusion->results[r];
  }
  return TN_OK;
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
    while (groups->starts[node] + visit->next < groups->starts[node + 1]) {
      const uint32_t needed = groups->dependencies[groups->starts[node] + visit->next++];
      const uint32_t unit = unit_of(fuser, needed);
      if (unit != visit->unit && fuser->states[unit] != EMITTED) return unit;
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
      append(fuser->region, groups->nodes[visit->unit]);
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
    if (node->op == &tn__op_fusion) continue;  // sees nothing from outside
    for (uint32_t r = 0; r < node->region_count; ++r) resolve_region(node->regions[r]);
  }
}

// Nodes keep their order, groups stand where their last member did, and what is needed before that
// comes first.
static tn_status_t rewrite_region(fuser_t* fuser) {
  const tn_fusion_groups_t* groups = &fuser->groups;
  visit_t* path = NULL;
  TN_RETURN_IF_ERROR(take_list(fuser->scratch, groups->node_count, sizeof *path, &path));
  TN_RETURN_IF_ERROR(take_list(fuser->scratch, groups->node_count, 1, &fuser->states));
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

// Below, plain instructions are as fast. The environment's TENON_FUSION says another number, or
// none.
static tn_status_t fewest_elements(int64_t* out_fewest) {
  enum { FEWEST_ELEMENTS = 4096 };
  const char* text = getenv("TENON_FUSION");
  char* end = NULL;
  *out_fewest = FEWEST_ELEMENTS;
  if (!text || !*text) return TN_OK;
  *out_fewest = INT64_MAX;
  if (strcmp(text, "none") == 0) return TN_OK;
  errno = 0;
  *out_fewest = strtoll(text, &end, 10);
  if (!errno && end != text && !*end && *out_fewest >= 0) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "TENON_FUSION is \"%.40s\"; expected a number of elements or none", text);
}

// Without what lies in the region's own regions.
TN_APART static tn_status_t fuse_nodes(tn_region_t* region, int64_t fewest, tn_arena_t* scratch) {
  fuser_t fuser = {.region = region, .scratch = scratch, .arena = &region->function->module->arena};
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

static tn_status_t fuse_function(tn_function_t* function, tn_arena_t* scratch) {
  int64_t fewest = 0;
  TN_RETURN_IF_ERROR(fewest_elements(&fewest));
  TN_RETURN_IF_ERROR(fuse_region(function->body, fewest, scratch));
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_fuse(tn_module_t* module, tn_function_t* entry) {
  if (!module->target->fusion) return TN_OK;
  return tn__pass_for_each_function(module, entry, fuse_function);
}
