// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A plan for each function that is still called, and the unit's place in the arena.
#include "call/call.h"
#include "pass/pass.h"
#include "program/program.h"

// --- leaves of tuples

typedef struct leaf_tally {
  size_t count;
  const tn_function_t* function;
} leaf_tally_t;

static tn_status_t add_leaves(leaf_tally_t* tally, const tn_node_t* node, const char* what,
                              uint32_t index, const tn_type_t* type) {
  if (type->kind != TN_TYPE_TUPLE) return TN_OK;
  tally->count += tn_type_leaf_count(type);
  if (tally->count <= TN_LIMIT_TUPLE_LEAVES) return TN_OK;
  tn_status_t status =
      tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                       "%s: with %s %u, a tuple of %zu arrays, the tuples of the program have %zu "
                       "arrays; expected at most %d",
                       node ? tn__op_short_name(node->op) : "func", what, index,
                       tn_type_leaf_count(type), tally->count, TN_LIMIT_TUPLE_LEAVES);
  return node ? tn__node_locate(node, status) : tn__function_locate(tally->function, status);
}

// Types are shared, so a short program can have tuples of very many arrays. The plan lists those of
// each argument, result and operand; get_tuple_element alone lists none.
static tn_status_t tally_region(leaf_tally_t* leaves, const tn_region_t* region) {
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    TN_RETURN_IF_ERROR(
        add_leaves(leaves, region->parent, "argument", i, region->arguments[i].type));
  }
  TN_FOR_EACH_NODE (node, region) {
    const bool lists_operands = node->op != TN__OP(get_tuple_element);
    for (uint32_t i = 0; lists_operands && i < node->operand_count; ++i) {
      TN_RETURN_IF_ERROR(add_leaves(leaves, node, "operand", i, node->operands[i]->type));
    }
    for (uint32_t i = 0; i < node->result_count; ++i) {
      TN_RETURN_IF_ERROR(add_leaves(leaves, node, "result", i, node->results[i].type));
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(tally_region(leaves, node->regions[i]));
    }
  }
  return TN_OK;
}

static tn_status_t check_leaves(const tn_reached_functions_t* reached) {
  leaf_tally_t leaves = {0};
  for (size_t i = 0; i < reached->count; ++i) {
    leaves.function = reached->functions[i];
    if (leaves.function->body) {
      TN_RETURN_IF_ERROR(tally_region(&leaves, leaves.function->body));
    }
  }
  return TN_OK;
}

// --- plans

static tn_status_t plan_unit(tn_program_t* program, tn_function_t* function,
                             tn_call_cache_t* calls) {
  tn_program_unit_t* unit = &program->units[program->unit_count];
  tn_plan_options_t options = {.is_entry = program->unit_count == 0, .calls = calls};
  TN_RETURN_IF_ERROR(tn__plan_create(function, &program->arena, &options, &unit->plan));
  program->unit_numbers[function->index] = (uint32_t)program->unit_count++;
  unit->first_buffer = (uint32_t)program->buffer_count;
  program->buffer_count += unit->plan->buffer_count;
  if (program->buffer_count < TN_PROGRAM_NONE) return TN_OK;
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "the program has 2^32 buffers or more");
}

// Callers before callees, so the entry is the first.
static tn_status_t plan_all(tn_program_t* program, const tn_reached_functions_t* reached) {
  tn_status_t status = TN_OK;
  tn_call_cache_t calls;
  tn__call_cache_init(&calls, program->arena.allocator);
  for (size_t i = reached->count; i-- > 0 && !status;) {
    status = plan_unit(program, reached->functions[i], &calls);
  }
  tn__call_cache_deinit(&calls);
  return status;
}

static tn_status_t plan_units(tn_program_t* program, tn_function_t* entry) {
  tn_reached_functions_t reached;
  size_t function_count = 0;
  TN_RETURN_IF_ERROR(tn__pass_reach(program->module, entry, &program->arena, &reached));
  TN_RETURN_IF_ERROR(check_leaves(&reached));
  for (tn_function_t* f = program->module->first_function; f; f = f->next) ++function_count;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, function_count, &program->unit_numbers));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, reached.count, &program->units));
  return plan_all(program, &reached);
}

// --- places, and how deep calls nest

// A run is inside of so many regions and calls at once, each of them a few frames of the stack.
enum { NESTING_LIMIT = 1000 };

