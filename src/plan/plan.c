// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "plan/plan.h"

#include "base/pool.h"
#include "kernel/encoder.h"
#include "plan/planner.h"

// --- copies that the plan adds

enum { COPY_GRAIN_BYTES = 1 << 20, QUICK_COPY_BYTES = 16 << 10 };

typedef struct copy_run {
  const char* from;
  char* to;
} copy_run_t;

static tn_status_t copy_range(int64_t begin, int64_t end, void* user) {
  const copy_run_t* run = user;
  memcpy(run->to + begin, run->from + begin, (size_t)(end - begin));
  return TN_OK;
}

static tn_status_t run_copy(const tn_kernel_call_t* call) {
  const size_t* byte_size = call->state;
  tn_encoder_t* encoder = call->context->encoder;
  if (encoder) return encoder->copy(encoder, call->results[0], call->operands[0], *byte_size);
  copy_run_t run = {call->operands[0], call->results[0]};
  return tn__pool_parallel_for(call->context->pool, (int64_t)*byte_size, COPY_GRAIN_BYTES,
                               copy_range, &run);
}

static tn_status_t run_quick_copy(const tn_kernel_call_t* call) {
  memcpy(call->results[0], call->operands[0], *(const size_t*)call->state);
  return TN_OK;
}

#define COPY(bits_count)                                                                  \
  TN_THREADED(copy_##bits_count) {                                                        \
    *(uint##bits_count##_t*)cell[2].data = *(const uint##bits_count##_t*)cell[1].operand; \
    TN_THREADED_NEXT(3);                                                                  \
  }                                                                                       \
  static const tn_threaded_fn copies_##bits_count[] = {copy_##bits_count};
COPY(8)
COPY(16)
COPY(32)
COPY(64)
#undef COPY

static tn_threaded_forms_t find_copies(size_t byte_size) {
  switch (byte_size) {
    case 1: return copies_8;
    case 2: return copies_16;
    case 4: return copies_32;
    case 8: return copies_64;
    default: return NULL;
  }
}

static const tn_kernel_t copy_kernel = {.op = "copy", .name = "plan.copy", .run = run_copy};

// --- from the planner's lists to the plan's arrays

static tn_status_t finish_block(planner_t* planner, const block_t* from, tn_plan_block_t* to);

static tn_status_t finish_copy(planner_t* planner, const copy_t* copy, uint32_t position,
                               tn_plan_step_t* out) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate(planner->arena, sizeof(size_t) + 2 * sizeof(uint32_t), &memory));
  size_t* byte_size = memory;
  uint32_t* places = (uint32_t*)(byte_size + 1);
  *byte_size = planner->plan->buffers[copy->to].byte_size;
  places[0] = copy->from;
  places[1] = copy->to;
  *out = (tn_plan_step_t){
      .node = copy->node,
      .reason = copy->reason,
      .kernel = &copy_kernel,
      .site = {.arena = planner->arena,
               .state = byte_size,
               .run_quick = *byte_size <= QUICK_COPY_BYTES ? run_quick_copy : NULL,
               .threaded = find_copies(*byte_size)},
      .position = position,
      .begin = position,
      .operand_count = 1,
      .result_count = 1,
      .operands = &places[0],
      .results = &places[1],
      .scratch = NO_BUFFER,
  };
  return TN_OK;
}

static tn_status_t finish_leaves(planner_t* planner, size_t count, const uint32_t* leaves,
                                 uint32_t** out_buffers) {
  *out_buffers = NULL;
  uint32_t* buffers = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(planner->arena, count, &buffers));
  for (size_t i = 0; i < count; ++i) buffers[i] = planner->leaves[leaves[i]].buffer;
  *out_buffers = buffers;
  return TN_OK;
}

static tn_status_t finish_step(planner_t* planner, const step_t* from, tn_plan_step_t* to) {
  *to = from->plan;
  TN_RETURN_IF_ERROR(
      finish_leaves(planner, from->plan.operand_count, from->operands, &to->operands));
  TN_RETURN_IF_ERROR(finish_leaves(planner, from->plan.result_count, from->results, &to->results));
  for (size_t i = 0; from->moved_operands && i < from->plan.operand_count; ++i) {
    if (from->moved_operands[i] != NO_BUFFER) to->operands[i] = from->moved_operands[i];
  }
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(planner->arena, from->plan.block_count, &to->blocks));
  for (size_t b = 0; b < from->plan.block_count; ++b) {
    TN_RETURN_IF_ERROR(finish_block(planner, &from->blocks[b], &to->blocks[b]));
  }
  return TN_OK;
}

static tn_status_t finish_block(planner_t* planner, const block_t* from, tn_plan_block_t* to) {
  size_t count = from->step_count + from->copy_count;
  for (size_t i = 0; i < from->step_count; ++i) count += from->steps[i].copy_count;
  *to = (tn_plan_block_t){
      .argument_count = from->argument_count,
      .result_count = from->result_count,
  };
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(planner->arena, count, &to->steps));
  for (size_t i = 0; i < from->step_count; ++i) {
    const step_t* step = &from->steps[i];
    for (size_t c = 0; c < step->copy_count; ++c) {
      TN_RETURN_IF_ERROR(finish_copy(planner, &step->copies[c], step->plan.begin - 1,
                                     &to->steps[to->step_count++]));
    }
    TN_RETURN_IF_ERROR(finish_step(planner, step, &to->steps[to->step_count++]));
  }
  for (size_t c = 0; c < from->copy_count; ++c) {
    TN_RETURN_IF_ERROR(
        finish_copy(planner, &from->copies[c], from->end, &to->steps[to->step_count++]));
  }
  TN_RETURN_IF_ERROR(finish_leaves(planner, from->argument_count, from->arguments, &to->arguments));
  return finish_leaves(planner, from->result_count, from->results, &to->results);
}

