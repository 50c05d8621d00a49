// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/activation.h"

#include "program/observe.h"
#include "program/pending.h"
#include "program/threaded.h"

enum {
  KEPT_ACTIVATIONS = 8,
  KEPT_BYTE_LENGTH = 4096,  // of temporaries, by each of them
  MOST_UNCHECKED = 256,     // quick instructions
};

// Behind tn_body_t.user: a block of an activation, or the unit that a call instruction runs.
typedef struct tn_frame {
  tn_activation_t* activation;
  uint32_t block;
  const tn_instruction_t* instruction;  // its first one
} tn_frame_t;

// --- running

tn_status_t tn__instruction_locate(const tn_instruction_t* instruction, tn_status_t status) {
  const tn_node_t* node = instruction->step->node;
  return node ? tn__node_locate(node, status) : status;
}

static tn_status_t run_call(tn_activation_t* activation, const tn_instruction_t* instruction);

static tn_status_t run_instruction(tn_activation_t* activation, uint32_t index) {
  const tn_kernel_run_fn run = activation->program->runs[index];
  return run ? run(&activation->calls[index])
             : run_call(activation, &activation->program->instructions[index]);
}

static tn_status_t run_observed(tn_pending_block_t pending, uint32_t index) {
  tn_activation_t* activation = pending.activation;
  const tn_observation_t observation = tn__observe_begin(activation, index);
  tn_status_t status = run_instruction(activation, index);
  if (status == tn__status_pending()) {
    tn__pending_add(pending, index, observation.begin_ns);
    status = TN_OK;
  } else {
    tn__observe_report(activation, index, observation, false);
  }
  tn__observe_end(activation, observation);
  return status;
}

// One instruction, after the pending calls that it depends on.
static tn_status_t run_watched(tn_pending_block_t pending, uint32_t index) {
  const tn_activation_t* activation = pending.activation;
  tn_status_t status = tn__interrupt_check(activation->environment.interrupt);
  if (!status) status = tn__pending_await(pending, index);
  if (!status) status = run_observed(pending, index);
  return status ? tn__instruction_locate(&activation->program->instructions[index], status) : TN_OK;
}

// What follows a call that a handler completes later, as far as it does not need the call's end.
static tn_status_t run_beside(tn_activation_t* activation, const tn_program_block_t* block,
                              uint32_t index) {
  const uint32_t end = block->first_instruction + block->instruction_count;
  const tn_pending_block_t pending = tn__pending_begin(activation);
  tn_status_t status = TN_OK;
  tn__pending_add(pending, index, 0);
  while (!status && ++index < end) status = run_watched(pending, index);
  return tn__pending_end(pending, status);
}

// The same for a run that is observed.
static tn_status_t run_block_watched(tn_activation_t* activation, const tn_program_block_t* block) {
  const tn_pending_block_t pending = tn__pending_begin(activation);
  tn_status_t status = TN_OK;
  for (uint32_t i = 0; !status && i < block->instruction_count; ++i) {
    status = run_watched(pending, block->first_instruction + i);
  }
  return tn__pending_end(pending, status);
}

// Loops of small bodies are interrupted between some turns.
static inline tn_status_t check_sometimes(tn_activation_t* activation, uint32_t instruction_count) {
  const tn_interrupt_t* interrupt = activation->environment.interrupt;
  if (!interrupt) return TN_OK;
  activation->unchecked_count += 1 + instruction_count;
  if (__builtin_expect(activation->unchecked_count <= MOST_UNCHECKED, 1)) return TN_OK;
  activation->unchecked_count = 0;
  return tn__interrupt_check(interrupt);
}

// Neither fails nor pends.
static inline void run_threaded(const tn_activation_t* activation,
                                const tn_instruction_t* instruction) {
  const tn_cell_t* cell = tn__threaded_at(activation, instruction);
  cell->run(cell, 0, 0, 0);
}

