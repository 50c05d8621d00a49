// Who belongs together.
//
// Every node has a level, and what a node needs is on the same level only if both are element-wise
// and of one shape; all else that it needs is on lower ones. So nodes of one level that hand values
// to each other may be computed together: a way from one of them to another through anything else
// would have to climb and could not come back. Levels begin as low as they can be. Then, last nodes
// first, a node rises to those that use it, unless arrays would have to live longer for that than
// its own result does.
#include "pass/fusion.h"

#include "kernel/target.h"
#include "pass/passes.h"

enum {
  SMALL_PART = 16,
  LEVEL_LIMIT = INT32_MAX,
};

typedef struct finder {
  tn_region_t* region;
  const tn_fusion_rules_t* rules;
  int64_t fewest_elements;
  tn_arena_t* scratch;
  tn_fusion_groups_t* groups;
  bool* is_fit;   // by node: may be a member
  bool* is_root;  // by node: a reduction that may fold what a member gives, and be in its group
  int32_t* levels;
  uint32_t dependency_count;
  bool* is_direct;  // by dependency: element i of the one is for element i of the other
} finder_t;

static tn_status_t take_list(tn_arena_t* arena, size_t count, size_t item_size, void* out_list) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, item_size, &memory));
  memcpy(out_list, &memory, sizeof memory);
  return TN_OK;
}

// --- views

static bool is_view(const tn_node_t* node) {
  return tn__op_has(node->op, TN_VIEW);
}

const tn_value_t* tn__fusion_root(const tn_value_t* value) {
  while (value->node && is_view(value->node)) value = value->node->operands[0];
  return value;
}

// A broadcast whose rows are neighbours or one element again and again: not to store it is worth a
// fusion, even of a single node.
static tn_status_t saves_view(const finder_t* finder, const tn_node_t* node, bool* out_saves) {
  *out_saves = false;
  for (uint32_t o = 0; o < node->operand_count && !*out_saves; ++o) {
    const tn_node_t* maker = node->operands[o]->node;
    const tn_view_t dense = {0};
    tn_op_use_t use;
    tn_view_t view;
    bool is_strided = false;
    if (!maker || !is_view(maker)) continue;
    TN_RETURN_IF_ERROR(tn__node_use(maker, finder->scratch, &use));
    TN_RETURN_IF_ERROR(tn__view_of_result(&use, &dense, &view, &is_strided));
    const tn_op_use_t read = {.operand_count = 1, .operand_types = use.result_types};
    *out_saves = is_strided && (!view.strides || finder->rules->takes_view(&read, 0, &view));
  }
  return TN_OK;
}

// --- members

static bool is_large(const finder_t* finder, const tn_type_t* type) {
  return tn__type_is_tensor(type) && tn__type_is_static(type) &&
         tn__type_size(type) >= finder->fewest_elements;
}

static tn_status_t find_fit(finder_t* finder, bool* out_any) {
  *out_any = false;
  for (uint32_t i = 0; i < finder->groups->node_count; ++i) {
    const tn_node_t* node = finder->groups->nodes[i];
    tn_fusion_role_t role = TN_FUSION_OUTSIDE;
    const bool is_fold = node->op == TN__OP(reduce);
    if (!is_fold && node->result_count == 0) continue;
    if (!is_large(finder, is_fold ? node->operands[0]->type : node->results[0].type)) continue;
    TN_RETURN_IF_ERROR(finder->rules->role_of(node, finder->scratch, &role));
    finder->is_root[i] = role == TN_FUSION_ROWS || role == TN_FUSION_LAST;
    finder->is_fit[i] = role == TN_FUSION_ELEMENTS;
    *out_any |= finder->is_fit[i];
  }
  return TN_OK;
}

// --- what needs what

static size_t count_operands(const tn_region_t* region) {
  size_t count = 0;
  TN_FOR_EACH_NODE (node, region) {
    count += node->operand_count;
    for (uint32_t i = 0; i < node->region_count; ++i) count += count_operands(node->regions[i]);
  }
  return count;
}

