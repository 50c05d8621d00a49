// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From plans to the flat program.
#include "base/integer.h"
#include "kernel/placement.h"
#include "program/program.h"
#include "program/threaded.h"

// Growing lists, kept in the program's allocator while it is built.
typedef struct list {
  void* items;
  size_t count, capacity, item_size;
} list_t;

typedef struct builder {
  tn_program_t* program;
  list_t instructions, blocks, pointers;
  const tn_plan_t* plan;  // of the unit that is flattened
  uint32_t first_buffer;
  uint32_t first_threaded, threaded_count;  // instructions whose cells follow each other
} builder_t;

static tn_status_t list_add(builder_t* builder, list_t* list, size_t count, uint32_t* out_first) {
  *out_first = TN_PROGRAM_NONE;
  if (list->count + count >= TN_PROGRAM_NONE) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "the program has more than 2^32 parts");
  }
  TN_RETURN_IF_ERROR(tn__grow(builder->program->allocator, &list->items, &list->capacity,
                              list->count + count, list->item_size));
  *out_first = (uint32_t)list->count;
  list->count += count;
  return TN_OK;
}

static void list_free(builder_t* builder, list_t* list) {
  tn__free(builder->program->allocator, list->items, list->capacity * list->item_size);
}

static tn_status_t list_keep(builder_t* builder, const list_t* list, void** out_items) {
  return tn__arena_copy(&builder->program->arena, list->count, list->item_size, list->items,
                        out_items);
}

static tn_instruction_t* instruction_at(builder_t* builder, uint32_t index) {
  return (tn_instruction_t*)builder->instructions.items + index;
}

static tn_program_block_t* block_at(builder_t* builder, uint32_t index) {
  return (tn_program_block_t*)builder->blocks.items + index;
}

static tn_status_t add_pointers(builder_t* builder, size_t count, const uint32_t* buffers,
                                uint32_t* out_first) {
  TN_RETURN_IF_ERROR(list_add(builder, &builder->pointers, count, out_first));
  if (count == 0) return TN_OK;
  uint32_t* pointers = (uint32_t*)builder->pointers.items + *out_first;
  for (size_t i = 0; i < count; ++i) pointers[i] = builder->first_buffer + buffers[i];
  return TN_OK;
}

// Of threaded code: entries that are to no buffer.
static tn_status_t add_cells(builder_t* builder, size_t count, uint32_t* out_first) {
  TN_RETURN_IF_ERROR(list_add(builder, &builder->pointers, count, out_first));
  uint32_t* pointers = (uint32_t*)builder->pointers.items + *out_first;
  for (size_t i = 0; i < count; ++i) pointers[i] = TN_PROGRAM_NONE;
  return TN_OK;
}

// The cell after the last instruction that is threaded so far.
static tn_status_t end_cells(builder_t* builder) {
  uint32_t cell = TN_PROGRAM_NONE;
  if (builder->threaded_count == 0) return TN_OK;
  instruction_at(builder, builder->first_threaded)->threaded_count = builder->threaded_count;
  builder->threaded_count = 0;
  return add_cells(builder, 1, &cell);
}

// The cells before the pointers of instruction `index`, if it is threaded.
static tn_status_t begin_cells(builder_t* builder, uint32_t index, tn_instruction_t* instruction) {
  const bool is_threaded =
      builder->program->device->target->is_host && tn__instruction_is_quick(instruction);
  if (!is_threaded || builder->threaded_count == TN_MOST_THREADED) {
    TN_RETURN_IF_ERROR(end_cells(builder));
  }
  if (!is_threaded) return TN_OK;
  if (builder->threaded_count++ == 0) builder->first_threaded = index;
  return add_cells(builder, tn__threaded_cells(&instruction->step->site), &instruction->first_cell);
}

// Where the site's local memory begins.
static size_t place_local(tn_program_t* program, const tn_kernel_site_t* site) {
  enum { LOCAL_ALIGNMENT = 64 };
  tn_local_share_t* share = site->local_share;
  if (share && share->is_placed) return share->offset;
  size_t offset = program->local_byte_size;
  if (share) *share = (tn_local_share_t){.is_placed = true, .offset = offset};
  program->local_byte_size += tn__align_up(site->local_byte_size, LOCAL_ALIGNMENT);
  return offset;
}

static tn_instruction_kind_t kind_of(const tn_program_t* program, const tn_plan_t* plan,
                                     const tn_plan_step_t* step) {
  if (step->callee) return TN_RUN_UNIT;
  if (program->device->target->is_host) return TN_RUN_KERNEL;
  if (step->reason) {  // a copy that the plan added
    const tn_plan_buffer_kind_t kind = plan->buffers[step->results[0]].kind;
    return kind == TN_PLAN_HOST_TEMPORARY ? TN_RUN_KERNEL : TN_LAUNCH_KERNEL;
  }
  if (step->node->op == &tn__op_to_host) return TN_COPY_TO_HOST;
  if (step->node->op == &tn__op_to_device) return TN_COPY_TO_DEVICE;
  if (step->node->placement != TN_ON_DEVICE) return TN_RUN_KERNEL;
  return tn__op_is_control(step->node->op) ? TN_RUN_CONTROL : TN_LAUNCH_KERNEL;
}

