// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Donation targets: which result may take over the memory of an argument that a run donates.
#include <stdlib.h>

#include "plan/planner.h"

bool tn__plan_works_in_place(const step_t* step, size_t operand, size_t result) {
  const tn_kernel_t* kernel = step->plan.kernel;
  const uint32_t* in_place = step->plan.site.in_place;
  const uint32_t operands = in_place                ? in_place[result]
                            : kernel && result == 0 ? kernel->in_place
                                                    : 0;
  return operand < TN_PLAN_IN_PLACE_OPERANDS && ((operands & ~step->kept_operands) >> operand & 1);
}

// --- arguments with tf.aliasing_output

// For each result of the function its first leaf.
static tn_status_t find_result_leaves(planner_t* planner, const uint32_t** out_leaves) {
  const tn_function_t* function = planner->plan->function;
  void* memory = NULL;
  *out_leaves = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&planner->scratch, function->result_count,
                                              sizeof(uint32_t), &memory));
  uint32_t *leaves = memory, leaf = 0;
  for (uint32_t i = 0; i < function->result_count; ++i) {
    leaves[i] = leaf;
    leaf += (uint32_t)tn_type_leaf_count(function->result_types[i]);
  }
  *out_leaves = leaves;
  return TN_OK;
}

// -1 for results that are tuples too.
static tn_status_t named_target(const tn_function_t* function, uint32_t argument,
                                const uint32_t* result_leaves, int64_t* out_leaf) {
  const tn_attr_t* attr = tn__attr_find(&function->argument_attrs[argument], "tf.aliasing_output");
  *out_leaf = -1;
  if (!attr) return TN_OK;
  int64_t index = attr->kind == TN_ATTR_INTEGER ? attr->integer : -1;
  if (index < 0 || index >= function->result_count) {
    return tn__function_locate(
        function,
        tn_status_create(TN_CODE_INVALID_ARGUMENT,
                         "argument %u: tf.aliasing_output is %lld; the function has %u results",
                         argument, (long long)index, function->result_count));
  }
  if (function->result_types[index]->kind == TN_TYPE_TENSOR) *out_leaf = result_leaves[index];
  return TN_OK;
}

// --- other arguments

// A result of the function that a step writes.
typedef struct candidate {
  size_t byte_size;
  uint32_t begin;   // of its step
  uint32_t result;  // number of the leaf among the function's results
} candidate_t;

typedef struct donation_search {
  const planner_t* planner;
  int64_t* results;    // by leaf: the first of the function's results that it is; -1: none
  int64_t* successor;  // by leaf: the result that comes to be where the leaf is; -1: none
  bool* is_taken;      // by result
  size_t candidate_count;
  candidate_t* candidates;  // in order
  size_t* next;             // by candidate that is taken: one behind it that may be free
} donation_search_t;

static int compare_candidates(const void* a, const void* b) {
  const candidate_t *x = a, *y = b;
  if (x->byte_size != y->byte_size) return x->byte_size < y->byte_size ? -1 : 1;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return (x->result > y->result) - (x->result < y->result);
}

static tn_status_t init_lists(donation_search_t* search, planner_t* planner) {
  const size_t leaf_count = planner->leaf_count, result_count = planner->block.result_count;
  void* memory = NULL;
  search->planner = planner;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(&planner->scratch, leaf_count, 2 * sizeof(int64_t), &memory));
  search->results = memory;
  search->successor = search->results + leaf_count;
  memset(memory, 0xff, leaf_count * 2 * sizeof(int64_t));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, result_count, &search->is_taken));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, result_count, &search->candidates));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, result_count, &search->next));
  return TN_OK;
}

static bool is_same_size(const planner_t* planner, uint32_t a, uint32_t b) {
  return tn__type_byte_size(planner->leaves[a].type) == tn__type_byte_size(planner->leaves[b].type);
}

// Notes that `result` is where `operand` is, if that is not read any more.
static void note_successor(donation_search_t* search, const step_t* step, size_t operand,
                           size_t result) {
  const planner_t* planner = search->planner;
  const uint32_t from = step->operands[operand], to = step->results[result];
  if (planner->leaves[from].last_use > step->plan.position || search->results[to] < 0) return;
  if (search->successor[from] < 0 && is_same_size(planner, from, to)) {
    search->successor[from] = search->results[to];
  }
}