static void add_dependency(finder_t* finder, const tn_value_t* value, bool is_direct) {
  if (!value->node || value->region != finder->region) return;
  finder->is_direct[finder->dependency_count] = is_direct;
  finder->groups->dependencies[finder->dependency_count++] = value->node->id;
}

static void add_inner(finder_t* finder, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i)
      add_dependency(finder, node->operands[i], false);
    for (uint32_t i = 0; i < node->region_count; ++i) add_inner(finder, node->regions[i]);
  }
}

static tn_status_t list_dependencies(finder_t* finder) {
  tn_fusion_groups_t* groups = finder->groups;
  const size_t limit = count_operands(finder->region) + groups->node_count;
  uint32_t last_effect = TN_FUSION_NONE;
  if (limit >= TN_FUSION_NONE) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "a region uses more than 2^32 values");
  }
  TN_RETURN_IF_ERROR(
      take_list(finder->scratch, groups->node_count + 1, sizeof(uint32_t), &groups->starts));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, limit, sizeof(uint32_t), &groups->dependencies));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, limit, sizeof(bool), &finder->is_direct));
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    const tn_node_t* node = groups->nodes[i];
    groups->starts[i] = finder->dependency_count;
    for (uint32_t o = 0; o < node->operand_count; ++o) {
      const bool is_element =
          finder->is_fit[i] && tn__type_same_shape(node->operands[o]->type, node->results[0].type);
      add_dependency(finder, node->operands[o], is_element || (finder->is_root[i] && o == 0));
    }
    for (uint32_t r = 0; r < node->region_count; ++r) add_inner(finder, node->regions[r]);
    if (!tn__op_has(node->op, TN_TERMINATOR) && !tn__pass_is_pure(node)) {
      if (last_effect != TN_FUSION_NONE) {
        groups->dependencies[finder->dependency_count++] = last_effect;
      }
      last_effect = i;
    }
  }
  groups->starts[groups->node_count] = finder->dependency_count;
  return TN_OK;
}

// --- levels

// Whether user i and what it needs by dependency d may be members of one group.
static bool are_alike(const finder_t* finder, uint32_t i, uint32_t d) {
  return (finder->is_fit[i] || finder->is_root[i]) && finder->is_direct[d] &&
         finder->is_fit[finder->groups->dependencies[d]];
}

// How much higher than what it needs by dependency d node i has to be. A view is where its operand
// is: it computes nothing, and whoever reads it is above.
static int32_t rise_over(const finder_t* finder, uint32_t i, uint32_t d) {
  return are_alike(finder, i, d) || is_view(finder->groups->nodes[i]) ? 0 : 1;
}

static void begin_levels(finder_t* finder) {
  const tn_fusion_groups_t* groups = finder->groups;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    int32_t level = finder->is_fit[i] ? 0 : -1;
    for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) {
      const uint32_t needed = groups->dependencies[d];
      const int32_t least = finder->levels[needed] + rise_over(finder, i, d);
      if (least > level) level = least;
    }
    finder->levels[i] = level;
  }
}

typedef struct riser {
  finder_t* finder;
  int32_t* limits;  // by node: the highest level that its users allow
  int32_t* joined;  // the lowest level of a user that it could be in a group with
  int32_t* lasts;   // the highest level of a user
} riser_t;

// Bytes that would have to be kept longer if node i were computed on `level`.
static size_t kept_bytes(const riser_t* riser, uint32_t i, int32_t level) {
  const finder_t* finder = riser->finder;
  const tn_node_t* node = finder->groups->nodes[i];
  size_t bytes = 0;
  for (uint32_t o = 0; o < node->operand_count; ++o) {
    const tn_value_t* root = tn__fusion_root(node->operands[o]);
    if (!root->node || root->region != finder->region || root->node->op == TN__OP(constant)) {
      continue;
    }
    bool is_again = riser->lasts[root->node->id] >= level;
    for (uint32_t k = 0; k < o && !is_again; ++k) {
      is_again = tn__fusion_root(node->operands[k]) == root;
    }
    if (!is_again) bytes += tn__type_byte_length(root->type);
  }
  return bytes;
}