static tn_status_t run_block(tn_activation_t* activation, uint32_t index) {
  const tn_program_block_t* block = &activation->program->blocks[index];
  const tn_interrupt_t* interrupt = activation->environment.interrupt;
  // A loop of nothing ends as well.
  if (interrupt) TN_RETURN_IF_ERROR(tn__interrupt_check(interrupt));
  if (__builtin_expect(activation->observer != NULL, 0)) {
    return run_block_watched(activation, block);
  }
  for (uint32_t i = 0; i < block->instruction_count; ++i) {
    const uint32_t at = block->first_instruction + i;
    const tn_instruction_t* instruction = &activation->program->instructions[at];
    if (instruction->threaded_count) {
      run_threaded(activation, instruction);
      i += instruction->threaded_count - 1;
      continue;
    }
    tn_status_t status = interrupt && i ? tn__interrupt_check(interrupt) : TN_OK;
    if (!status) status = run_instruction(activation, at);
    if (__builtin_expect(status != TN_OK, 0)) {
      if (status != tn__status_pending()) return tn__instruction_locate(instruction, status);
      return run_beside(activation, block, at);
    }
  }
  return TN_OK;
}

static tn_status_t run_body(const tn_body_t* body) {
  const tn_frame_t* frame = body->user;
  return run_block(frame->activation, frame->block);
}

// Of a block that is threaded from its first instruction to its last.
static tn_status_t run_threaded_body(const tn_body_t* body) {
  const tn_frame_t* frame = body->user;
  tn_activation_t* activation = frame->activation;
  if (__builtin_expect(activation->observer != NULL, 0)) return run_body(body);
  TN_RETURN_IF_ERROR(check_sometimes(activation, frame->instruction->threaded_count));
  run_threaded(activation, frame->instruction);
  return TN_OK;
}

tn_status_t tn__activation_run(tn_activation_t* activation, uint32_t unit) {
  return run_block(activation, activation->program->units[unit].block);
}

void tn__activation_bind(tn_activation_t* activation, const tn_program_patch_t* patch,
                         const void* data) {
  const uint32_t* indices = activation->program->patches + patch->first;
  const int64_t* offsets = activation->program->pointer_offsets;
  for (uint32_t i = 0; i < patch->count; ++i) activation->pointers[indices[i]] = (void*)data;
  for (uint32_t i = 0; offsets && i < patch->count; ++i) {
    activation->pointers[indices[i]] = (char*)data + offsets[indices[i]];
  }
}

// A function that was not inlined: its unit works on the caller's operands and results.
void tn__activation_bind_unit(tn_activation_t* activation, const tn_instruction_t* instruction) {
  const tn_program_unit_t* unit = &activation->program->units[instruction->unit];
  void* const* operands = activation->pointers + instruction->first_operand;
  void* const* results = activation->pointers + instruction->first_result;
  for (uint32_t i = 0; i < instruction->operand_count; ++i) {
    tn__activation_bind(activation, &unit->parameters[i], operands[i]);
  }
  for (uint32_t i = 0; i < instruction->result_count; ++i) {
    tn__activation_bind(activation, &unit->results[i], results[i]);
  }
}

static tn_status_t run_call(tn_activation_t* activation, const tn_instruction_t* instruction) {
  tn__activation_bind_unit(activation, instruction);
  return tn__activation_run(activation, instruction->unit);
}

// --- making

static void* address_of(const tn_activation_t* activation, uint32_t number) {
  const tn_program_unit_t* unit = NULL;
  const tn_plan_buffer_t* buffer = tn__program_buffer(activation->program, number, &unit);
  switch (buffer->kind) {
    case TN_PLAN_TEMPORARY: return activation->temporaries + unit->arena_offset + buffer->offset;
    case TN_PLAN_HOST_TEMPORARY:
      return activation->host_temporaries + unit->host_arena_offset + buffer->offset;
    case TN_PLAN_CONSTANT:
      if (activation->program->has_constant_memory) {
        return tn__memory_address(
            tn__memory_at(activation->program->constant_memory, buffer->offset));
      }
      return (void*)buffer->data;  // nothing writes there: see plan/assign.c
    case TN_PLAN_HOST_CONSTANT: return (void*)buffer->data;
    case TN_PLAN_PARAMETER:
    case TN_PLAN_RESULT: break;
  }
  return NULL;
}

