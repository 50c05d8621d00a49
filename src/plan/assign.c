// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which buffer every leaf is in.
//
// Leaves are taken in the order in which they come to be. A leaf goes, in this order of preference,
// to
//   1. the storage of an operand that dies in the step, where the kernel can work in place,
//   2. the place where it must end up (a result of the function, the carry of a loop, the result of
//   a branch), when that
//      place is free by then,
//   3. a buffer of its own.
// Preferred placements for 2 are passed upward through kernels that work in place, so that a chain
// of updates happens in one place. What is still elsewhere at the end of its region is copied.
#include "kernel/placement.h"
#include "plan/planner.h"

enum { SMALL_BYTES = 256 << 10 };

static tn_status_t assign_block(planner_t* planner, block_t* block, const uint32_t* targets,
                                const tn_node_t* owner);

static tn_plan_buffer_t temporary(const leaf_t* leaf) {
  return (tn_plan_buffer_t){
      .kind = tn__value_is_on_host(leaf->value) ? TN_PLAN_HOST_TEMPORARY : TN_PLAN_TEMPORARY,
      .byte_size = tn__type_byte_size(leaf->type),
      .begin = leaf->definition,
      .end = leaf->last_use,
      .parameter = TN_PLAN_NONE,
      .value = leaf->value,
  };
}

static tn_plan_buffer_t* buffer_of(planner_t* planner, const leaf_t* leaf) {
  return &planner->plan->buffers[leaf->buffer];
}

static bool is_writable(const tn_plan_buffer_t* buffer) {
  return buffer->kind == TN_PLAN_TEMPORARY || buffer->kind == TN_PLAN_HOST_TEMPORARY ||
         buffer->kind == TN_PLAN_RESULT;
}

// Puts a leaf into a buffer that is there already.
static void occupy(planner_t* planner, leaf_t* leaf, uint32_t index) {
  tn_plan_buffer_t* buffer = &planner->plan->buffers[index];
  leaf->buffer = index;
  if (leaf->definition < buffer->begin) buffer->begin = leaf->definition;
  if (leaf->last_use > buffer->end) buffer->end = leaf->last_use;
  if (leaf->last_use > planner->places[index].occupied_until) {
    planner->places[index].occupied_until = leaf->last_use;
  }
}

TN_APART static tn_status_t own_buffer(planner_t* planner, leaf_t* leaf) {
  return tn__plan_add_buffer(planner, temporary(leaf), leaf->last_use, &leaf->buffer);
}

// Whether `leaf`, read last at `position`, leaves behind a buffer that may be written there.
static bool gives_up_buffer(planner_t* planner, const leaf_t* leaf, uint32_t position) {
  return leaf->buffer != NO_BUFFER && leaf->last_use <= position &&
         is_writable(buffer_of(planner, leaf)) &&
         planner->places[leaf->buffer].occupied_until <= position;
}

TN_APART static bool preferred_is_free(planner_t* planner, const leaf_t* leaf, uint32_t position) {
  if (leaf->preferred == NO_BUFFER || planner->places[leaf->preferred].occupied_until >= position)
    return false;
  return planner->plan->buffers[leaf->preferred].byte_size == tn__type_byte_size(leaf->type);
}

static bool same_size(const leaf_t* a, const leaf_t* b) {
  return tn__type_byte_size(a->type) == tn__type_byte_size(b->type);
}

// --- preferred placement

// Whether the leaf has a place yet to be chosen, and is now preferred in the buffer.
TN_APART static bool prefer(planner_t* planner, uint32_t index, uint32_t buffer,
                            const tn_region_t* region) {
  leaf_t* leaf = &planner->leaves[index];
  if (!leaf->is_step_result || leaf->region != region || leaf->preferred != NO_BUFFER) return false;
  leaf->preferred = buffer;
  return true;
}

TN_APART static void propagate_preferences(planner_t* planner, block_t* block) {
  for (size_t i = block->step_count; i-- > 0;) {
    step_t* step = &block->steps[i];
    bool is_while = step->plan.node->op == TN__OP(while);
    for (size_t a = 0; a < step->alias_count; ++a) {
      uint32_t operand = step->operands[step->aliases[a].operand];
      const leaf_t* result = &planner->leaves[step->results[step->aliases[a].result]];
      bool dies = planner->leaves[operand].last_use == step->plan.position;
      if (dies && result->preferred != NO_BUFFER)
        prefer(planner, operand, result->preferred, block->region);
    }
    for (size_t r = 0; r < step->plan.result_count; ++r) {
      const leaf_t* result = &planner->leaves[step->results[r]];
      if (result->preferred == NO_BUFFER) continue;
      const size_t first = is_while ? r : 0;
      const size_t end = is_while ? r + 1 : TN_PLAN_IN_PLACE_OPERANDS;
      for (size_t o = first; o < step->plan.operand_count && o < end; ++o) {
        const leaf_t* operand = &planner->leaves[step->operands[o]];
        bool shares = is_while || tn__plan_works_in_place(step, o, r);
        uint32_t dies_at = is_while ? step->plan.begin - 1 : step->plan.position;
        if (shares && operand->last_use == dies_at && same_size(operand, result) &&
            prefer(planner, step->operands[o], result->preferred, block->region)) {
          break;
        }
      }
    }
  }
}

