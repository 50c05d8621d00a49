// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Plans in tests: made from text, and checked by going through them with names in the place of
// bytes.
#ifndef TENON_PLAN_TESTING_PLAN_H_
#define TENON_PLAN_TESTING_PLAN_H_

#include "base/testing.h"
#include "kernel/target.h"
#include "plan/plan.h"

typedef struct tn_testing_plan {
  tn_module_t* source;
  tn_module_t* module;  // after the passes
  tn_compile_target_t target;
  tn_arena_t arena;
  tn_plan_t* plan;  // of the entry
} tn_testing_plan_t;

typedef enum tn_testing_passes {
  TN_TESTING_NEEDED_PASSES,  // those of keep_all
  TN_TESTING_ALL_PASSES,
  TN_TESTING_ALL_PASSES_OF_ANY_SIZE,  // arrays of few elements are fused as well
} tn_testing_passes_t;

// Plans `main`, else the only function, of the text. Custom calls get a kernel that is never run.
TN_MUST_USE tn_status_t tn__testing_plan_create(const char* text, tn_testing_passes_t passes,
                                                tn_testing_plan_t* out_plan);
// Of a module that was made some other way; takes `source`.
TN_MUST_USE tn_status_t tn__testing_plan_of(tn_module_t* source, tn_testing_passes_t passes,
                                            tn_testing_plan_t* out_plan);
void tn__testing_plan_release(tn_testing_plan_t* plan);

// As create, for texts that have to be fine; checks the plan.
void tn__testing_plan(const char* text, tn_testing_passes_t passes, tn_testing_plan_t* out_plan);

// Goes through the steps as a run would, twice through what repeats, and notes for each buffer
// whose value is in it. Fails the test unless every step finds its operands there, arguments and
// constants are never written, and the results end up in their buffers. Shares no code with the
// planner.
void tn__testing_plan_check(const tn_plan_t* plan);

// How many copies the plan added, regions included. `bytes`: NULL, or what they move together.
size_t tn__testing_plan_copies(const tn_plan_block_t* block, const tn_plan_t* plan, size_t* bytes);
// The first step of that operation ("add"), regions included; NULL when there is none.
const tn_plan_step_t* tn__testing_plan_find(const tn_plan_block_t* block, const char* op);
size_t tn__testing_plan_count(const tn_plan_t* plan, tn_plan_buffer_kind_t kind);

#endif  // TENON_PLAN_TESTING_PLAN_H_