static void rise(riser_t* riser, uint32_t i) {
  finder_t* finder = riser->finder;
  const tn_node_t* node = finder->groups->nodes[i];
  const int32_t level = riser->limits[i];
  size_t own = 0;
  if (level == LEVEL_LIMIT || level <= finder->levels[i]) return;
  if (is_view(node)) finder->levels[i] = level;
  if (!finder->is_fit[i] || riser->joined[i] != level) return;
  for (uint32_t r = 0; r < node->result_count; ++r) {
    own += tn__type_byte_length(node->results[r].type);
  }
  // A few numbers for each row more are no reason to store an array.
  if (kept_bytes(riser, i, level) <= own + own / SMALL_PART) finder->levels[i] = level;
}

// The highest level on which what node i is made of is read: a view is read by its readers.
static int32_t last_level(const riser_t* riser, uint32_t i) {
  const finder_t* finder = riser->finder;
  return is_view(finder->groups->nodes[i]) ? riser->lasts[i] : finder->levels[i];
}

static void note_lasts(const riser_t* riser, uint32_t i) {
  const tn_fusion_groups_t* groups = riser->finder->groups;
  const int32_t level = last_level(riser, i);
  for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) {
    int32_t* last = &riser->lasts[groups->dependencies[d]];
    if (*last < level) *last = level;
  }
}

static tn_status_t raise_levels(finder_t* finder) {
  const tn_fusion_groups_t* groups = finder->groups;
  riser_t riser = {.finder = finder};
  const uint32_t count = groups->node_count;
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(int32_t), &riser.limits));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(int32_t), &riser.joined));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(int32_t), &riser.lasts));
  for (uint32_t i = 0; i < count; ++i) {
    riser.limits[i] = riser.joined[i] = LEVEL_LIMIT;
    riser.lasts[i] = finder->levels[i];
  }
  for (uint32_t i = count; i-- > 0;) note_lasts(&riser, i);
  for (uint32_t i = count; i-- > 0;) {
    rise(&riser, i);
    const int32_t level = finder->levels[i];
    for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) {
      const uint32_t needed = groups->dependencies[d];
      const int32_t limit = level - rise_over(finder, i, d);
      if (limit < riser.limits[needed]) riser.limits[needed] = limit;
      if (are_alike(finder, i, d) && level < riser.joined[needed]) riser.joined[needed] = level;
    }
    note_lasts(&riser, i);
  }
  return TN_OK;
}

// --- groups

static uint32_t find_leader(uint32_t* leaders, uint32_t i) {
  while (leaders[i] != i) i = leaders[i] = leaders[leaders[i]];
  return i;
}

// A reduction is in the group of what it folds, if they are on one level and no other reduction is.
static void join_reduction(finder_t* finder, uint32_t i, bool* has_reduction) {
  tn_fusion_groups_t* groups = finder->groups;
  const tn_node_t* folded = groups->nodes[i]->operands[0]->node;
  const bool joins = folded && folded->region == finder->region &&
                     are_alike(finder, i, groups->starts[i]) &&
                     finder->levels[folded->id] == finder->levels[i];
  const uint32_t group = joins ? groups->group_of[folded->id] : TN_FUSION_NONE;
  if (group == TN_FUSION_NONE || has_reduction[group]) return;
  groups->group_of[i] = group;
  has_reduction[group] = true;
}