// Instructions of one block are neighbours; those of the blocks inside follow.
static tn_status_t flatten_block(builder_t* builder, const tn_plan_block_t* from,
                                 uint32_t block_index) {
  uint32_t first = 0;
  tn_program_block_t block = {.argument_count = (uint32_t)from->argument_count,
                              .result_count = (uint32_t)from->result_count,
                              .instruction_count = (uint32_t)from->step_count};
  TN_RETURN_IF_ERROR(
      add_pointers(builder, from->argument_count, from->arguments, &block.first_argument));
  TN_RETURN_IF_ERROR(add_pointers(builder, from->result_count, from->results, &block.first_result));
  TN_RETURN_IF_ERROR(list_add(builder, &builder->instructions, from->step_count, &first));
  block.first_instruction = first;
  *block_at(builder, block_index) = block;
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    const tn_plan_step_t* step = &from->steps[i];
    tn_instruction_t instruction = {
        .kind = kind_of(builder->program, builder->plan, step),
        .kernel = step->kernel,
        .state = step->site.state,
        .step = step,
        .operand_count = (uint32_t)step->operand_count,
        .result_count = (uint32_t)step->result_count,
        .block_count = (uint32_t)step->block_count,
        .scratch = TN_PROGRAM_NONE,
        .unit = TN_PROGRAM_NONE,
        .first_cell = TN_PROGRAM_NONE,
        .local_offset = place_local(builder->program, &step->site),
    };
    TN_RETURN_IF_ERROR(begin_cells(builder, first + i, &instruction));
    TN_RETURN_IF_ERROR(
        add_pointers(builder, step->operand_count, step->operands, &instruction.first_operand));
    TN_RETURN_IF_ERROR(
        add_pointers(builder, step->result_count, step->results, &instruction.first_result));
    if (step->scratch != TN_PROGRAM_NONE) {
      TN_RETURN_IF_ERROR(add_pointers(builder, 1, &step->scratch, &instruction.scratch));
    }
    instruction.next_cell = (uint32_t)builder->pointers.count;
    if (step->callee) instruction.unit = builder->program->unit_numbers[step->callee->index];
    TN_RETURN_IF_ERROR(
        list_add(builder, &builder->blocks, step->block_count, &instruction.first_block));
    *instruction_at(builder, first + i) = instruction;
  }
  TN_RETURN_IF_ERROR(end_cells(builder));
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    for (uint32_t b = 0; b < from->steps[i].block_count; ++b) {
      TN_RETURN_IF_ERROR(flatten_block(builder, &from->steps[i].blocks[b],
                                       instruction_at(builder, first + i)->first_block + b));
    }
  }
  return TN_OK;
}

// --- what instructions run

static tn_kernel_run_fn run_of(const tn_instruction_t* instruction) {
  const tn_kernel_run_fn quick = instruction->step->site.run_quick;
  if (!instruction->kernel) return NULL;
  return quick ? quick : instruction->kernel->run;
}

static tn_status_t find_runs(tn_program_t* program) {
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, program->instruction_count, &program->runs));
  for (size_t i = 0; i < program->instruction_count; ++i) {
    program->runs[i] = run_of(&program->instructions[i]);
  }
  return TN_OK;
}

// --- patches: which pointers depend on a unit's arguments and results

static tn_status_t make_patches(tn_program_t* program, tn_program_unit_t* unit,
                                const uint32_t* starts, tn_plan_buffer_kind_t kind, size_t count,
                                tn_program_patch_t** out_patches) {
  tn_program_patch_t* patches = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, count, &patches));
  for (uint32_t b = 0; b < unit->plan->buffer_count; ++b) {
    const tn_plan_buffer_t* buffer = &unit->plan->buffers[b];
    if (buffer->kind != kind) continue;
    uint32_t number = unit->first_buffer + b;
    patches[buffer->index] =
        (tn_program_patch_t){.first = starts[number], .count = starts[number + 1] - starts[number]};
  }
  *out_patches = patches;
  return TN_OK;
}