// --- steps

// Whether the leaf would still be in the buffer when a result comes that has to end there, and
// would have to be copied. To have another small buffer costs less.
static bool is_in_the_way(const planner_t* planner, const leaf_t* leaf, uint32_t buffer) {
  const place_t* place = &planner->places[buffer];
  return place->target_count > 0 && leaf->preferred == NO_BUFFER &&
         place->wanted_at > leaf->definition && place->wanted_at < leaf->last_use &&
         planner->plan->buffers[buffer].byte_size <= SMALL_BYTES;
}

TN_APART static tn_status_t place_result(planner_t* planner, step_t* step, size_t index) {
  leaf_t* leaf = &planner->leaves[step->results[index]];
  uint32_t position = step->plan.position;
  if (leaf->buffer != NO_BUFFER) return TN_OK;
  uint32_t shared = NO_BUFFER;
  for (size_t o = 0; o < step->plan.operand_count && o < TN_PLAN_IN_PLACE_OPERANDS; ++o) {
    const leaf_t* operand = &planner->leaves[step->operands[o]];
    if (!tn__plan_works_in_place(step, o, index) || !same_size(operand, leaf)) continue;
    if (!gives_up_buffer(planner, operand, position)) continue;
    if (is_in_the_way(planner, leaf, operand->buffer)) continue;
    shared = operand->buffer;
    if (shared == leaf->preferred) break;
  }
  bool free_preferred = preferred_is_free(planner, leaf, step->plan.begin);
  bool shares_preferred = shared != NO_BUFFER && shared == leaf->preferred;
  // An element-wise step may as well write straight to where its result is wanted. And what has to
  // be copied from the region's end on must not be in the way of another result.
  const tn_op_t* op = step->plan.node->op;
  bool prefers_other =
      !shares_preferred && leaf->preferred != NO_BUFFER && shared != NO_BUFFER &&
      (free_preferred ? tn__op_has(op, TN_ELEMENTWISE) || op == TN__OP_OF(tenon, fusion)
                      : planner->places[shared].target_count > 0);
  if (shared != NO_BUFFER && !prefers_other) {
    occupy(planner, leaf, shared);
  } else if (free_preferred) {
    occupy(planner, leaf, leaf->preferred);
  } else {
    return own_buffer(planner, leaf);
  }
  return TN_OK;
}

TN_APART static tn_status_t add_scratch(planner_t* planner, step_t* step) {
  if (step->plan.site.scratch_byte_size == 0) return TN_OK;
  return tn__plan_add_buffer(
      planner,
      (tn_plan_buffer_t){
          .kind = step->plan.node->placement == TN_ON_DEVICE ? TN_PLAN_TEMPORARY
                                                             : TN_PLAN_HOST_TEMPORARY,
          .byte_size = step->plan.site.scratch_byte_size,
          .begin = step->plan.begin,
          .end = step->plan.position,
          .parameter = TN_PLAN_NONE,
      },
      step->plan.position, &step->plan.scratch);
}

static void count_operands(planner_t* planner, const step_t* step) {
  for (size_t i = 0; i < step->plan.operand_count; ++i) {
    planner->places[planner->leaves[step->operands[i]].buffer].operand_count = 0;
  }
  for (size_t i = 0; i < step->plan.operand_count; ++i) {
    ++planner->places[planner->leaves[step->operands[i]].buffer].operand_count;
  }
}