// Members that are alone are left as they are, unless they save a broadcast. Groups that are too
// large are cut in the order of the program, which cannot make a circle either.
static tn_status_t number_groups(finder_t* finder, uint32_t* leaders) {
  tn_fusion_groups_t* groups = finder->groups;
  const uint32_t count = groups->node_count;
  uint32_t *sizes = NULL, *counts = NULL, *current = NULL;
  bool* has_reduction = NULL;
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(uint32_t), &sizes));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(uint32_t), &counts));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(uint32_t), &current));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(bool), &has_reduction));
  for (uint32_t i = 0; i < count; ++i) {
    groups->group_of[i] = TN_FUSION_NONE;
    if (finder->is_fit[i] || finder->is_root[i]) ++sizes[find_leader(leaders, i)];
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (finder->is_root[i]) join_reduction(finder, i, has_reduction);
    if (!finder->is_fit[i]) continue;
    const uint32_t leader = find_leader(leaders, i);
    if (sizes[leader] == 1) {
      bool saves = false;
      TN_RETURN_IF_ERROR(saves_view(finder, groups->nodes[i], &saves));
      if (!saves) continue;
    }
    if (counts[leader]++ % finder->rules->most_members == 0)
      current[leader] = groups->group_count++;
    groups->group_of[i] = current[leader];
  }
  TN_RETURN_IF_ERROR(take_list(finder->scratch, (size_t)groups->group_count + 2, sizeof(uint32_t),
                               &groups->firsts));
  TN_RETURN_IF_ERROR(take_list(finder->scratch, count, sizeof(uint32_t), &groups->members));
  uint32_t* firsts = groups->firsts;
  for (uint32_t i = 0; i < count; ++i) {
    if (groups->group_of[i] != TN_FUSION_NONE) ++firsts[groups->group_of[i] + 2];
  }
  for (uint32_t g = 1; g < groups->group_count; ++g) firsts[g + 1] += firsts[g];
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t group = groups->group_of[i];
    if (group != TN_FUSION_NONE) groups->members[firsts[group + 1]++] = i;
  }
  return TN_OK;
}

static tn_status_t join(finder_t* finder) {
  tn_fusion_groups_t* groups = finder->groups;
  uint32_t* leaders = NULL;
  TN_RETURN_IF_ERROR(take_list(finder->scratch, groups->node_count, sizeof(uint32_t), &leaders));
  for (uint32_t i = 0; i < groups->node_count; ++i) leaders[i] = i;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) {
      const uint32_t needed = groups->dependencies[d];
      if (finder->levels[i] != finder->levels[needed] || !are_alike(finder, i, d)) continue;
      const uint32_t a = find_leader(leaders, i), b = find_leader(leaders, needed);
      leaders[a > b ? a : b] = a > b ? b : a;
    }
  }
  return number_groups(finder, leaders);
}

tn_status_t tn__fusion_find_groups(tn_region_t* region, int64_t fewest_elements,
                                   tn_arena_t* scratch, tn_fusion_groups_t* out_groups) {
  bool any = false;
  *out_groups = (tn_fusion_groups_t){0};
  finder_t finder = {.region = region,
                     .rules = region->function->module->target->fusion,
                     .fewest_elements = fewest_elements,
                     .scratch = scratch,
                     .groups = out_groups};
  TN_FOR_EACH_NODE (node, region) {
    node->id = out_groups->node_count++;
  }
  const uint32_t count = out_groups->node_count;
  TN_RETURN_IF_ERROR(take_list(scratch, count, sizeof(tn_node_t*), &out_groups->nodes));
  TN_RETURN_IF_ERROR(take_list(scratch, count, sizeof(bool), &finder.is_fit));
  TN_RETURN_IF_ERROR(take_list(scratch, count, sizeof(bool), &finder.is_root));
  TN_FOR_EACH_NODE (node, region) {
    out_groups->nodes[node->id] = node;
  }
  TN_RETURN_IF_ERROR(find_fit(&finder, &any));
  if (!any) return TN_OK;
  TN_RETURN_IF_ERROR(take_list(scratch, count, sizeof(int32_t), &finder.levels));
  TN_RETURN_IF_ERROR(take_list(scratch, count, sizeof(uint32_t), &out_groups->group_of));
  TN_RETURN_IF_ERROR(list_dependencies(&finder));
  begin_levels(&finder);
  TN_RETURN_IF_ERROR(raise_levels(&finder));
  return join(&finder);
}