// Sorts all pointers by buffer, by counting.
static tn_status_t sort_pointers(tn_program_t* program, const uint32_t** out_starts) {
  void *starts_memory = NULL, *order_memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&program->arena, program->buffer_count + 2,
                                              sizeof(uint32_t), &starts_memory));
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&program->arena, program->pointer_count,
                                              sizeof(uint32_t), &order_memory));
  uint32_t* starts = starts_memory;
  uint32_t* order = order_memory;
  for (size_t i = 0; i < program->pointer_count; ++i) {
    if (program->pointer_buffers[i] != TN_PROGRAM_NONE) ++starts[program->pointer_buffers[i] + 2];
  }
  for (size_t b = 2; b < program->buffer_count + 2; ++b) starts[b] += starts[b - 1];
  for (uint32_t i = 0; i < program->pointer_count; ++i) {
    if (program->pointer_buffers[i] == TN_PROGRAM_NONE) continue;
    order[starts[program->pointer_buffers[i] + 1]++] = i;
  }
  program->patches = order;
  *out_starts = starts;
  return TN_OK;
}

static tn_status_t list_offsets(tn_program_t* program) {
  void* memory = NULL;
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_instruction_t* instruction = &program->instructions[i];
    const tn_view_t* views = instruction->step->site.views;
    if (!views) continue;
    if (!memory) {
      TN_RETURN_IF_ERROR(tn__arena_allocate_array(&program->arena, program->pointer_count,
                                                  sizeof(int64_t), &memory));
    }
    program->pointer_offsets = memory;
    for (uint32_t o = 0; o < instruction->operand_count; ++o) {
      program->pointer_offsets[instruction->first_operand + o] = views[o].byte_offset;
    }
  }
  return TN_OK;
}

static tn_status_t list_donation_targets(tn_program_t* program) {
  const tn_plan_t* plan = program->units[0].plan;
  size_t count = plan->parameter_leaf_count + plan->result_leaf_count;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, count, &program->donation_targets));
  program->ancestors = program->donation_targets + plan->parameter_leaf_count;
  for (size_t i = 0; i < count; ++i) program->donation_targets[i] = TN_PROGRAM_NONE;
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind != TN_PLAN_RESULT || buffer->parameter == TN_PLAN_NONE) continue;
    program->donation_targets[buffer->parameter] = buffer->index;
    program->ancestors[buffer->index] = (uint32_t)buffer->parameter;
  }
  return TN_OK;
}

const tn_plan_buffer_t* tn__program_buffer(const tn_program_t* program, uint32_t buffer,
                                           const tn_program_unit_t** out_unit) {
  size_t low = 0, high = program->unit_count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (program->units[middle].first_buffer <= buffer) {
      low = middle;
    } else {
      high = middle;
    }
  }
  *out_unit = &program->units[low];
  return &program->units[low].plan->buffers[buffer - program->units[low].first_buffer];
}

tn_status_t tn__program_build(tn_program_t* program, tn_function_t* function) {
  tn_status_t status = TN_OK;
  void* memory = NULL;
  const uint32_t* starts = NULL;
  builder_t builder = {
      .program = program,
      .instructions = {.item_size = sizeof(tn_instruction_t)},
      .blocks = {.item_size = sizeof(tn_program_block_t)},
      .pointers = {.item_size = sizeof(uint32_t)},
  };
  TN_DONE_IF_ERROR(tn__program_plan_units(program, function));
  for (size_t i = 0; i < program->unit_count; ++i) {
    uint32_t block = 0;
    tn_program_unit_t* unit = &program->units[i];
    TN_DONE_IF_ERROR(list_add(&builder, &builder.blocks, 1, &block));
    unit->block = block;
    builder.plan = unit->plan;
    builder.first_buffer = unit->first_buffer;
    TN_DONE_IF_ERROR(flatten_block(&builder, &unit->plan->block, block));
  }
  TN_DONE_IF_ERROR(list_keep(&builder, &builder.instructions, &memory));
  program->instructions = memory;
  program->instruction_count = builder.instructions.count;
  TN_DONE_IF_ERROR(list_keep(&builder, &builder.blocks, &memory));
  program->blocks = memory;
  program->block_count = builder.blocks.count;
  TN_DONE_IF_ERROR(list_keep(&builder, &builder.pointers, &memory));
  program->pointer_buffers = memory;
  program->pointer_count = builder.pointers.count;
  TN_DONE_IF_ERROR(find_runs(program));
  TN_DONE_IF_ERROR(list_offsets(program));
  tn__threaded_choose(program);
  TN_DONE_IF_ERROR(sort_pointers(program, &starts));
  TN_DONE_IF_ERROR(list_donation_targets(program));
  TN_DONE_IF_ERROR(tn__program_place_constants(program));
  for (size_t i = 0; i < program->unit_count; ++i) {
    tn_program_unit_t* unit = &program->units[i];
    TN_DONE_IF_ERROR(make_patches(program, unit, starts, TN_PLAN_PARAMETER,
                                  unit->plan->parameter_leaf_count, &unit->parameters));
    TN_DONE_IF_ERROR(make_patches(program, unit, starts, TN_PLAN_RESULT,
                                  unit->plan->result_leaf_count, &unit->results));
  }
done:
  list_free(&builder, &builder.instructions);
  list_free(&builder, &builder.blocks);
  list_free(&builder, &builder.pointers);
  return status;
}