// Declared aliases of a custom call: the result is in the operand's storage, or in that of a copy
// when the operand lives on.
TN_APART static tn_status_t place_aliases(planner_t* planner, step_t* step) {
  const tn_node_t* node = step->plan.node;
  if (step->alias_count) count_operands(planner, step);
  for (size_t i = 0; i < step->alias_count; ++i) {
    uint32_t o = step->aliases[i].operand, r = step->aliases[i].result;
    const leaf_t* operand = &planner->leaves[step->operands[o]];
    leaf_t* result = &planner->leaves[step->results[r]];
    if (result->buffer != NO_BUFFER || !same_size(operand, result)) continue;
    if (gives_up_buffer(planner, operand, step->plan.position) &&
        planner->places[operand->buffer].operand_count == 1) {
      occupy(planner, result, operand->buffer);
      continue;
    }
    uint32_t from = operand->buffer;
    result->definition = step->plan.begin - 1;
    if (preferred_is_free(planner, result, step->plan.begin - 1)) {
      occupy(planner, result, result->preferred);
    } else {
      TN_RETURN_IF_ERROR(own_buffer(planner, result));
    }
    if (!step->moved_operands) {
      TN_RETURN_IF_ERROR(
          TN_ARENA_ARRAY(&planner->scratch, step->plan.operand_count, &step->moved_operands));
      memset(step->moved_operands, 0xff, step->plan.operand_count * sizeof *step->moved_operands);
    }
    step->moved_operands[o] = result->buffer;
    TN_RETURN_IF_ERROR(tn__plan_add_copy(
        planner, &step->copies, &step->copy_count, &step->copy_capacity,
        (copy_t){from, result->buffer, node, "the aliased operand is needed again"}));
  }
  return TN_OK;
}

// The carries of a loop: one buffer each, for operand (where it dies), arguments of both regions,
// and result.
static tn_status_t assign_while(planner_t* planner, step_t* step) {
  uint32_t before = step->plan.begin - 1;
  size_t count = step->plan.result_count;
  uint32_t* carries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, count, &carries));
  for (size_t i = 0; i < count; ++i) {
    leaf_t* result = &planner->leaves[step->results[i]];
    const leaf_t* operand = &planner->leaves[step->operands[i]];
    if (gives_up_buffer(planner, operand, before)) {
      occupy(planner, result, operand->buffer);
    } else if (preferred_is_free(planner, result, before)) {
      occupy(planner, result, result->preferred);
    } else {
      TN_RETURN_IF_ERROR(own_buffer(planner, result));
    }
    carries[i] = result->buffer;
    if (operand->buffer != carries[i]) {
      TN_RETURN_IF_ERROR(tn__plan_add_copy(
          planner, &step->copies, &step->copy_count, &step->copy_capacity,
          (copy_t){operand->buffer, carries[i], step->plan.node, "initial value of a loop carry"}));
    }
  }
  for (size_t b = 0; b < step->plan.block_count; ++b) {
    block_t* block = &step->blocks[b];
    bool is_condition = b == 0;
    for (size_t i = 0; i < count; ++i) {
      leaf_t* argument = &planner->leaves[block->arguments[i]];
      argument->buffer = carries[i];
      // The condition leaves all carries as they are. Inside the body a carry is free from its
      // argument's last use until the new value is in it.
      planner->places[carries[i]].occupied_until = is_condition ? block->end : argument->last_use;
    }
    TN_RETURN_IF_ERROR(
        assign_block(planner, block, is_condition ? NULL : carries, step->plan.node));
  }
  for (size_t i = 0; i < count; ++i) {
    planner->places[carries[i]].occupied_until = planner->leaves[step->results[i]].last_use;
  }
  return TN_OK;
}

// Branches write their results straight into the step's.
static tn_status_t assign_branches(planner_t* planner, step_t* step) {
  size_t count = step->plan.result_count;
  uint32_t* targets = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, count, &targets));
  for (size_t i = 0; i < count; ++i) {
    leaf_t* result = &planner->leaves[step->results[i]];
    if (preferred_is_free(planner, result, step->plan.begin)) {
      occupy(planner, result, result->preferred);
    } else {
      TN_RETURN_IF_ERROR(own_buffer(planner, result));
    }
    targets[i] = result->buffer;
  }
  for (size_t b = 0; b < step->plan.block_count; ++b) {
    for (size_t i = 0; i < count; ++i)
      planner->places[targets[i]].occupied_until = step->plan.begin;
    TN_RETURN_IF_ERROR(assign_block(planner, &step->blocks[b], targets, step->plan.node));
  }
  for (size_t i = 0; i < count; ++i) {
    planner->places[targets[i]].occupied_until = planner->leaves[step->results[i]].last_use;
  }
  return TN_OK;
}