// Part of the table of pointers, which a program without any has not.
static void** pointers_at(const tn_activation_t* activation, uint32_t index) {
  return activation->pointers ? activation->pointers + index : NULL;
}

static void connect_instruction(tn_activation_t* activation, size_t index) {
  const tn_instruction_t* instruction = &activation->program->instructions[index];
  tn_kernel_call_t* call = &activation->calls[index];
  call->operands = (const void* const*)pointers_at(activation, instruction->first_operand);
  call->results = pointers_at(activation, instruction->first_result);
  call->state = instruction->state;
  if (instruction->scratch != TN_PROGRAM_NONE) {
    call->scratch = activation->pointers[instruction->scratch];
  }
  call->local = activation->local + instruction->local_offset;
  call->bodies = activation->bodies + instruction->first_block;
  call->context = &activation->context;
}

static void connect(tn_activation_t* activation) {
  const tn_program_t* program = activation->program;
  for (size_t i = 0; i < program->pointer_count; ++i) {
    if (program->pointer_buffers[i] == TN_PROGRAM_NONE) continue;  // a cell
    char* address = address_of(activation, program->pointer_buffers[i]);
    if (address && program->pointer_offsets) address += program->pointer_offsets[i];
    activation->pointers[i] = address;
  }
  for (uint32_t i = 0; i < program->block_count; ++i) {
    const tn_program_block_t* block = &program->blocks[i];
    const tn_instruction_t* first = program->instructions + block->first_instruction;
    const bool is_threaded =
        block->instruction_count && first->threaded_count == block->instruction_count;
    activation->frames[i] = (tn_frame_t){activation, i, first};
    activation->bodies[i] = (tn_body_t){
        .arguments = pointers_at(activation, block->first_argument),
        .results = pointers_at(activation, block->first_result),
        .run = is_threaded ? run_threaded_body : run_body,
        .user = &activation->frames[i],
    };
  }
  for (size_t i = 0; i < program->instruction_count; ++i) connect_instruction(activation, i);
  tn__threaded_connect(activation);
}

// Undoes local_init of the first `count` instructions.
static void deinit_local(tn_activation_t* activation, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const tn_kernel_site_t* site = &activation->program->instructions[i].step->site;
    if (site->local_deinit) site->local_deinit(&activation->calls[i]);
  }
}

// Few temporaries stay with the activation; the device gets many back while no run has it.
static bool keeps_temporaries(const tn_program_t* program) {
  return program->arena_byte_size <= KEPT_BYTE_LENGTH;
}

static tn_status_t take_temporaries(tn_activation_t* activation) {
  const tn_program_t* program = activation->program;
  tn_device_t* device = program->device;
  if (activation->has_temporaries) return TN_OK;
  TN_RETURN_IF_ERROR(device->vtable->allocate(device, program->arena_byte_size, TN_PLAN_ALIGNMENT,
                                              &activation->temporary_memory));
  activation->has_temporaries = true;
  activation->temporaries = tn__memory_address(activation->temporary_memory);
  return TN_OK;
}

static void release_temporaries(tn_activation_t* activation) {
  tn_device_t* device = activation->program->device;
  if (activation->has_temporaries) device->vtable->free(device, activation->temporary_memory);
  activation->has_temporaries = false;
}

// Of the host: its temporaries, what kernels keep between runs, and room to align both.
static size_t host_byte_size(const tn_program_t* program) {
  return program->host_arena_byte_size + TN_HOST_WORD + program->local_byte_size +
         TN_PLAN_ALIGNMENT - 1;
}

static tn_status_t allocate_host(tn_activation_t* activation) {
  const tn_program_t* program = activation->program;
  TN_RETURN_IF_ERROR(tn__device_take_host(program->device, program->allocator,
                                          host_byte_size(program), &activation->host_memory));
  char* memory = activation->host_memory.data;
  activation->host_temporaries = memory + (-(uintptr_t)memory & (TN_PLAN_ALIGNMENT - 1));
  activation->host_word = activation->host_temporaries + program->host_arena_byte_size;
  activation->local = activation->host_word + TN_HOST_WORD;
  return TN_OK;
}

