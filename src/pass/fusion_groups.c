// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Who belongs together.
//
// Every node has a level, and what a node needs is on the same level only if both may be members of
// one group: operations over one shape, reductions of its rows, operations over what these give,
// and operations over the shape again that read that. All else that it needs is on lower ones. So
// nodes of one level that hand values to each other may be computed together: a way from one of
// them to another through anything else would have to climb and could not come back. What no group
// computes is above the groups that it needs, and not above anything else. Levels begin as low as
// they can be. Then, last nodes first, a node rises to those that use it, unless arrays would have
// to live longer for that than its own result does.
#include "pass/fusion.h"

#include "ir/trace.h"
#include "kernel/target.h"
#include "pass/passes.h"

enum {
  SMALL_PART = 16,
  LEVEL_LIMIT = INT32_MAX,
};

// What a node is in its group.
typedef enum kind {
  OTHER,  // in none
  ALL,    // an operation over all elements
  ROW,    // an operation over one element a row
  FOLD,   // a reduction of rows
  LAST,   // another reduction, at the end
} kind_t;

// The elements of a group, and which of their dimensions rows begin with. All of a group agree.
typedef struct space {
  const tn_type_t* shape;
  int32_t row_rank;  // NO_ROWS: there are none
} space_t;
#define NO_ROWS (-1)

// How a node reads what it depends on: element i for element i; that, or one element for each row
// of so many dimensions; or in another way.
enum { READS_ELEMENTS = -1, READS_ELSE = -2 };

typedef struct finder {
  tn_region_t* region;
  const tn_fusion_rules_t* rules;
  int64_t fewest_elements;
  tn_arena_t* scratch;
  tn_fusion_groups_t* groups;
  kind_t* kinds;    // by node
  space_t* spaces;  // by node
  bool has_folds;   // among the nodes so far
  int32_t* levels;
  uint32_t dependency_count;
  int32_t* reads;  // by dependency: how; a number of dimensions, or one of the above
  bool* joins;     // by dependency: user and used may be members of one group
} finder_t;

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
    if (!maker || !is_view(maker) || tn__node_reads_all(node, o)) continue;
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

// The view of an array of rows by something of this type.
static int32_t reads_of(const tn_type_t* type, const tn_view_t* view) {
  int64_t expected = (int64_t)tn_dtype_byte_size(type->dtype);
  int32_t row_rank = 0;
  if (!view->strides) return READS_ELEMENTS;
  for (size_t d = type->rank; d-- > 0;) {
    if (type->dims[d] == 1) continue;
    if (view->strides[d] == 0 && row_rank == 0) continue;
    if (view->strides[d] != expected) return READS_ELSE;
    if (row_rank == 0) row_rank = (int32_t)d + 1;
    expected *= type->dims[d];
  }
  return row_rank;
}

static bool is_member(const finder_t* finder, uint32_t i) {
  const kind_t kind = finder->kinds[i];
  return kind == ALL || kind == ROW || kind == FOLD;
}

static bool gives_rows(const finder_t* finder, uint32_t i) {
  return finder->kinds[i] == ROW || finder->kinds[i] == FOLD;
}

static bool is_here(const finder_t* finder, const tn_value_t* value) {
  return value->node && value->region == finder->region;
}

// Whether there is something to find: the kinds of nodes are found on the way.
static bool has_large(const finder_t* finder) {
  for (uint32_t i = 0; i < finder->groups->node_count; ++i) {
    const tn_node_t* node = finder->groups->nodes[i];
    if (tn__node_has_elements(node) && node->result_count &&
        is_large(finder, node->results[0].type)) {
      return true;
    }
  }
  return false;
}

// What the rules say about node i, which are asked once.
static tn_status_t find_role(const finder_t* finder, uint32_t i, tn_fusion_role_t* out_role) {
  uint8_t* known = &finder->groups->roles[i];
  if (!*known) {
    TN_RETURN_IF_ERROR(finder->rules->role_of(finder->groups->nodes[i], finder->scratch, out_role));
    *known = (uint8_t)(1 + *out_role);
  }
  *out_role = (tn_fusion_role_t)(*known - 1);
  return TN_OK;
}

static tn_status_t classify_reduction(finder_t* finder, uint32_t i) {
  const tn_node_t* node = finder->groups->nodes[i];
  const tn_type_t* shape = node->operands[0]->type;
  tn_fusion_role_t role = TN_FUSION_OUTSIDE;
  size_t row_rank = 0;
  if (!is_large(finder, shape)) return TN_OK;
  TN_RETURN_IF_ERROR(find_role(finder, i, &role));
  finder->spaces[i] = (space_t){shape, NO_ROWS};
  if (role == TN_FUSION_LAST) finder->kinds[i] = LAST;
  if (role != TN_FUSION_ROWS) return TN_OK;
  if (!tn__type_is_rows_of(node->results[0].type, shape, &row_rank)) return TN_OK;
  finder->kinds[i] = FOLD;
  finder->spaces[i].row_rank = (int32_t)row_rank;
  finder->has_folds = true;
  return TN_OK;
}

