// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The planner's working state, private to this component.
#ifndef TENON_PLAN_PLANNER_H_
#define TENON_PLAN_PLANNER_H_

#include "kernel/node.h"
#include "plan/plan.h"

#define NO_BUFFER UINT32_MAX
#define NO_POSITION UINT32_MAX

// How many operands, from the first on, a kernel may work in place of.
enum { TN_PLAN_IN_PLACE_OPERANDS = 32 };

// One array: a tensor or token that some step writes, or an argument.
typedef struct leaf {
  const tn_type_t* type;
  const tn_value_t* value;
  const tn_region_t* region;  // where it is defined; uses are there or in regions inside
  uint32_t definition;        // position
  uint32_t first_use;         // position; NO_POSITION: none
  uint32_t last_use;          // position; a use inside a loop counts at the end of the loop
  uint32_t buffer;
  uint32_t
      preferred;  // the buffer whose storage it should have, since it ends up there; NO_BUFFER: any
  bool is_step_result;  // written by a step, so its place can be chosen
} leaf_t;

// A block under construction.
typedef struct block {
  const tn_region_t* region;
  size_t step_count, step_capacity;
  struct step* steps;
  size_t argument_count, result_count;
  uint32_t* arguments;  // leaves
  uint32_t* results;    // leaves
  uint32_t begin, end;  // positions
  // Copies at its end, and the buffers they go between.
  size_t copy_count, copy_capacity;
  struct copy* copies;
} block_t;

typedef struct copy {
  uint32_t from, to;  // buffers
  const tn_node_t* node;
  const char* reason;
} copy_t;

// A result of a custom call that is in the storage of an operand; numbers of leaves.
typedef struct alias {
  uint32_t operand, result;
} alias_t;

// A step under construction; `plan` has what is already final.
typedef struct step {
  tn_plan_step_t plan;
  uint32_t* operands;      // leaves
  uint32_t* results;       // leaves
  uint32_t kept_operands;  // bit i: it is in no result's place, since it is read by a view as well
  uint32_t*
      moved_operands;  // buffers instead of the leaf's own, NO_BUFFER: its own; NULL: none moved
  block_t* blocks;
  size_t alias_count;
  alias_t* aliases;
  size_t copy_count, copy_capacity;  // before it
  copy_t* copies;
} step_t;

// What the assignment knows of a buffer.
typedef struct place {
  uint32_t occupied_until;  // last use of the leaf that is in it now
  uint32_t target_count;    // enclosing blocks that must end with a result in it
  uint32_t wanted_at;       // where the result comes to be that the innermost of them wants in it
  uint32_t operand_count;   // operands in it of the call whose aliases are being placed
} place_t;

// A value that may have no storage of its own.
typedef struct value_view {
  const tn_value_t* same;   // it is all of this one, in the same order; NULL: it is not
  const tn_value_t* root;   // NULL: it is no view
  tn_view_t view;           // of the root; of a value that is no view, how it is stored itself
  const tn_node_t* reader;  // the view is stored all the same, for this node; NULL: it is not
  // Of a value whose storage views are in:
  uint32_t last_read;       // the id of the last node that reads it
  size_t viewed_byte_size;  // of all views of it together
} value_view_t;

typedef struct planner {
  tn_plan_t* plan;
  tn_arena_t* arena;  // the plan's
  tn_arena_t scratch;
  const tn_allocator_t* allocator;
  const tn_plan_options_t* options;
  uint32_t* value_leaves;  // by value id: index of its first leaf in leaf_lists
  uint32_t* leaf_lists;    // leaves of values, flattened
  size_t leaf_list_count;
  size_t leaf_count, leaf_capacity;
  leaf_t* leaves;
  struct capture** captures;  // by node id: leaves that a loop's regions use from outside
  value_view_t* views;        // by value id; NULL: the function has none
  // The last node that was asked for views of its operands, and whether it takes them whole: asked
  // for each operand in turn.
  const tn_node_t* viewer;
  bool viewer_needs_whole;
  tn_node_choice_t* choices;  // by node id, of those that were asked for; NULL: as `views`
  uint32_t position;
  size_t buffer_capacity;
  place_t* places;  // by buffer
  size_t place_capacity;
  block_t block;
} planner_t;

// walk.c: nodes to steps and leaves with their live ranges.
TN_MUST_USE tn_status_t tn__plan_walk(planner_t* planner, tn_function_t* function);
// Who computes a node that is a step, not a call of a function; the kernel is NULL when none
// does.
TN_MUST_USE tn_status_t tn__plan_find_kernel(planner_t* planner, const tn_node_t* node,
                                             tn_node_choice_t* out_choice);
// views.c: which values are views, and which of them are stored all the same.
TN_MUST_USE tn_status_t tn__plan_find_views(planner_t* planner, const tn_function_t* function);
// Whether the node's kernel can read its operand, which is a view, at the root.
TN_MUST_USE tn_status_t tn__plan_takes_view(planner_t* planner, const tn_node_t* node,
                                            uint32_t operand, bool* out_takes);
// Puts roots in the place of the operands that the node reads there, and lists the views; NULL when
// there are none.
TN_MUST_USE tn_status_t tn__plan_read_views(planner_t* planner, const tn_node_t* node,
                                            const tn_value_t** roots, const tn_view_t** out_views);
// aliases.c: what a custom call's output_operand_aliases say; fills step->aliases.
TN_MUST_USE tn_status_t tn__plan_read_aliases(planner_t* planner, step_t* step);
// donation.c: whether result `result` of the step may be where its operand `operand` is, which
// dies there.
bool tn__plan_works_in_place(const step_t* step, size_t operand, size_t result);
// Which result leaf may begin in the storage of each argument of the entry, when a run is given
// that; -1: none. Those that name their result come first; the others get one that needs no copy.
TN_MUST_USE tn_status_t tn__plan_find_donation_targets(planner_t* planner,
                                                       int64_t* donation_targets);
// assign.c: leaves to buffers, copies where they are needed.
TN_MUST_USE tn_status_t tn__plan_assign(planner_t* planner);
// moves.c: copies.
TN_MUST_USE tn_status_t tn__plan_add_buffer(planner_t* planner, tn_plan_buffer_t buffer,
                                            uint32_t occupied_until, uint32_t* out_buffer);
// Copies of nothing are left out.
TN_MUST_USE tn_status_t tn__plan_add_copy(planner_t* planner, copy_t** list, size_t* count,
                                          size_t* capacity, copy_t copy);
// Copies at the end of a block, so that each result is in its target. `owner`: the node whose
// region it is, NULL for the function.
TN_MUST_USE tn_status_t tn__plan_move_results(planner_t* planner, block_t* block,
                                              const uint32_t* targets, const tn_node_t* owner);
// True of regions that run more than once for one run of their step.
bool tn__plan_repeats(const tn_node_t* node);

#endif  // TENON_PLAN_PLANNER_H_
