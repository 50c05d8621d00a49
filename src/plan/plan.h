// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Where every value lives, decided before anything runs.
//
// A plan is made for one function: its steps in order (regions nested), each with the kernel that
// will compute it, and the buffers that its operands and results are in. Arrays are the leaves of
// values: a tuple is nothing but its leaves, and an operation that forwards bytes (reshape, tuple,
// optimization_barrier) is no step at all. Nor is one that makes a view (transpose, slice, reverse,
// broadcast), if all its readers take views: they read the buffer of the root.
#ifndef TENON_PLAN_PLAN_H_
#define TENON_PLAN_PLAN_H_

#include "ir/ir.h"
#include "kernel/kernel.h"

enum { TN_PLAN_ALIGNMENT = 64 };

typedef enum tn_plan_buffer_kind {
  TN_PLAN_TEMPORARY,  // in the arena, at `offset`
  TN_PLAN_PARAMETER,  // the caller's argument leaf `index`, read only
  TN_PLAN_RESULT,     // a fresh buffer for result leaf `index`, or the donated argument `parameter`
  TN_PLAN_CONSTANT,   // `data`, read only; on a device that is not the host a copy of it
  // In the host's memory, where the device's is another: in an arena of its own, and `data` itself.
  TN_PLAN_HOST_TEMPORARY,
  TN_PLAN_HOST_CONSTANT,
} tn_plan_buffer_kind_t;

enum { TN_PLAN_NONE = -1 };

typedef struct tn_plan_buffer {
  tn_plan_buffer_kind_t kind;
  size_t byte_size;
  size_t offset;        // TEMPORARY, HOST_TEMPORARY
  uint32_t begin, end;  // first and last position at which its bytes matter, both included
  uint32_t index;       // PARAMETER, RESULT: the leaf's number
  int64_t
      parameter;  // RESULT: begins as this argument's bytes, donated or copied; else TN_PLAN_NONE
  const void* data;         // CONSTANT, HOST_CONSTANT
  const tn_value_t* value;  // the first one that lived there, for printing; NULL: scratch
} tn_plan_buffer_t;

typedef struct tn_plan_step tn_plan_step_t;

// The steps of a function or region. Arguments and results are leaves.
typedef struct tn_plan_block {
  size_t step_count;
  tn_plan_step_t* steps;
  size_t argument_count, result_count;
  uint32_t* arguments;  // buffers
  uint32_t* results;    // buffers
} tn_plan_block_t;

// One instruction to be.
struct tn_plan_step {
  const tn_node_t*
      node;  // of which it is a part; for a copy that the plan added: what made it necessary
  const char* reason;       // why the plan added this copy; NULL: the step is the node itself
  const tn_node_t* reader;  // of a view: for what it is stored; NULL: any other step
  const tn_kernel_t* kernel;
  tn_kernel_site_t site;        // prepared; says which operands are views, and where
  const tn_function_t* callee;  // of a call that was not inlined; its block is that function's
  uint32_t position;            // of its end; a step with regions begins before them
  uint32_t begin;
  size_t operand_count, result_count, block_count;
  uint32_t* operands;  // buffers of the leaves
  uint32_t* results;
  uint32_t scratch;  // buffer; UINT32_MAX: none
  tn_plan_block_t* blocks;
};

typedef struct tn_plan {
  const tn_function_t* function;
  tn_arena_t* arena;  // that it lives in
  tn_plan_block_t block;
  size_t buffer_count;
  tn_plan_buffer_t* buffers;
  size_t parameter_leaf_count, result_leaf_count;
  const tn_type_t** parameter_leaves;
  const tn_value_t** parameter_values;  // by leaf: the argument that holds it
  const tn_type_t** result_leaves;
  uint32_t position_count;
  size_t arena_byte_size;        // the peak: what the temporaries take
  size_t host_arena_byte_size;   // the host temporaries
  size_t lower_bound_byte_size;  // the largest sum of temporaries that are live at once
  size_t total_byte_size;        // the sum of all values' bytes, had each its own place
} tn_plan_t;

typedef struct tn_plan_options {
  bool is_entry;                // its arguments may be donated
  struct tn_call_cache* calls;  // for the sites; see tn_kernel_site_t
} tn_plan_options_t;

// Chooses and prepares kernels, orders steps, assigns buffers. Everything in the plan lives in
// `arena` but what tn__plan_deinit releases. The function's values are numbered
// (tn__function_number). Refuses dynamic dimensions, operations without a kernel and recursive
// calls.
TN_MUST_USE tn_status_t tn__plan_create(tn_function_t* function, tn_arena_t* arena,
                                        const tn_plan_options_t* options, tn_plan_t** out_plan);
// Calls the kernels' state_deinit. NULL is fine.
void tn__plan_deinit(tn_plan_t* plan);

// Gives all temporaries their offsets and sets the plan's byte lengths (offsets.c).
TN_MUST_USE tn_status_t tn__plan_pack(tn_plan_t* plan);

// How many bytes of temporaries are live at each position, the host's apart; in `arena`.
TN_MUST_USE tn_status_t tn__plan_live_bytes(const tn_plan_t* plan, tn_arena_t* arena,
                                            size_t** out_live);

#endif  // TENON_PLAN_PLAN_H_