// What gives one element a row, of which the operand is a view; *out_reads is how. NULL: nothing
// does.
static tn_status_t find_rows(const finder_t* finder, tn_value_t* operand,
                             const tn_node_t** out_rows, int32_t* out_reads) {
  tn_value_trace_t trace;
  const tn_value_t* root = tn__value_root(operand);
  *out_rows = NULL;
  if (!finder->has_folds || !is_here(finder, root) || !gives_rows(finder, root->node->id)) {
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__value_trace(operand, NULL, finder->scratch, &trace));
  if (!trace.is_view || trace.view.byte_offset != 0) return TN_OK;
  *out_rows = root->node;
  *out_reads = reads_of(operand->type, &trace.view);
  return TN_OK;
}

// An operation over the rows of what gives some of its operands.
static tn_status_t classify_rows(finder_t* finder, uint32_t i) {
  const tn_node_t* node = finder->groups->nodes[i];
  tn_fusion_role_t role = TN_FUSION_OUTSIDE;
  const tn_node_t* rows = NULL;
  int32_t reads = READS_ELSE;
  for (uint32_t o = 0; o < node->operand_count && reads != READS_ELEMENTS; ++o) {
    if (tn__node_reads_all(node, o) ||
        !tn__type_same_shape(node->operands[o]->type, node->results[0].type)) {
      continue;
    }
    TN_RETURN_IF_ERROR(find_rows(finder, node->operands[o], &rows, &reads));
    if (!rows) reads = READS_ELSE;
  }
  if (reads != READS_ELEMENTS) return TN_OK;
  TN_RETURN_IF_ERROR(find_role(finder, i, &role));
  if (role != TN_FUSION_ELEMENTS) return TN_OK;
  finder->kinds[i] = ROW;
  finder->spaces[i] = finder->spaces[rows->id];
  return TN_OK;
}

static tn_status_t classify(finder_t* finder, uint32_t i) {
  const tn_node_t* node = finder->groups->nodes[i];
  tn_fusion_role_t role = TN_FUSION_OUTSIDE;
  if (node->op == TN__OP(reduce)) return classify_reduction(finder, i);
  if (!tn__node_has_elements(node) || node->result_count == 0) return TN_OK;
  if (finder->has_folds) TN_RETURN_IF_ERROR(classify_rows(finder, i));
  if (finder->kinds[i] == ROW || !is_large(finder, node->results[0].type)) return TN_OK;
  TN_RETURN_IF_ERROR(find_role(finder, i, &role));
  if (role != TN_FUSION_ELEMENTS) return TN_OK;
  finder->kinds[i] = ALL;
  finder->spaces[i] = (space_t){node->results[0].type, NO_ROWS};
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

static void push_dependency(finder_t* finder, uint32_t node, int32_t reads) {
  finder->reads[finder->dependency_count] = reads;
  finder->groups->views[finder->dependency_count] = TN_FUSION_NONE;
  finder->groups->dependencies[finder->dependency_count++] = node;
}

static void add_dependency(finder_t* finder, const tn_value_t* value, int32_t reads) {
  if (is_here(finder, value)) push_dependency(finder, value->node->id, reads);
}

static tn_status_t add_operand(finder_t* finder, uint32_t i, uint32_t index) {
  const tn_node_t *node = finder->groups->nodes[i], *rows = NULL;
  tn_value_t* operand = node->operands[index];
  const bool is_fold = node->op == TN__OP(reduce);
  int32_t reads = READS_ELSE;
  if (finder->kinds[i] == OTHER || (is_fold && index > 0) || tn__node_reads_all(node, index)) {
    add_dependency(finder, operand, READS_ELSE);
    return TN_OK;
  }
  if (!is_fold) TN_RETURN_IF_ERROR(find_rows(finder, operand, &rows, &reads));
  if (rows && reads != READS_ELSE) {
    add_dependency(finder, &rows->results[0], reads);
    if (operand->node != rows) {
      finder->groups->views[finder->dependency_count - 1] = operand->node->id;
    }
    return TN_OK;
  }
  const bool is_same = is_fold || tn__type_same_shape(operand->type, node->results[0].type);
  add_dependency(finder, operand, is_same ? READS_ELEMENTS : READS_ELSE);
  return TN_OK;
}

static void add_inner(finder_t* finder, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      add_dependency(finder, node->operands[i], READS_ELSE);
    }
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
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, groups->node_count + 1, &groups->starts));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, limit, &groups->dependencies));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, limit, &groups->views));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, limit, &finder->reads));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, limit, &finder->joins));
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    const tn_node_t* node = groups->nodes[i];
    groups->starts[i] = finder->dependency_count;
    TN_RETURN_IF_ERROR(classify(finder, i));
    for (uint32_t o = 0; o < node->operand_count; ++o) {
      TN_RETURN_IF_ERROR(add_operand(finder, i, o));
    }
    for (uint32_t r = 0; r < node->region_count; ++r) add_inner(finder, node->regions[r]);
    if (!tn__op_has(node->op, TN_TERMINATOR) && !tn__pass_is_pure(node)) {
      if (last_effect != TN_FUSION_NONE) {
        push_dependency(finder, last_effect, READS_ELSE);
      }
      last_effect = i;
    }
  }
  groups->starts[groups->node_count] = finder->dependency_count;
  return TN_OK;
}

