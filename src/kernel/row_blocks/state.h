// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the files of this folder share.
#ifndef TENON_KERNEL_ROW_BLOCKS_STATE_H_
#define TENON_KERNEL_ROW_BLOCKS_STATE_H_

#include "kernel/contraction/dot_rows.h"
#include "kernel/fusion/fusion.h"
#include "kernel/row_blocks/row_blocks.h"

#define TN_ROW_BLOCKS_NONE UINT32_MAX

// The nodes, and how they are connected.
typedef struct tn_row_chain {
  const tn_node_t *before, *fusion, *after;  // after: NULL: none
  tn_op_use_t before_use, fusion_use, after_use;
  uint32_t read;                                // the fusion's operand that `before` gives
  uint32_t given;                               // the fusion's result that `after` reads
  int64_t row_count, row_length, given_length;  // rows of `before`, and of what `after` reads
} tn_row_chain_t;

// How a node of the chain is connected with the region.
typedef struct tn_row_node {
  uint32_t* arguments;     // by operand: which argument of the region it is; NONE: it is a block
  const tn_view_t* views;  // of its operands
  uint32_t* results;       // by result: which one of the region it is; NONE: none
} tn_row_node_t;

typedef struct tn_row_blocks_state {
  const tn_op_use_t* use;
  const tn_view_t* views;
  bool runs_region;  // the region as it is; nothing of what follows is used
  tn_row_chain_t chain;
  tn_row_node_t before, fusion, after;
  tn_dot_rows_t before_rows, after_rows;
  void* fusion_state;
  void (*fusion_state_deinit)(void* state);
  int64_t block_rows, blocks_per_matrix, block_count;
  // Of a thread's memory: where what `before` and the fusion give is, if it is no result of the
  // region, and packed rows of left operands.
  size_t read_offset, given_offset, panels_offset, thread_byte_size;
} tn_row_blocks_state_t;

// match.c: *out_fits is false where the nodes are no chain.
TN_MUST_USE tn_status_t tn__row_chain_read(const tn_node_t* before, const tn_node_t* fusion,
                                           const tn_node_t* after, tn_arena_t* arena,
                                           tn_row_chain_t* out_chain, bool* out_fits);

#endif  // TENON_KERNEL_ROW_BLOCKS_STATE_H_
