// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One run under way, private to this room.
#ifndef TENON_PROGRAM_RUN_H_
#define TENON_PROGRAM_RUN_H_

#include "device/buffer.h"
#include "program/activation.h"

typedef struct tn_run_argument {
  tn_buffer_t* buffer;  // retained; NULL for tokens
  bool is_held;         // until the run is over
  bool is_launched;     // what makes its contents was launched, and may still fail
  bool is_taken;        // `memory` was the buffer's
  bool is_spent;        // taken, and no result's: freed after the run
  tn_memory_t memory;
} tn_run_argument_t;

typedef struct tn_run_result {
  tn_buffer_t* buffer;  // retained; NULL for tokens
  bool is_inherited;    // its memory was an argument's
  bool is_owned;        // `memory` is the run's to free: that of tokens, or not yet the buffer's
  bool is_wrapped;      // `memory` is `given`
  void* given;          // the caller's memory for it; NULL: none
  tn_memory_t memory;
} tn_run_result_t;

// Holds its arguments and results until it is over, and no handler of it is late. One piece of
// memory.
typedef struct tn_run {
  tn_call_lifetime_t lifetime;
  tn_program_t* program;  // retained
  tn_activation_t* activation;
  tn_event_t* ready;                    // of the results, on a stream; retained
  size_t argument_count, result_count;  // leaves
  tn_run_argument_t* arguments;
  tn_run_result_t* results;
  tn_user_data_t* user_data;  // copied
  tn_interrupt_t interrupt;
  tn_observer_t observer;
  size_t byte_size;
  bool has_output_memory;
} tn_run_t;

// values.c: what comes in and goes out.

// Takes references to the leaves of what the caller gave, and checks them.
TN_MUST_USE tn_status_t tn__run_take_arguments(tn_run_t* run, size_t count,
                                               tn_buffer_t* const* given);
// Holds or takes the arguments' memory, gets memory for the results, and makes their buffers, whose
// contents come with `ready` (NULL: with the return of the call). Nothing of it is undone by
// itself.
TN_MUST_USE tn_status_t tn__run_bind(tn_run_t* run, const bool* donated, tn_event_t* ready);
// Undoes what was taken. The run has not begun.
void tn__run_give_back(tn_run_t* run);
// After a run that failed: arguments that were taken, and that no result was written to.
void tn__run_give_back_unwritten(tn_run_t* run);
// How many buffers the caller gets.
size_t tn__run_result_count(const tn_program_t* program, bool is_nested);
// References to the results for the caller; on failure all are NULL.
TN_MUST_USE tn_status_t tn__run_hand_out(const tn_run_t* run, bool is_nested,
                                         tn_buffer_t** out_results);

// output_memory.c: memory of the caller, for runs that were given some.

// Notes where the results are to go, each checked by itself.
TN_MUST_USE tn_status_t tn__run_take_output_memory(tn_run_t* run, const tn_run_options_t* options);
// The arguments' memory is known.
TN_MUST_USE tn_status_t tn__run_check_overlaps(const tn_run_t* run);
// Makes the given memory that of the result, if the device can write there.
TN_MUST_USE tn_status_t tn__run_wrap_result(tn_run_t* run, size_t index);
// After the run: results that were not written there directly.
TN_MUST_USE tn_status_t tn__run_copy_results(const tn_run_t* run);

#endif  // TENON_PROGRAM_RUN_H_
