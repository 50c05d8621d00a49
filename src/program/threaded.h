// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Threaded code (kernel/common/threaded.h): how instructions of the host run that are quick and
// follow each other, as in bodies of loops of scalars.
//
// The cells of an instruction are in the table of pointers, so that its operands and results are
// set as those of all others. Those of an instruction with a form for scalars are its function, its
// operands, and its result. Of any other the function runs the kernel; the call and the next cell
// follow, then operands and results, which the call has anyway. Behind the last one is a function
// that returns.
#ifndef TENON_PROGRAM_THREADED_H_
#define TENON_PROGRAM_THREADED_H_

#include "program/activation.h"

// Of instructions in one go: where compilers do not optimise, each takes from the stack.
enum { TN_MOST_THREADED = 1024 };

// How many cells are before the operands of an instruction that the site is of.
uint32_t tn__threaded_cells(const tn_kernel_site_t* site);
// Chooses the functions of all instructions that have cells: which operands they find in registers.
void tn__threaded_choose(tn_program_t* program);
// Writes the cells that are not pointers to buffers.
void tn__threaded_connect(const tn_activation_t* activation);

// Where the threaded code begins that an instruction is the first one of.
static inline const tn_cell_t* tn__threaded_at(const tn_activation_t* activation,
                                               const tn_instruction_t* instruction) {
  return (const tn_cell_t*)(activation->pointers + instruction->first_cell);
}

#endif  // TENON_PROGRAM_THREADED_H_
