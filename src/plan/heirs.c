// Which result may have the memory of an argument that a run donates.
#include <stdlib.h>

#include "plan/planner.h"

bool tn__plan_works_in_place(const step_t* step, size_t operand, size_t result) {
  const tn_kernel_t* kernel = step->plan.kernel;
  const uint32_t* in_place = step->plan.site.in_place;
  const uint32_t operands = in_place                ? in_place[result]
                            : kernel && result == 0 ? kernel->in_place
                                                    : 0;
  return operand < TN_PLAN_IN_PLACE_OPERANDS && (operands >> operand & 1);
}

// --- those that name their result

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
static tn_status_t named_heir(const tn_function_t* function, uint32_t argument,
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

// --- those that go to whichever can use them

static int by_position(const void* key, const void* element) {
  const uint32_t position = *(const uint32_t*)key;
  const uint32_t other = ((const step_t*)element)->plan.position;
  return position < other ? -1 : position > other;
}

static bool lies_in_operand(const step_t* step, size_t operand, uint32_t result) {
  for (size_t i = 0; i < step->alias_count; ++i) {
    if (step->aliases[i].operand == operand && step->results[step->aliases[i].result] == result) {
      return true;
    }
  }
  for (size_t r = 0; r < step->plan.result_count; ++r) {
    if (step->results[r] == result && tn__plan_works_in_place(step, operand, r)) return true;
  }
  return false;
}

// Whether the result, a leaf, can come to be where the argument is: nothing reads that any more by
// then, or the last to do so works in place. Else it would have to be copied there.
static bool can_succeed(const planner_t* planner, uint32_t argument, uint32_t result) {
  const block_t* block = &planner->block;
  const leaf_t* from = &planner->leaves[argument];
  const leaf_t* to = &planner->leaves[result];
  if (argument == result) return true;
  if (!to->is_step_result || to->region != block->region || block->step_count == 0) return false;
  const step_t* step =
      bsearch(&to->definition, block->steps, block->step_count, sizeof *block->steps, by_position);
  if (!step || from->last_use < step->plan.begin) return step != NULL;
  if (from->last_use > step->plan.position) return false;
  for (size_t o = 0; o < step->plan.operand_count; ++o) {
    if (step->operands[o] == argument && lies_in_operand(step, o, result)) return true;
  }
  return false;
}

// The first result leaf of as many bytes that no argument has been given yet; -1: none.
// Those before `first` are taken.
static int64_t free_heir(const planner_t* planner, uint32_t leaf, const bool* is_taken,
                         size_t first) {
  const size_t byte_length = tn__type_byte_length(planner->leaves[leaf].type);
  for (size_t i = first; i < planner->block.result_count; ++i) {
    const uint32_t result = planner->block.results[i];
    if (!is_taken[i] && tn__type_byte_length(planner->leaves[result].type) == byte_length &&
        can_succeed(planner, leaf, result)) {
      return (int64_t)i;
    }
  }
  return -1;
}

tn_status_t tn__plan_find_heirs(planner_t* planner, int64_t* heirs) {
  const tn_function_t* function = planner->plan->function;
  const uint32_t count = function->argument_count;
  void* memory = NULL;
  for (uint32_t i = 0; i < count; ++i) heirs[i] = -1;
  if (!planner->options->is_entry) return TN_OK;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&planner->scratch, planner->block.result_count,
                                              sizeof(bool), &memory));
  bool* is_taken = memory;
  const uint32_t* result_leaves = NULL;
  TN_RETURN_IF_ERROR(find_result_leaves(planner, &result_leaves));
  for (uint32_t i = 0; i < count; ++i) {
    if (function->argument_types[i]->kind != TN_TYPE_TENSOR) continue;
    TN_RETURN_IF_ERROR(named_heir(function, i, result_leaves, &heirs[i]));
    if (heirs[i] >= 0) is_taken[heirs[i]] = true;
  }
  size_t leaf = 0;  // among the arguments'
  size_t first_free = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const tn_type_t* type = function->argument_types[i];
    if (heirs[i] < 0 && type->kind == TN_TYPE_TENSOR &&
        tn__attr_get_bool(&function->argument_attrs[i], "jax.buffer_donor", false)) {
      while (first_free < planner->block.result_count && is_taken[first_free]) ++first_free;
      heirs[i] = free_heir(planner, planner->block.arguments[leaf], is_taken, first_free);
      if (heirs[i] >= 0) is_taken[heirs[i]] = true;
    }
    leaf += tn_type_leaf_count(type);
  }
  return TN_OK;
}
