// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/threaded.h"

// --- what runs other than scalars

enum { KERNEL_RUN = 1, KERNEL_CALL = 2, KERNEL_NEXT = 3, KERNEL_CELLS = 4 };

TN_THREADED(threaded_kernel) {
  (void)cell[KERNEL_RUN].kernel(cell[KERNEL_CALL].call);
  cell = cell[KERNEL_NEXT].next;
  TN_THREADED_NEXT_WITHOUT(0);
}

TN_THREADED(threaded_end) {
  (void)cell, (void)f32, (void)f64, (void)bits;
}

uint32_t tn__threaded_cells(const tn_kernel_site_t* site) {
  if (!site->threaded) return KERNEL_CELLS;
  return site->threaded_lead ? 1 + TN_THREADED_LEAD : 1;
}

// --- which operands are in registers

// By register: the pointer to where its value is in memory as well. TN_PROGRAM_NONE: unknown.
typedef struct registers {
  uint32_t pointers[TN_REGISTER_COUNT];
} registers_t;

// Whether two pointers of a unit are to the same place.
static bool is_same_place(const tn_program_t* program, uint32_t a, uint32_t b) {
  const int64_t* offsets = program->pointer_offsets;
  if (offsets && offsets[a] != offsets[b]) return false;
  const uint32_t numbers[] = {program->pointer_buffers[a], program->pointer_buffers[b]};
  if (numbers[0] == numbers[1]) return true;
  const tn_program_unit_t* unit = NULL;
  const tn_plan_buffer_t* buffers[] = {tn__program_buffer(program, numbers[0], &unit),
                                       tn__program_buffer(program, numbers[1], &unit)};
  return buffers[0]->kind == TN_PLAN_TEMPORARY && buffers[1]->kind == TN_PLAN_TEMPORARY &&
         buffers[0]->offset == buffers[1]->offset;
}

static void forget(registers_t* registers) {
  for (int r = 0; r < TN_REGISTER_COUNT; ++r) registers->pointers[r] = TN_PROGRAM_NONE;
}

static uint32_t held_operands(const tn_program_t* program, const tn_instruction_t* instruction,
                              const registers_t* registers) {
  const tn_op_use_t* use = instruction->step->site.use;
  uint32_t held = 0;
  for (uint32_t i = 0; use && i < instruction->operand_count; ++i) {
    const tn_register_t in = tn__register_of(use->operand_types[i]->dtype);
    if (in == TN_REGISTER_COUNT || registers->pointers[in] == TN_PROGRAM_NONE) continue;
    if (is_same_place(program, registers->pointers[in], instruction->first_operand + i)) {
      held |= UINT32_C(1) << i;
    }
  }
  return held;
}

// What the result replaces in memory is in no register any more.
static void hold_result(const tn_program_t* program, const tn_instruction_t* instruction,
                        registers_t* registers) {
  const tn_op_use_t* use = instruction->step->site.use;
  for (int r = 0; r < TN_REGISTER_COUNT; ++r) {
    uint32_t* pointer = &registers->pointers[r];
    if (*pointer != TN_PROGRAM_NONE &&
        is_same_place(program, *pointer, instruction->first_result)) {
      *pointer = TN_PROGRAM_NONE;
    }
  }
  const tn_register_t in = use ? tn__register_of(use->result_types[0]->dtype) : TN_REGISTER_COUNT;
  if (in != TN_REGISTER_COUNT) registers->pointers[in] = instruction->first_result;
}

void tn__threaded_choose(tn_program_t* program) {
  registers_t registers;
  forget(&registers);
  for (size_t i = 0; i < program->instruction_count; ++i) {
    tn_instruction_t* instruction = &program->instructions[i];
    const tn_threaded_forms_t forms = instruction->step->site.threaded;
    if (instruction->first_cell == TN_PROGRAM_NONE) continue;
    if (instruction->threaded_count) forget(&registers);
    if (forms && !instruction->step->site.threaded_lead) {
      instruction->threaded = forms[held_operands(program, instruction, &registers)];
      hold_result(program, instruction, &registers);
    } else {
      instruction->threaded = forms ? forms[0] : threaded_kernel;
      forget(&registers);
    }
  }
}

// --- cells of an execution frame

void tn__threaded_connect(const tn_activation_t* activation) {
  tn_cell_t* cells = (tn_cell_t*)activation->pointers;
  const tn_program_t* program = activation->program;
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_instruction_t* instruction = &program->instructions[i];
    if (instruction->first_cell == TN_PROGRAM_NONE) continue;
    tn_cell_t* cell = cells + instruction->first_cell;
    cell->run = instruction->threaded;
    const tn_kernel_site_t* site = &instruction->step->site;
    for (size_t k = 0; site->threaded_lead && k < TN_THREADED_LEAD; ++k) {
      cell[1 + k] = site->threaded_lead[k];
    }
    if (!site->threaded) {
      cell[KERNEL_RUN].kernel = program->runs[i];
      cell[KERNEL_CALL].call = &activation->calls[i];
      cell[KERNEL_NEXT].next = cells + instruction->next_cell;
    }
    if (instruction->threaded_count) {
      cells[instruction[instruction->threaded_count - 1].next_cell].run = threaded_end;
    }
  }
}
