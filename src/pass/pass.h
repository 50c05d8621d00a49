// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rewrites of a module before it is planned. pipeline.c reads as the list.
//
// A pass works in place on the program's own clone. It never changes what a program computes, not
// even the sign of a zero; it leaves values numbered (tn__function_number) and every node valid.
#ifndef TENON_PASS_PASS_H_
#define TENON_PASS_PASS_H_

#include "ir/ir.h"

typedef struct tn_pass_options {
  const struct tn_compile_target* target;  // kernel/target.h
  bool keep_all;  // run only what running needs: no recursion, composites called, layouts row-major
  bool is_strict;   // run only what is needed, and what changes no rounding and no order of terms
  bool keep_valid;  // leave out what makes of a module more than text can say: to show it
} tn_pass_options_t;

typedef struct tn_pass {
  const char* name;
  const char* doc;
  bool is_needed;  // also with keep_all
  bool is_exact;   // also with is_strict
  bool is_beyond;  // text cannot say what it leaves; not with keep_valid
  tn_status_t (*run)(tn_module_t* module, tn_function_t* entry);
} tn_pass_t;

// All passes in order, over the functions that `entry` reaches. From then on the module has the
// target of the options.
TN_MUST_USE tn_status_t tn__pass_run(tn_module_t* module, tn_function_t* entry,
                                     const tn_pass_options_t* options);
size_t tn__pass_count(void);
const tn_pass_t* tn__pass_at(size_t index);

// What makes of a function one list of operations without calls: composites are called, typed
// custom calls have dictionaries, and every call is replaced by what it runs, up to a number of
// nodes that no sensible program has; calls that are left are of functions without a body, or
// beyond it.
TN_MUST_USE tn_status_t tn__pass_flatten(tn_module_t* module, tn_function_t* entry);

// The functions that `entry` reaches through calls and composites, callees before callers, `entry`
// last. The list is in `arena`. Recursion is an error.
typedef struct tn_reached_functions {
  size_t count;
  tn_function_t** functions;
} tn_reached_functions_t;
TN_MUST_USE tn_status_t tn__pass_reach(tn_module_t* module, tn_function_t* entry, tn_arena_t* arena,
                                       tn_reached_functions_t* out_reached);

// For a program that was exported for several platforms: gives the argument that chooses one this
// value, removes it from the entry's arguments, and removes other platforms' branches
// (platforms.c).
TN_MUST_USE tn_status_t tn__pass_choose_platform(tn_module_t* module, tn_function_t* entry,
                                                 uint32_t index);

#endif  // TENON_PASS_PASS_H_