typedef struct placer {
  tn_program_t* program;
  size_t caller_end, host_caller_end;  // of the caller's temporaries
  uint32_t* depths;                    // by unit: of its deepest call
} placer_t;

static void raise_to(size_t* value, size_t least) {
  if (*value < least) *value = least;
}

static tn_status_t place_callees(placer_t* placer, const tn_plan_block_t* block, uint32_t depth) {
  tn_program_t* program = placer->program;
  for (size_t i = 0; i < block->step_count; ++i) {
    const tn_plan_step_t* step = &block->steps[i];
    if ((step->callee || step->block_count) && depth >= NESTING_LIMIT) {
      return tn__node_locate(step->node,
                             tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                                              "%s: calls and regions nest deeper than %d levels",
                                              tn__op_short_name(step->node->op), NESTING_LIMIT));
    }
    if (step->callee) {
      uint32_t number = program->unit_numbers[step->callee->index];
      tn_program_unit_t* callee = &program->units[number];
      raise_to(&callee->arena_offset, placer->caller_end);
      raise_to(&callee->host_arena_offset, placer->host_caller_end);
      if (placer->depths[number] < depth + 1) placer->depths[number] = depth + 1;
    }
    for (size_t b = 0; b < step->block_count; ++b) {
      TN_RETURN_IF_ERROR(place_callees(placer, &step->blocks[b], depth + 1));
    }
  }
  return TN_OK;
}

// Each unit behind all of its callers, whose temporaries live on meanwhile. Units that are not
// active at the same time may share bytes.
static tn_status_t place_units(tn_program_t* program) {
  placer_t placer = {.program = program};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, program->unit_count, &placer.depths));
  for (size_t i = 0; i < program->unit_count; ++i) {
    const tn_program_unit_t* unit = &program->units[i];
    if (__builtin_add_overflow(unit->arena_offset, unit->plan->arena_byte_size,
                               &placer.caller_end) ||
        __builtin_add_overflow(unit->host_arena_offset, unit->plan->host_arena_byte_size,
                               &placer.host_caller_end) ||
        placer.caller_end > PTRDIFF_MAX || placer.host_caller_end > PTRDIFF_MAX) {
      return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                              "the program's temporaries exceed the address space");
    }
    raise_to(&program->arena_byte_size, placer.caller_end);
    raise_to(&program->host_arena_byte_size, placer.host_caller_end);
    TN_RETURN_IF_ERROR(place_callees(&placer, &unit->plan->block, placer.depths[i]));
  }
  return TN_OK;
}

// --- the lower bound

// The most that is live during a call of this unit or one inside.
static void raise_by_calls(const tn_program_t* program, const tn_plan_block_t* block,
                           const size_t* live, const size_t* bounds, size_t* bound) {
  for (size_t i = 0; i < block->step_count; ++i) {
    const tn_plan_step_t* step = &block->steps[i];
    if (step->callee) {
      size_t inside = bounds[program->unit_numbers[step->callee->index]];
      if (live[step->position] + inside > *bound) *bound = live[step->position] + inside;
    }
    for (size_t b = 0; b < step->block_count; ++b) {
      raise_by_calls(program, &step->blocks[b], live, bounds, bound);
    }
  }
}

static tn_status_t find_lower_bound(tn_program_t* program) {
  tn_status_t status = TN_OK;
  tn_arena_t scratch;
  tn__arena_init(&scratch, program->allocator);
  size_t* bounds = NULL;
  TN_DONE_IF_ERROR(TN_ARENA_ARRAY(&program->arena, program->unit_count, &bounds));
  for (size_t i = program->unit_count; i-- > 0;) {
    const tn_plan_t* plan = program->units[i].plan;
    size_t* live = NULL;
    bounds[i] = plan->lower_bound_byte_size;
    if (program->unit_count == 1) break;
    TN_DONE_IF_ERROR(tn__plan_live_bytes(plan, &scratch, &live));
    raise_by_calls(program, &plan->block, live, bounds, &bounds[i]);
    tn__arena_reset(&scratch);
  }
  program->lower_bound_byte_size = bounds[0];
done:
  tn__arena_deinit(&scratch);
  return status;
}

tn_status_t tn__program_plan_units(tn_program_t* program, tn_function_t* entry) {
  TN_RETURN_IF_ERROR(plan_units(program, entry));
  TN_RETURN_IF_ERROR(place_units(program));
  return find_lower_bound(program);
}