// --- rows: operations over all elements have those of the reductions that they are connected to

static bool is_same_shape(const finder_t* finder, uint32_t i, uint32_t k) {
  return tn__type_same_shape(finder->spaces[i].shape, finder->spaces[k].shape);
}

// What node i may say of the rows of what it reads by dependency d, and the other way round.
static void share_rows(finder_t* finder, uint32_t i, uint32_t d) {
  const uint32_t needed = finder->groups->dependencies[d];
  if (!is_member(finder, i) || !is_member(finder, needed) || !is_same_shape(finder, i, needed)) {
    return;
  }
  int32_t *own = &finder->spaces[i].row_rank, *other = &finder->spaces[needed].row_rank;
  const bool is_repeated = finder->reads[d] >= 0 && finder->reads[d] == *other;
  const bool is_direct = finder->reads[d] == READS_ELEMENTS && finder->kinds[needed] == ALL;
  if (finder->kinds[i] == ALL && *own == NO_ROWS && (is_repeated || is_direct)) *own = *other;
  if (is_direct && *other == NO_ROWS) *other = *own;
}

static void spread_rows(finder_t* finder) {
  const tn_fusion_groups_t* groups = finder->groups;
  for (int turn = 0; finder->has_folds && turn < 2; ++turn) {
    for (uint32_t i = 0; i < groups->node_count; ++i) {
      for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) share_rows(finder, i, d);
    }
    for (uint32_t i = groups->node_count; i-- > 0;) {
      for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) share_rows(finder, i, d);
    }
  }
}

// --- levels

static bool may_join(const finder_t* finder, uint32_t i, uint32_t d) {
  const uint32_t needed = finder->groups->dependencies[d];
  const kind_t kind = finder->kinds[i];
  const int32_t reads = finder->reads[d];
  if (kind == OTHER || !is_member(finder, needed) || !is_same_shape(finder, i, needed)) {
    return false;
  }
  const int32_t row_rank = finder->spaces[needed].row_rank;
  if (kind == LAST) return reads == READS_ELEMENTS && finder->kinds[needed] == ALL;
  if (finder->spaces[i].row_rank != row_rank) return false;
  if (gives_rows(finder, needed)) {
    return reads == (kind == ROW ? READS_ELEMENTS : row_rank) && kind != FOLD;
  }
  return reads == READS_ELEMENTS && kind != ROW;
}

static void note_joins(const finder_t* finder) {
  const tn_fusion_groups_t* groups = finder->groups;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) {
      finder->joins[d] = may_join(finder, i, d);
    }
  }
}

// Whether what the node gives is computed in a group, if only as what it is a view of.
static bool is_of_group(const finder_t* finder, uint32_t i) {
  const tn_value_t* root = tn__fusion_root(&finder->groups->nodes[i]->results[0]);
  return is_here(finder, root) && finder->kinds[root->node->id] != OTHER;
}

// How much higher than what it needs by dependency d node i has to be. A view is where its operand
// is: it computes nothing, and its readers are above. What no group computes is there before the
// groups of its level.
static int32_t rise_over(const finder_t* finder, uint32_t i, uint32_t d) {
  if (finder->joins[d] || is_view(finder->groups->nodes[i])) return 0;
  return is_of_group(finder, finder->groups->dependencies[d]);
}

static void begin_levels(finder_t* finder) {
  const tn_fusion_groups_t* groups = finder->groups;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    int32_t level = is_member(finder, i) ? 0 : -1;
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
    if (!is_again) bytes += tn__type_byte_size(root->type);
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
  if (!is_member(finder, i) || riser->joined[i] != level) return;
  for (uint32_t r = 0; r < node->result_count; ++r) {
    own += tn__type_byte_size(node->results[r].type);
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
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &riser.limits));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &riser.joined));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &riser.lasts));
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
      if (finder->joins[d] && level < riser.joined[needed]) riser.joined[needed] = level;
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

