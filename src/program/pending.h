// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calls of a run that handlers complete later, through futures, while the run goes on.
//
// What an instruction must come behind follows from the addresses of the run: an instruction waits
// for each pending call whose results it reads or overwrites, whose operands it overwrites, or
// which has side effects when it has some itself. A block ends when its calls have. Programs pay
// for this only while a call is pending.
#ifndef TENON_PROGRAM_PENDING_H_
#define TENON_PROGRAM_PENDING_H_

#include "program/activation.h"

// What a function here needs to know of the block that is run: its calls are those from `base` on,
// in the order of the program.
typedef struct tn_pending_block {
  tn_activation_t* activation;
  uint32_t base;
} tn_pending_block_t;

// At the beginning of a block.
static inline tn_pending_block_t tn__pending_begin(tn_activation_t* activation) {
  return (tn_pending_block_t){activation, activation->pending_count};
}

// Notes an instruction that has returned tn__status_pending(), and when it began.
void tn__pending_add(tn_pending_block_t block, uint32_t instruction, int64_t begin_ns);

// Waits for the calls that the instruction must come behind. After an error none of the block's is
// pending.
TN_MUST_USE tn_status_t tn__pending_await(tn_pending_block_t block, uint32_t instruction);

// Waits for all of the block's calls. Returns the first error in the order of the program, with its
// place; `status` is that of an instruction behind them. Takes it.
TN_MUST_USE tn_status_t tn__pending_end(tn_pending_block_t block, tn_status_t status);

#endif  // TENON_PROGRAM_PENDING_H_
