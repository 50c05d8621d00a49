// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The space of the arena while a plan is swept in order of time: blocks in use and gaps between
// them. Each taking and giving back looks at as many gaps as the logarithm of their number.
#ifndef TENON_PLAN_GAPS_H_
#define TENON_PLAN_GAPS_H_

#include "base/arena.h"

typedef struct tn_block {
  size_t offset, size;
  uint32_t before, after;          // neighbours, in use or not
  uint32_t left, right, priority;  // of a gap: its place in the tree
  bool is_gap;
} tn_block_t;

// Indices of blocks; 0 stands for none.
typedef struct tn_gaps {
  tn_block_t* blocks;
  uint32_t block_count, last;
  uint32_t root;     // tree of the gaps by size, then offset; heap by priority
  uint32_t unused;   // blocks that are nothing now, linked by `after`
  size_t byte_size;  // of the arena so far
  size_t looked_at;  // gaps, in all
} tn_gaps_t;

// Room for `most` takings, in the arena.
TN_MUST_USE tn_status_t tn__gaps_init(tn_gaps_t* gaps, tn_arena_t* arena, size_t most);
// The smallest gap that is large enough, the lowest one of them; else the arena grows. Returns the
// block, whose offset is blocks[block].offset. `size` > 0.
uint32_t tn__gaps_take(tn_gaps_t* gaps, size_t size);
void tn__gaps_give(tn_gaps_t* gaps, uint32_t index);

#endif  // TENON_PLAN_GAPS_H_