static void destroy(tn_activation_t* activation) {
  const tn_program_t* program = activation->program;
  const tn_allocator_t* allocator = program->allocator;
  if (activation->queue) {
    tn__graph_release(activation);
    program->device->vtable->queue_destroy(activation->queue);
  }
  release_temporaries(activation);
  tn__device_give_host(program->device, allocator, activation->host_memory);
  tn__free(allocator, activation->pointers, program->pointer_count * sizeof(void*));
  tn__free(allocator, activation->calls, program->instruction_count * sizeof(tn_kernel_call_t));
  tn__free(allocator, activation->bodies, program->block_count * sizeof(tn_body_t));
  tn__free(allocator, activation->frames, program->block_count * sizeof(tn_frame_t));
  tn__free(allocator, activation, sizeof *activation);
}

static tn_status_t create(tn_program_t* program, tn_activation_t** out_activation) {
  tn_status_t status = TN_OK;
  void* memory = NULL;
  *out_activation = NULL;
  const tn_allocator_t* allocator = program->allocator;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_activation_t), &memory));
  tn_activation_t* activation = memory;
  activation->program = program;
  activation->pool = *program->device->pool;
  activation->context = (tn_kernel_context_t){.pool = &activation->pool,
                                              .random = &activation->random,
                                              .environment = &activation->environment,
                                              .pending = &activation->left};
  TN_DONE_IF_ERROR(allocate_host(activation));
  if (!program->device->target->is_host) {
    TN_DONE_IF_ERROR(program->device->vtable->queue_create(program->device, &activation->queue));
  }
  TN_DONE_IF_ERROR(take_temporaries(activation));
  TN_DONE_IF_ERROR(tn__allocate_array(allocator, program->pointer_count, sizeof(void*), &memory));
  activation->pointers = memory;
  TN_DONE_IF_ERROR(
      tn__allocate_array(allocator, program->instruction_count, sizeof(tn_kernel_call_t), &memory));
  activation->calls = memory;
  TN_DONE_IF_ERROR(tn__allocate_array(allocator, program->block_count, sizeof(tn_body_t), &memory));
  activation->bodies = memory;
  TN_DONE_IF_ERROR(
      tn__allocate_array(allocator, program->block_count, sizeof(tn_frame_t), &memory));
  activation->frames = memory;
  connect(activation);
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_kernel_site_t* site = &program->instructions[i].step->site;
    status = site->local_init ? site->local_init(&activation->calls[i]) : TN_OK;
    if (status) {
      status = tn__instruction_locate(&program->instructions[i], status);
      deinit_local(activation, i);
      goto done;
    }
  }
  *out_activation = activation;
  activation = NULL;
done:
  if (activation) destroy(activation);
  return status;
}

// --- the pool

tn_status_t tn__activation_take(tn_program_t* program, tn_activation_t** out_activation) {
  pthread_mutex_lock(&program->mutex);
  tn_activation_t* activation = program->idle;
  if (activation) {
    program->idle = activation->next;
    --program->idle_count;
  }
  pthread_mutex_unlock(&program->mutex);
  *out_activation = NULL;
  if (!activation) return create(program, out_activation);
  const char* const temporaries = activation->temporaries;
  tn_status_t status = take_temporaries(activation);
  if (status) {
    tn__activation_give(activation);
    return status;
  }
  if (activation->temporaries != temporaries) connect(activation);
  *out_activation = activation;
  return TN_OK;
}

void tn__activation_give(tn_activation_t* activation) {
  tn_program_t* program = activation->program;
  if (!keeps_temporaries(program)) release_temporaries(activation);
  pthread_mutex_lock(&program->mutex);
  bool keeps = program->idle_count < KEPT_ACTIVATIONS;
  if (keeps) {
    activation->next = program->idle;
    program->idle = activation;
    ++program->idle_count;
  }
  pthread_mutex_unlock(&program->mutex);
  if (keeps) return;
  deinit_local(activation, program->instruction_count);
  destroy(activation);
}

void tn__activation_release_all(tn_program_t* program) {
  while (program->idle) {
    tn_activation_t* activation = program->idle;
    program->idle = activation->next;
    deinit_local(activation, program->instruction_count);
    destroy(activation);
  }
}
