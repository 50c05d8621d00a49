// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fusions: several element-wise operations and reductions of one shape, computed together, a tile
// of elements at a time, so that what they hand to each other stays in the cache.
//
// The operation is `tenon.fusion` (ops.def), whose region holds them as they were; what may be in
// it is said in ir/verify_fusion.c. This is the CPU's kernel of it: it runs each member's own
// kernel on a tile. Broadcasts and reshapes in the region are no work: they say where a member
// reads. Gathers that look up elements by the indices of a tile have the whole list.
//
// With reductions of rows, tiles are whole rows: a reduction gives one element a row, which members
// of the rows' shape go on with, and others read as if it were repeated. Any other reduction stands
// alone, at the end: it asks for the elements that it folds, and nothing of them is stored. A
// region that is of neither kind is run as it is, operation by operation.
#ifndef TENON_KERNEL_FUSION_FUSION_H_
#define TENON_KERNEL_FUSION_FUSION_H_

#include "ir/ir.h"
#include "kernel/target.h"

// Which elements a value has, of those that the fusion goes over.
enum { TN_FUSION_REPEATED_OPERANDS = 3 };  // of a step that has one that is repeated, at most

typedef enum tn_fusion_space {
  TN_FUSION_ALL,   // one for each
  TN_FUSION_ROW,   // one for each row
  TN_FUSION_ONE,   // one: what a reduction begins with, or what stands for all
  TN_FUSION_LINE,  // one for each line of a tile, which it stands for
  TN_FUSION_LIST,  // none of these: members look up in it
} tn_fusion_space_t;

typedef struct tn_fusion_value {
  size_t element_size;
  tn_fusion_space_t space;
  bool is_read;  // of an operand
} tn_fusion_value_t;

// One way in which an operand is read.
typedef struct tn_fusion_read {
  uint32_t operand, value;
  bool is_dense;
  const tn_type_t* type;   // as members see it
  int64_t byte_offset;     // of its first element
  const int64_t* strides;  // for each of its dimensions, in bytes
} tn_fusion_read_t;

typedef enum tn_fusion_step_kind {
  TN_FUSION_MAP,     // an element-wise operation, by its kernel's `range`
  TN_FUSION_FOLD,    // a reduction of rows, by `run_rows`
  TN_FUSION_REPEAT,  // an element for each row becomes one for each element
  TN_FUSION_CHAIN,   // several element-wise operations, as they run
} tn_fusion_step_kind_t;

// Values are numbers; the results of a step follow each other.
typedef struct tn_fusion_step {
  tn_fusion_step_kind_t kind;
  const tn_node_t* node;  // NULL: a REPEAT
  const tn_kernel_t* kernel;
  const tn_op_use_t* use;
  void* state;  // prepared
  void (*state_deinit)(void* state);
  uint32_t operand_count, result_count;
  const uint32_t* operands;
  uint32_t first_result;
  uint32_t repeated;  // bit i, one at most: each element of operand i stands for several
  const struct tn_fusion_chain* chain;
} tn_fusion_step_t;

// Everything lives as long as the fusion's state.
typedef struct tn_fusion_spec {
  const tn_type_t* shape;
  bool has_rows;    // tiles are whole rows
  size_t row_rank;  // a row is the dimensions from this one on
  size_t operand_count, read_count, value_count, step_count, result_count;
  const tn_fusion_read_t* reads;
  tn_fusion_value_t* values;
  tn_fusion_step_t* steps;
  const uint32_t* results;  // the value that each result is
  // What folds a value of the steps, its operand 0, as they compute it, by run_from. NULL: none.
  tn_fusion_step_t* last;
} tn_fusion_spec_t;

extern const tn_fusion_rules_t tn__cpu_fusion_rules;  // member.c

TN_MUST_USE tn_status_t tn__cpu_fusion_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_fusion_run(const tn_kernel_call_t* call);

// A part of a fusion that has no last reduction: elements `first` <= i < `first` + `count`, whole
// rows. Bit i of a mask: operand or result i, whose elements are dense, has these elements alone.
typedef struct tn_fusion_part {
  int64_t first, count;
  uint32_t operand_blocks, result_blocks;
} tn_fusion_part_t;

// As prepare, of a fusion that is run by parts, whose results are read at once.
TN_MUST_USE tn_status_t tn__cpu_fusion_prepare_parts(tn_kernel_site_t* site);
// False where its region has to be run as it is.
bool tn__fusion_runs_parts(const void* state);
// On the calling thread.
TN_MUST_USE tn_status_t tn__cpu_fusion_run_part(const tn_kernel_call_t* call,
                                                const tn_fusion_part_t* part);

// The region of `use`, whose operands have these views, as it is; NULL: all are dense.
TN_MUST_USE tn_status_t tn__cpu_region_run(const tn_kernel_call_t* call, const tn_op_use_t* use,
                                           const tn_view_t* views);

// What a prepared fusion is made of; NULL for other kernels, and for regions that are run as they
// are.
const tn_fusion_spec_t* tn__fusion_spec(const tn_kernel_t* kernel, const void* state);
// How many elements a tile has at most.
int64_t tn__fusion_tile_length(const void* state);

// Whether members of a fusion with this region look up elements in its operand, which is dense
// then.
bool tn__fusion_looks_up_in(const tn_region_t* region, size_t operand);
// Whether operand `operand` can be read by tiles: elements that follow each other along the last
// dimension, or the one before it, are neighbours or the same one.
bool tn__cpu_fusion_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);

#endif  // TENON_KERNEL_FUSION_FUSION_H_
