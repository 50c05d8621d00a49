// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the files of this folder share, and what prepare leaves to run.
#ifndef TENON_KERNEL_FUSION_STATE_H_
#define TENON_KERNEL_FUSION_STATE_H_

#include "kernel/elementwise/chain.h"
#include "kernel/fusion/fusion.h"

enum { TN_FUSION_ALIGNMENT = 64 };
#define TN_FUSION_NO_SLOT UINT32_MAX
#define TN_FUSION_NO_RESULT UINT32_MAX

// A read of all elements that is not dense: its elements along the loops outside of columns, and
// down a line.
typedef struct tn_fusion_gather {
  uint32_t read;
  int64_t column_stride;
  const int64_t* loop_strides;
  bool is_same_for_lines;  // all strides but the column's are 0
  bool is_gathered;        // else a tile is a part of one line, whose elements are neighbours
  bool is_one;             // of each line one element is read, which its readers take so
  bool is_scalar;          // all strides are 0: it is the same in all tiles
  // Lines are closer to each other than their elements: a whole unit is gathered at once, into a
  // block of its own, whose lines are `pitch` bytes apart.
  bool is_transposed;
  int64_t pitch;
  size_t block_offset;  // behind the pointers
} tn_fusion_gather_t;

// What a step of kind CHAIN runs.
typedef struct tn_fusion_chain {
  uint8_t* links;
  size_t link_count;
  tn_chain_fn run;
  tn_fusion_space_t segments;  // ALL: the whole tile; else one for each row, or line
} tn_fusion_chain_t;

// A pointer of a step that is another one in each tile.
typedef struct tn_fusion_pointer {
  uint32_t pointer, value;
} tn_fusion_pointer_t;

// The elements are lines of columns, in the order of memory; a row is one line or several.
typedef struct tn_fusion_state {
  const tn_op_use_t* use;
  const tn_view_t* views;  // of the operands; NULL: all are dense
  bool runs_region;        // the region as it is; nothing of what follows is used
  bool runs_parts;         // each result is read at once: it stays in the cache
  tn_fusion_spec_t spec;
  size_t step_count;
  tn_fusion_step_t* steps;  // those of the spec as they run: chains are one
  int64_t element_count;
  size_t loop_count;
  int64_t* loop_counts;  // outside of columns
  int64_t line_count, column_count, lines_per_row, row_length;
  // A unit is what a thread takes: one tile, or with a transposed gather several, line by line.
  int64_t lines_per_tile, lines_per_unit, columns_per_unit, column_units, unit_count, grain;
  // What is read in the order of memory, if it is larger than the caches.
  size_t ahead_count;
  uint32_t* ahead;
  size_t gather_count;
  tn_fusion_gather_t* gathers;
  // By value: where its elements are. Dense operands, results and what the last reduction reads
  // have no slot; of views, what is gathered has one.
  uint32_t* slots;
  bool* is_placed;  // by value: a result, or what the last reduction reads
  bool streams;     // results that are not placed are copied from slots, past the caches
  size_t slot_count;
  tn_fusion_value_t* slot_values;  // what each has room for
  size_t* slot_offsets;            // behind the pointers
  // The steps' pointers stand in one list, operands before results.
  size_t pointer_count, moving_count, fixed_count;
  uint32_t* pointer_slots;
  tn_fusion_pointer_t *moving, *fixed;  // fixed ones are the same in all tiles of a run
  size_t scratch_byte_size;             // of a thread, behind the pointers and with them
  uint32_t last_result;                 // which result the last reduction gives
  uint32_t folded_result;               // which result it reads; TN_FUSION_NO_RESULT: it is none
} tn_fusion_state_t;

// member.c: what a node can be; whether an element-wise one is of the form that a member has, if
// its kernel has parts.
bool tn__fusion_fits(const tn_node_t* node);
// The same of a gather.
bool tn__fusion_looks_up(const tn_node_t* node);
TN_MUST_USE tn_status_t tn__fusion_role_of(const tn_node_t* node, tn_arena_t* scratch,
                                           tn_fusion_role_t* out_role);
bool tn__fusion_takes_strides(const tn_type_t* type, size_t element_size, const int64_t* strides);

// squares.c: prepared steps without those that fold as well what they square.
TN_MUST_USE tn_status_t tn__fusion_fold_squares(tn_fusion_spec_t* spec, tn_arena_t* arena);

// chains.c: the steps as they run.
TN_MUST_USE tn_status_t tn__fusion_join_steps(tn_fusion_state_t* state, tn_arena_t* arena);

// Whether a read is for rows, and not dense: its elements are picked one by one.
static inline bool tn__fusion_is_picked(const tn_fusion_state_t* state, size_t read) {
  const tn_fusion_read_t* way = &state->spec.reads[read];
  return !way->is_dense && state->spec.values[way->value].space == TN_FUSION_ROW;
}

// spec.c: what a region is made of, whose arguments are these views; NULL: all are dense. The steps
// have no kernels yet. *out_fits is false where the region has to be run as it is.
TN_MUST_USE tn_status_t tn__fusion_read_region(const tn_region_t* region, const tn_view_t* views,
                                               tn_arena_t* arena, tn_fusion_spec_t* out_spec,
                                               bool* out_fits);

#endif  // TENON_KERNEL_FUSION_STATE_H_