static void add_result_leaf(void* user, const tn_type_t* type) {
  tn_plan_t* plan = user;
  plan->result_leaves[plan->result_leaf_count++] = type;
}

static tn_status_t finish_signature(planner_t* planner) {
  tn_plan_t* plan = planner->plan;
  const block_t* block = &planner->block;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(planner->arena, block->argument_count + block->result_count,
                                    &plan->parameter_leaves));
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(planner->arena, block->argument_count, &plan->parameter_values));
  plan->parameter_leaf_count = block->argument_count;
  for (size_t i = 0; i < block->argument_count; ++i) {
    plan->parameter_leaves[i] = planner->leaves[block->arguments[i]].type;
    plan->parameter_values[i] = planner->leaves[block->arguments[i]].value;
  }
  plan->result_leaves = plan->parameter_leaves + block->argument_count;
  // The leaf's own type may be another one: a reshape shares its operand's leaf.
  const tn_node_t* last = block->region->last;
  for (uint32_t i = 0; i < last->operand_count; ++i) {
    tn__type_for_each_leaf(last->operands[i]->type, add_result_leaf, plan);
  }
  for (size_t i = 0; i < planner->leaf_count; ++i) {
    plan->total_byte_size += tn__type_byte_size(planner->leaves[i].type);
  }
  plan->position_count = planner->position + 1;
  return TN_OK;
}

// Buffers grew in the allocator; the plan keeps them in its arena.
static tn_status_t finish_buffers(planner_t* planner) {
  tn_plan_t* plan = planner->plan;
  tn_plan_buffer_t* buffers = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(planner->arena, plan->buffer_count, plan->buffers, &buffers));
  tn__free(planner->allocator, plan->buffers, planner->buffer_capacity * sizeof *plan->buffers);
  plan->buffers = buffers;
  planner->buffer_capacity = 0;
  return TN_OK;
}

static void release_block(planner_t* planner, block_t* block, bool has_failed) {
  for (size_t i = 0; i < block->step_count; ++i) {
    step_t* step = &block->steps[i];
    tn_kernel_site_t* site = &step->plan.site;
    if (has_failed && site->state && site->state_deinit) site->state_deinit(site->state);
    for (size_t b = 0; step->blocks && b < step->plan.block_count; ++b) {
      release_block(planner, &step->blocks[b], has_failed);
    }
    tn__free(planner->allocator, step->copies, step->copy_capacity * sizeof *step->copies);
  }
  tn__free(planner->allocator, block->steps, block->step_capacity * sizeof *block->steps);
  tn__free(planner->allocator, block->copies, block->copy_capacity * sizeof *block->copies);
}

tn_status_t tn__plan_create(tn_function_t* function, tn_arena_t* arena,
                            const tn_plan_options_t* options, tn_plan_t** out_plan) {
  tn_status_t status = TN_OK;
  planner_t planner = {.arena = arena, .allocator = arena->allocator, .options = options};
  *out_plan = NULL;
  if (!function->body) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "function @%.*s has no body",
                            TN_SV(function->name));
  }
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &planner.plan));
  planner.plan->function = function;
  planner.plan->arena = arena;
  tn__arena_init(&planner.scratch, arena->allocator);
  TN_DONE_IF_ERROR(tn__plan_walk(&planner, function));
  TN_DONE_IF_ERROR(tn__plan_assign(&planner));
  TN_DONE_IF_ERROR(finish_signature(&planner));
  TN_DONE_IF_ERROR(finish_block(&planner, &planner.block, &planner.plan->block));
  TN_DONE_IF_ERROR(finish_buffers(&planner));
  TN_DONE_IF_ERROR(tn__plan_pack(planner.plan));
  *out_plan = planner.plan;
done:
  release_block(&planner, &planner.block, status != TN_OK);
  if (planner.buffer_capacity) {
    tn__free(planner.allocator, planner.plan->buffers,
             planner.buffer_capacity * sizeof *planner.plan->buffers);
  }
  tn__free(planner.allocator, planner.leaves, planner.leaf_capacity * sizeof *planner.leaves);
  tn__free(planner.allocator, planner.places, planner.place_capacity * sizeof *planner.places);
  tn__arena_deinit(&planner.scratch);
  return status;
}

static void deinit_block(tn_plan_block_t* block) {
  for (size_t i = 0; i < block->step_count; ++i) {
    tn_plan_step_t* step = &block->steps[i];
    if (step->site.state && step->site.state_deinit) step->site.state_deinit(step->site.state);
    for (size_t b = 0; b < step->block_count; ++b) deinit_block(&step->blocks[b]);
  }
}

void tn__plan_deinit(tn_plan_t* plan) {
  if (plan) deinit_block(&plan->block);
}