// What the connected nodes of one level are, by the first of them.
typedef struct counts {
  uint32_t all, rows, others;
  uint32_t members;  // that have a group
  uint32_t group;    // the latest one
} counts_t;

// A reduction that is not of rows is in the group of what it folds, if they are on one level and no
// other reduction is in it.
static void join_last(finder_t* finder, uint32_t i, const counts_t* counts, bool* has_last) {
  tn_fusion_groups_t* groups = finder->groups;
  const tn_value_t* folded = groups->nodes[i]->operands[0];
  const bool joins = is_here(finder, folded) && finder->joins[groups->starts[i]] &&
                     finder->levels[folded->node->id] == finder->levels[i];
  const uint32_t group = joins ? groups->group_of[folded->node->id] : TN_FUSION_NONE;
  if (group == TN_FUSION_NONE || counts->rows || has_last[group]) return;
  groups->group_of[i] = group;
  has_last[group] = true;
}

// Members that are alone are left as they are, unless they save a broadcast. Groups that are too
// large are cut in the order of the program, which cannot make a circle either.
static tn_status_t number_groups(finder_t* finder, uint32_t* leaders) {
  tn_fusion_groups_t* groups = finder->groups;
  const uint32_t count = groups->node_count;
  counts_t* all_counts = NULL;
  bool* has_last = NULL;  // by group
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &has_last));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &all_counts));
  for (uint32_t i = 0; i < count; ++i) {
    counts_t* counts = &all_counts[find_leader(leaders, i)];
    groups->group_of[i] = TN_FUSION_NONE;
    counts->all += finder->kinds[i] == ALL;
    counts->rows += gives_rows(finder, i);
    counts->others += finder->kinds[i] == LAST;
  }
  for (uint32_t i = 0; i < count; ++i) {
    counts_t* counts = &all_counts[find_leader(leaders, i)];
    if (finder->kinds[i] == LAST) join_last(finder, i, counts, has_last);
    if (!is_member(finder, i) || counts->all == 0) continue;
    if (counts->all + counts->rows + counts->others == 1) {
      bool saves = false;
      TN_RETURN_IF_ERROR(saves_view(finder, groups->nodes[i], &saves));
      if (!saves) continue;
    }
    if (counts->members++ % finder->rules->most_members == 0) {
      counts->group = groups->group_count++;
    }
    groups->group_of[i] = counts->group;
  }
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(finder->scratch, (size_t)groups->group_count + 2, &groups->firsts));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &groups->members));
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
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, groups->node_count, &leaders));
  for (uint32_t i = 0; i < groups->node_count; ++i) leaders[i] = i;
  for (uint32_t i = 0; i < groups->node_count; ++i) {
    for (uint32_t d = groups->starts[i]; d < groups->starts[i + 1]; ++d) {
      const uint32_t needed = groups->dependencies[d];
      if (finder->levels[i] != finder->levels[needed] || !finder->joins[d]) continue;
      const uint32_t a = find_leader(leaders, i), b = find_leader(leaders, needed);
      leaders[a > b ? a : b] = a > b ? b : a;
    }
  }
  return number_groups(finder, leaders);
}

// Numbers the nodes. A node that was known, or is like one that was, keeps the role.
static tn_status_t list_nodes(const finder_t* finder, const tn_fusion_groups_t* known) {
  tn_fusion_groups_t* groups = finder->groups;
  size_t count = 0;
  TN_FOR_EACH_NODE (node, finder->region) ++count;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &groups->nodes));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(finder->scratch, count, &groups->roles));
  TN_FOR_EACH_NODE (node, finder->region) {
    const uint32_t i = groups->node_count++;
    if (known->roles) groups->roles[i] = known->roles[node->id];
    groups->nodes[i] = node;
    node->id = i;
  }
  return TN_OK;
}

tn_status_t tn__fusion_find_groups(tn_region_t* region, int64_t fewest_elements,
                                   tn_arena_t* scratch, tn_fusion_groups_t* groups) {
  const tn_fusion_groups_t known = *groups;
  *groups = (tn_fusion_groups_t){0};
  finder_t finder = {.region = region,
                     .rules = region->function->module->target->fusion,
                     .fewest_elements = fewest_elements,
                     .scratch = scratch,
                     .groups = groups};
  TN_RETURN_IF_ERROR(list_nodes(&finder, &known));
  const uint32_t count = groups->node_count;
  if (!has_large(&finder)) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &finder.kinds));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &finder.spaces));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &finder.levels));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &groups->group_of));
  TN_RETURN_IF_ERROR(list_dependencies(&finder));
  spread_rows(&finder);
  note_joins(&finder);
  begin_levels(&finder);
  TN_RETURN_IF_ERROR(raise_levels(&finder));
  return join(&finder);
}
