// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/pending.h"

#include "pass/passes.h"
#include "program/observe.h"

// --- what depends on what

// The buffer that an entry of the table of pointers leads into: all of it, since views have
// strides.
typedef struct extent {
  uint32_t buffer;
  uintptr_t begin;
  size_t byte_size;
} extent_t;

static extent_t extent_of(const tn_activation_t* activation, uint32_t pointer) {
  const tn_program_t* program = activation->program;
  const tn_program_unit_t* unit = NULL;
  const uint32_t buffer = program->pointer_buffers[pointer];
  const int64_t offset = program->pointer_offsets ? program->pointer_offsets[pointer] : 0;
  return (extent_t){buffer, (uintptr_t)activation->pointers[pointer] - (uintptr_t)offset,
                    tn__program_buffer(program, buffer, &unit)->byte_size};
}

// Tokens have no bytes, but one buffer for operations that pass them on.
static bool overlaps(const extent_t* a, const extent_t* b) {
  if (a->buffer == b->buffer) return true;
  return a->begin < b->begin + b->byte_size && b->begin < a->begin + a->byte_size;
}

static bool is_among(const tn_activation_t* activation, const extent_t* extent, uint32_t first,
                     uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const extent_t other = extent_of(activation, first + i);
    if (overlaps(extent, &other)) return true;
  }
  return false;
}

// Whether the bytes that `count` pointers stand for are written by the pending call, or, when they
// are to be written, used by it.
static bool meet(const tn_activation_t* activation, const tn_instruction_t* pending, uint32_t first,
                 uint32_t count, bool is_written) {
  for (uint32_t i = 0; i < count; ++i) {
    const extent_t extent = extent_of(activation, first + i);
    if (is_among(activation, &extent, pending->first_result, pending->result_count)) return true;
    if (is_written &&
        is_among(activation, &extent, pending->first_operand, pending->operand_count)) {
      return true;
    }
  }
  return false;
}

static bool uses_bytes(const tn_activation_t* activation, const tn_instruction_t* pending,
                       const tn_instruction_t* instruction);

// Regions write their arguments and results.
static bool block_uses_bytes(const tn_activation_t* activation, const tn_instruction_t* pending,
                             const tn_program_block_t* block) {
  if (meet(activation, pending, block->first_argument, block->argument_count, true) ||
      meet(activation, pending, block->first_result, block->result_count, true)) {
    return true;
  }
  for (uint32_t i = 0; i < block->instruction_count; ++i) {
    const uint32_t index = block->first_instruction + i;
    if (uses_bytes(activation, pending, &activation->program->instructions[index])) return true;
  }
  return false;
}

// A unit uses its caller's operands and results, and temporaries of its own.
static bool uses_bytes(const tn_activation_t* activation, const tn_instruction_t* pending,
                       const tn_instruction_t* instruction) {
  if (meet(activation, pending, instruction->first_operand, instruction->operand_count, false) ||
      meet(activation, pending, instruction->first_result, instruction->result_count, true)) {
    return true;
  }
  if (instruction->scratch != TN_PROGRAM_NONE &&
      meet(activation, pending, instruction->scratch, 1, true)) {
    return true;
  }
  for (uint32_t i = 0; i < instruction->block_count; ++i) {
    const tn_program_block_t* block = &activation->program->blocks[instruction->first_block + i];
    if (block_uses_bytes(activation, pending, block)) return true;
  }
  return false;
}

static bool has_effects(const tn_instruction_t* instruction) {
  const tn_plan_step_t* step = instruction->step;
  return step->node && !step->reason && !tn__pass_is_pure(step->node);
}

static bool depends(const tn_activation_t* activation, const tn_instruction_t* instruction,
                    const tn_instruction_t* pending) {
  if (has_effects(pending) && has_effects(instruction)) return true;
  return uses_bytes(activation, pending, instruction);
}

// --- waiting

// Without room for more calls kernels wait themselves.
static void set_count(tn_activation_t* activation, uint32_t count) {
  activation->pending_count = count;
  activation->context.pending = count < TN_PENDING_LIMIT ? &activation->left : NULL;
}

static const tn_instruction_t* instruction_of(const tn_activation_t* activation,
                                              const tn_pending_call_t* call) {
  return &activation->program->instructions[call->instruction];
}

void tn__pending_add(tn_pending_block_t block, uint32_t instruction, int64_t begin_ns) {
  tn_activation_t* activation = block.activation;
  activation->pending[activation->pending_count] =
      (tn_pending_call_t){instruction, begin_ns, activation->left};
  set_count(activation, activation->pending_count + 1);
}

static tn_status_t finish(const tn_activation_t* activation, const tn_pending_call_t* call) {
  tn_status_t status = call->work.finish(call->work.user);
  tn_observer_t* observer = activation->observer;
  if (observer) {
    const tn_observation_t observation = {observer, observer->depth, call->begin_ns};
    tn__observe_report(activation, call->instruction, observation, true);
  }
  return status ? tn__instruction_locate(instruction_of(activation, call), status) : TN_OK;
}

// Waits for the calls from `first` up to `end`. Returns the first error, or else `status`; takes
// it.
static tn_status_t finish_range(tn_activation_t* activation, uint32_t first, uint32_t end,
                                tn_status_t status) {
  tn_status_t earliest = TN_OK;
  for (uint32_t i = first; i < end; ++i) {
    tn_status_t error = finish(activation, &activation->pending[i]);
    if (earliest) {
      tn_status_release(error);
    } else {
      earliest = error;
    }
  }
  if (!earliest) return status;
  tn_status_release(status);
  return earliest;
}

tn_status_t tn__pending_end(tn_pending_block_t block, tn_status_t status) {
  tn_activation_t* activation = block.activation;
  status = finish_range(activation, block.base, activation->pending_count, status);
  set_count(activation, block.base);
  return status;
}

// Waits for one, and forgets it. After an error, for all.
static tn_status_t finish_one(tn_pending_block_t block, uint32_t index) {
  tn_activation_t* activation = block.activation;
  const uint32_t count = activation->pending_count;
  tn_status_t status = finish(activation, &activation->pending[index]);
  if (!status) {
    memmove(&activation->pending[index], &activation->pending[index + 1],
            (count - index - 1) * sizeof *activation->pending);
    set_count(activation, count - 1);
    return TN_OK;
  }
  status = finish_range(activation, block.base, index, status);
  tn_status_release(finish_range(activation, index + 1, count, TN_OK));
  set_count(activation, block.base);
  return status;
}

tn_status_t tn__pending_await(tn_pending_block_t block, uint32_t instruction) {
  tn_activation_t* activation = block.activation;
  const tn_instruction_t* next = &activation->program->instructions[instruction];
  for (uint32_t i = block.base; i < activation->pending_count;) {
    if (depends(activation, next, instruction_of(activation, &activation->pending[i]))) {
      TN_RETURN_IF_ERROR(finish_one(block, i));
    } else {
      ++i;
    }
  }
  return TN_OK;
}