// Regions that a kernel runs as callbacks: their arguments are places that the kernel fills.
static tn_status_t assign_bodies(planner_t* planner, step_t* step) {
  for (size_t b = 0; b < step->plan.block_count; ++b) {
    block_t* block = &step->blocks[b];
    for (size_t i = 0; i < block->argument_count; ++i) {
      leaf_t* argument = &planner->leaves[block->arguments[i]];
      tn_plan_buffer_t buffer = temporary(argument);
      buffer.begin = step->plan.begin;
      buffer.end = step->plan.position;
      TN_RETURN_IF_ERROR(
          tn__plan_add_buffer(planner, buffer, argument->last_use, &argument->buffer));
    }
    TN_RETURN_IF_ERROR(assign_block(planner, block, NULL, step->plan.node));
    // The kernel reads the results after the region's end.
    for (size_t i = 0; i < block->result_count; ++i) {
      tn_plan_buffer_t* buffer = buffer_of(planner, &planner->leaves[block->results[i]]);
      if (buffer->end < step->plan.position) buffer->end = step->plan.position;
    }
  }
  return TN_OK;
}

static tn_status_t assign_step(planner_t* planner, step_t* step) {
  const tn_node_t* node = step->plan.node;
  if (node->op == TN__OP(while)) return assign_while(planner, step);
  if (step->plan.block_count && !tn__plan_repeats(node)) return assign_branches(planner, step);
  TN_RETURN_IF_ERROR(place_aliases(planner, step));
  for (size_t i = 0; i < step->plan.result_count; ++i) {
    TN_RETURN_IF_ERROR(place_result(planner, step, i));
  }
  TN_RETURN_IF_ERROR(add_scratch(planner, step));
  return assign_bodies(planner, step);
}

// --- blocks

static tn_status_t assign_block(planner_t* planner, block_t* block, const uint32_t* targets,
                                const tn_node_t* owner) {
  for (size_t i = 0; targets && i < block->result_count; ++i) {
    prefer(planner, block->results[i], targets[i], block->region);
    ++planner->places[targets[i]].target_count;
    planner->places[targets[i]].wanted_at = planner->leaves[block->results[i]].definition;
  }
  propagate_preferences(planner, block);
  for (size_t i = 0; i < block->step_count; ++i) {
    TN_RETURN_IF_ERROR(assign_step(planner, &block->steps[i]));
  }
  for (size_t i = 0; targets && i < block->result_count; ++i) {
    --planner->places[targets[i]].target_count;
  }
  return targets ? tn__plan_move_results(planner, block, targets, owner) : TN_OK;
}

// --- the function

// `donation_target`: a leaf of the results, or -1.
static tn_status_t place_argument(planner_t* planner, uint32_t number, const uint32_t* targets,
                                  int64_t donation_target) {
  leaf_t* leaf = &planner->leaves[planner->block.arguments[number]];
  tn_plan_buffer_t* result =
      donation_target < 0 ? NULL : &planner->plan->buffers[targets[donation_target]];
  if (result && result->byte_size == tn__type_byte_size(leaf->type) &&
      result->parameter == TN_PLAN_NONE) {
    result->parameter = (int64_t)number;
    occupy(planner, leaf, targets[donation_target]);
    return TN_OK;
  }
  tn_plan_buffer_t buffer = temporary(leaf);
  buffer.kind = TN_PLAN_PARAMETER;
  buffer.index = number;
  return tn__plan_add_buffer(planner, buffer, leaf->last_use, &leaf->buffer);
}

static tn_status_t place_arguments(planner_t* planner, const uint32_t* targets) {
  const tn_function_t* function = planner->plan->function;
  uint32_t next = 0;
  int64_t* donation_targets = NULL;
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(&planner->scratch, function->argument_count, &donation_targets));
  TN_RETURN_IF_ERROR(tn__plan_find_donation_targets(planner, donation_targets));
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    size_t count = tn_type_leaf_count(function->argument_types[i]);
    for (size_t k = 0; k < count; ++k) {
      TN_RETURN_IF_ERROR(place_argument(planner, next++, targets, donation_targets[i]));
    }
  }
  return TN_OK;
}

tn_status_t tn__plan_assign(planner_t* planner) {
  block_t* block = &planner->block;
  // Constants came with the walk.
  void* places = NULL;
  TN_RETURN_IF_ERROR(tn__grow(planner->allocator, &places, &planner->place_capacity,
                              planner->buffer_capacity + 1, sizeof *planner->places));
  planner->places = places;
  uint32_t* targets = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, block->result_count, &targets));
  for (size_t i = 0; i < block->result_count; ++i) {
    const leaf_t* leaf = &planner->leaves[block->results[i]];
    tn_plan_buffer_t buffer = temporary(leaf);
    buffer.kind = TN_PLAN_RESULT;
    buffer.index = (uint32_t)i;
    TN_RETURN_IF_ERROR(tn__plan_add_buffer(planner, buffer, 0, &targets[i]));
  }
  TN_RETURN_IF_ERROR(place_arguments(planner, targets));
  return assign_block(planner, block, targets, NULL);
}
