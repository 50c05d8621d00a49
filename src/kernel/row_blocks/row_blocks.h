// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Row blocks: a product, the fusion that reads it and the product that reads this one, computed a
// block of rows at a time, so that what they hand to each other stays in the cache, and is never in
// memory as a whole. Attention is such a chain: its scores take memory in proportion to a block.
//
// The operation is `tenon.row_blocks` (ops.def), whose region holds the three as they were. A
// region that is no such chain is run as it is, operation by operation.
#ifndef TENON_KERNEL_ROW_BLOCKS_ROW_BLOCKS_H_
#define TENON_KERNEL_ROW_BLOCKS_ROW_BLOCKS_H_

#include "ir/ir.h"
#include "kernel/kernel.h"

// Whether the nodes are a chain that is faster so: `fusion` reads the result of the product
// `before`, and the product `after`, if there is one (else NULL), reads a result of it.
TN_MUST_USE tn_status_t tn__row_blocks_suit(const tn_node_t* before, const tn_node_t* fusion,
                                            const tn_node_t* after, tn_arena_t* scratch,
                                            bool* out_suits);

bool tn__cpu_row_blocks_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
TN_MUST_USE tn_status_t tn__cpu_row_blocks_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_row_blocks_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_ROW_BLOCKS_ROW_BLOCKS_H_
