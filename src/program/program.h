// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A compiled program: immutable, flat, shared by any number of runs at once.
//
// Instructions are templates; what they point to (operands, results, scratch) is a range in one
// table of pointers, whose entries name buffers of the plans. A run has its own copy of the table
// with addresses in it (activation.h).
#ifndef TENON_PROGRAM_PROGRAM_H_
#define TENON_PROGRAM_PROGRAM_H_

#include <pthread.h>
#include <tenon/detail/program.h>

#include "device/device.h"
#include "plan/plan.h"

#define TN_PROGRAM_NONE UINT32_MAX

// Who does it. On the host all but calls of units are TN_RUN_KERNEL.
typedef enum tn_instruction_kind {
  TN_RUN_KERNEL,     // the thread that runs the program, with the host's addresses
  TN_RUN_UNIT,       // the same, by running `unit`
  TN_LAUNCH_KERNEL,  // the device, with its own addresses
  TN_RUN_CONTROL,    // while, if, case: the thread, with a predicate that is on the device
  TN_COPY_TO_HOST,   // between the two memories, leaf by leaf
  TN_COPY_TO_DEVICE,
} tn_instruction_kind_t;

typedef struct tn_instruction {
  tn_instruction_kind_t kind;
  const tn_kernel_t* kernel;  // NULL: TN_RUN_UNIT
  const void* state;
  const tn_plan_step_t* step;  // where it comes from
  // Indices into the table of pointers.
  uint32_t first_operand, operand_count;
  uint32_t first_result, result_count;
  uint32_t scratch;  // TN_PROGRAM_NONE: none
  uint32_t first_block, block_count;
  uint32_t unit;  // that a call runs; TN_PROGRAM_NONE
  // Of threaded code (threaded.h): where its own begins in the table of pointers, TN_PROGRAM_NONE
  // if it is not run so; and what follows its pointers there.
  uint32_t first_cell, next_cell;
  tn_threaded_fn threaded;  // whose address the first cell has
  uint32_t threaded_count;  // instructions that are run in one go from here on; 0: not from here
  size_t local_offset;
} tn_instruction_t;

// Whether it is over in microseconds, and neither fails nor pends.
static inline bool tn__instruction_is_quick(const tn_instruction_t* instruction) {
  return instruction->kernel && instruction->step->site.run_quick;
}

typedef struct tn_program_block {
  uint32_t first_instruction, instruction_count;
  uint32_t first_argument, argument_count;
  uint32_t first_result, result_count;
} tn_program_block_t;

// Pointers that must be set before a unit runs: those to one of its arguments or results.
typedef struct tn_program_patch {
  uint32_t first, count;  // into tn_program_t.patches
} tn_program_patch_t;

// A function with a plan of its own: the entry, and functions whose calls were not inlined.
// Functions never recurse, so each has one fixed place in the arena, behind its callers'.
typedef struct tn_program_unit {
  tn_plan_t* plan;
  uint32_t block;
  uint32_t first_buffer;  // its buffers' numbers in the program
  size_t arena_offset, host_arena_offset;
  tn_program_patch_t* parameters;  // by argument leaf
  tn_program_patch_t* results;     // by result leaf
} tn_program_unit_t;

typedef struct tn_dynamic tn_dynamic_t;  // dynamic.h

struct tn_program {
  atomic_uint references;
  const tn_allocator_t* allocator;
  tn_arena_t arena;     // plans, states and everything below
  tn_module_t* source;  // as it was given
  tn_module_t* module;  // after the passes; the program's constants are its attributes
  bool keep_all;        // as the options of compiling said, and the next three
  bool is_strict;
  bool has_platform_index;
  uint32_t platform_index;
  // The module's target if its calls are guarded or its arithmetic is strict, and that of what the
  // host computes for it.
  tn_compile_target_t guarded[2];
  // Of a function with unknown dimensions: nothing below is there, and runs are those of programs
  // for the sizes of their arguments. NULL: any other.
  tn_dynamic_t* dynamic;
  struct tn_device* device;
  size_t unit_count;
  tn_program_unit_t* units;  // callers before callees, so [0] is the entry
  uint32_t* unit_numbers;    // by function->index
  size_t buffer_count, pointer_count, instruction_count, block_count;
  uint32_t* pointer_buffers;  // which buffer of the program each pointer is to
  // How far behind the buffer's beginning it points: operands that are views. NULL: none is one.
  int64_t* pointer_offsets;
  uint32_t* patches;  // indices of pointers
  tn_instruction_t* instructions;
  tn_program_block_t* blocks;
  // By instruction: its kernel's run, or the quick one of its site; NULL: TN_RUN_UNIT.
  tn_kernel_run_fn* runs;
  size_t arena_byte_size, lower_bound_byte_size;
  size_t host_arena_byte_size, local_byte_size;
  // On a device that is not the host: its copies of the constants.
  tn_memory_t constant_memory;
  bool has_constant_memory;
  // Results that begin as an argument's bytes, in its memory when it is donated; leaves, or NONE.
  uint32_t* donation_targets;   // by argument
  uint32_t* ancestors;          // by result
  bool is_small;                // so little work that another thread is not worth its while
  bool has_graph;               // runs may be captured (graph.h)
  tn_output_origin_t* origins;  // by result, when all values are kept; else NULL
  const char** output_names;    // by result; NULL: none has one
  uint64_t compile_ns;
  // Activations that no run is using (activation.h).
  pthread_mutex_t mutex;
  struct tn_activation* idle;
  size_t idle_count;
};

// The plan's buffer behind a buffer number of the program, and its unit.
const tn_plan_buffer_t* tn__program_buffer(const tn_program_t* program, uint32_t buffer,
                                           const tn_program_unit_t** out_unit);

// Plans `entry` and the functions that it still calls, and gives each its place (units.c). On
// failure, too, the plans are the program's to release.
TN_MUST_USE tn_status_t tn__program_plan_units(tn_program_t* program, tn_function_t* entry);

// Copies the constants to a device that is not the host, and says where each of them is there
// (constants.c).
TN_MUST_USE tn_status_t tn__program_place_constants(tn_program_t* program);

// Makes the results of `entry` all arrays that it computes (keep_values.c).
TN_MUST_USE tn_status_t tn__program_keep_values(tn_program_t* program, tn_function_t* entry);

// Keeps what the results are called (names.c).
TN_MUST_USE tn_status_t tn__program_name_results(tn_program_t* program);

// Plans and flattens `function` of `module`, which is the program's own and already rewritten by
// the passes.
// Puts the platform index of the options into a module in which `entry` has it as an argument.
TN_MUST_USE tn_status_t tn__program_fix_platform(const tn_program_t* program, tn_module_t* module,
                                                 tn_function_t* entry);
// Gives `entry` the types of these arguments; NULL: its own, which are static. Does nothing where
// all sizes are known.
TN_MUST_USE tn_status_t tn__program_fix_sizes(tn_module_t* module, tn_function_t* entry,
                                              const tn_type_t* const* argument_types);
TN_MUST_USE tn_status_t tn__program_build(tn_program_t* program, tn_function_t* function);

#endif  // TENON_PROGRAM_PROGRAM_H_