static void note_step(donation_search_t* search, const step_t* step) {
  for (size_t i = 0; i < step->alias_count; ++i) {
    note_successor(search, step, step->aliases[i].operand, step->aliases[i].result);
  }
  for (size_t r = 0; r < step->plan.result_count; ++r) {
    const uint32_t leaf = step->results[r];
    if (search->results[leaf] < 0) continue;
    for (size_t o = 0; o < step->plan.operand_count && o < TN_PLAN_IN_PLACE_OPERANDS; ++o) {
      if (tn__plan_works_in_place(step, o, r)) note_successor(search, step, o, r);
    }
    search->candidates[search->candidate_count++] =
        (candidate_t){tn__type_byte_size(search->planner->leaves[leaf].type), step->plan.begin,
                      (uint32_t)search->results[leaf]};
  }
}

static tn_status_t init_search(donation_search_t* search, planner_t* planner) {
  const block_t* block = &planner->block;
  TN_RETURN_IF_ERROR(init_lists(search, planner));
  for (size_t i = block->result_count; i-- > 0;) search->results[block->results[i]] = (int64_t)i;
  for (size_t i = 0; i < block->argument_count; ++i) {
    search->successor[block->arguments[i]] = search->results[block->arguments[i]];
  }
  for (size_t i = 0; i < block->step_count; ++i) note_step(search, &block->steps[i]);
  qsort(search->candidates, search->candidate_count, sizeof *search->candidates,
        compare_candidates);
  for (size_t i = 0; i < search->candidate_count; ++i) search->next[i] = i + 1;
  return TN_OK;
}

static size_t skip_taken(const donation_search_t* search, size_t index) {
  size_t end = index;
  while (end < search->candidate_count && search->is_taken[search->candidates[end].result]) {
    end = search->next[end];
  }
  while (index < end) {  // from here on in one step
    const size_t next = search->next[index];
    search->next[index] = end;
    index = next;
  }
  return end;
}

// A result that can come to be where the argument is, so that nothing is copied there: the argument
// itself, what its last reader writes in place, or the first one that is begun after it.
static int64_t find_target(const donation_search_t* search, uint32_t argument) {
  const leaf_t* leaf = &search->planner->leaves[argument];
  const int64_t successor = search->successor[argument];
  if (successor >= 0 && !search->is_taken[successor]) return successor;
  const size_t byte_size = tn__type_byte_size(leaf->type);
  const candidate_t wanted = {byte_size, leaf->last_use + 1, 0};
  size_t low = 0, high = search->candidate_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_candidates(&search->candidates[middle], &wanted) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  low = skip_taken(search, low);
  const bool is_found =
      low < search->candidate_count && search->candidates[low].byte_size == byte_size;
  return is_found ? (int64_t)search->candidates[low].result : -1;
}

tn_status_t tn__plan_find_donation_targets(planner_t* planner, int64_t* donation_targets) {
  const tn_function_t* function = planner->plan->function;
  const uint32_t count = function->argument_count;
  for (uint32_t i = 0; i < count; ++i) donation_targets[i] = -1;
  if (!planner->options->is_entry) return TN_OK;
  donation_search_t search = {0};
  TN_RETURN_IF_ERROR(init_search(&search, planner));
  const uint32_t* result_leaves = NULL;
  TN_RETURN_IF_ERROR(find_result_leaves(planner, &result_leaves));
  for (uint32_t i = 0; i < count; ++i) {
    if (function->argument_types[i]->kind != TN_TYPE_TENSOR) continue;
    TN_RETURN_IF_ERROR(named_target(function, i, result_leaves, &donation_targets[i]));
    if (donation_targets[i] >= 0) search.is_taken[donation_targets[i]] = true;
  }
  size_t leaf = 0;  // among the arguments'
  for (uint32_t i = 0; i < count; ++i) {
    const tn_type_t* type = function->argument_types[i];
    if (donation_targets[i] < 0 && type->kind == TN_TYPE_TENSOR &&
        tn__attr_get_bool(&function->argument_attrs[i], "jax.buffer_donor", false)) {
      donation_targets[i] = find_target(&search, planner->block.arguments[leaf]);
      if (donation_targets[i] >= 0) search.is_taken[donation_targets[i]] = true;
    }
    leaf += tn_type_leaf_count(type);
  }
  return TN_OK;
}
