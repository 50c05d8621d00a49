// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One run's private copy of what changes: temporaries, pointers, handlers' frames.
//
// An activation is taken from its program's pool, set to the run's arguments and results, and goes
// back when the run's last event and handler have completed. The device gets the memory of its
// temporaries back meanwhile, unless there is little of it. It mostly returns to the same place:
// then only the pointers to arguments and results are set anew for a run.
#ifndef TENON_PROGRAM_ACTIVATION_H_
#define TENON_PROGRAM_ACTIVATION_H_

#include "call/call.h"
#include "device/device.h"
#include "program/graph.h"
#include "program/program.h"

typedef struct tn_activation tn_activation_t;

// The caller's function that is told of each instruction; see observe.h.
typedef struct tn_observer {
  tn_run_observer_fn observe;
  void* user;
  uint32_t depth;
} tn_observer_t;

// A call that a handler completes later; see pending.h.
typedef struct tn_pending_call {
  uint32_t instruction;
  int64_t begin_ns;  // for the observer
  tn_kernel_pending_t work;
} tn_pending_call_t;
enum { TN_PENDING_LIMIT = 64, TN_HOST_WORD = 64 };

struct tn_activation {
  tn_activation_t* next;         // in the pool
  tn_program_t* program;         // unowned: the pool is the program's
  tn_memory_t temporary_memory;  // of the device
  bool has_temporaries;
  char* temporaries;  // their address on the device, now or when there last were any
  tn_host_block_t host_memory;
  char* host_temporaries;  // on devices that are not the host
  char* host_word;         // there, for TN_HOST_WORD bytes of the device's memory
  char* local;             // of kernels, kept between runs
  tn_queue_t* queue;       // of a device that is not the host; else NULL
  bool is_behind;          // the queue may still be at something
  bool is_reading_host;    // it may still read from the host's temporaries
  // Launches since it was last waited for: the last one, and the calls of foreign code among them.
  uint32_t last_launch, first_suspect, suspect_count;
  tn_run_graphs_t graphs;
  tn_event_t* ready;  // of the results of this run; retained by the run. NULL: no stream waits
  void** pointers;
  tn_kernel_call_t* calls;  // by instruction
  tn_body_t* bodies;        // by block
  struct tn_frame* frames;  // by block: what a body's `user` is
  tn_kernel_context_t context;
  tn_pool_t pool;  // the device's, for this run
  tn_kernel_random_t random;
  tn_call_environment_t environment;
  tn_observer_t* observer;   // of this run; NULL: none, or not of what runs now
  tn_kernel_pending_t left;  // of the instruction that has just returned
  uint32_t unchecked_count;  // quick instructions since it was last asked whether to go on
  uint32_t pending_count;
  tn_pending_call_t pending[TN_PENDING_LIMIT];  // of blocks, and behind them of those inside
};

// From the pool, or a new one.
TN_MUST_USE tn_status_t tn__activation_take(tn_program_t* program,
                                            tn_activation_t** out_activation);
// Back to the pool.
void tn__activation_give(tn_activation_t* activation);
// Frees all activations in the pool.
void tn__activation_release_all(tn_program_t* program);

// Sets every pointer to an argument or result leaf of a unit.
void tn__activation_bind(tn_activation_t* activation, const tn_program_patch_t* patch,
                         const void* data);

// Runs the instructions of a unit whose arguments and results are bound. The error has the failing
// operation's place.
TN_MUST_USE tn_status_t tn__activation_run(tn_activation_t* activation, uint32_t unit);
// The same on a device that is not the host (encode.c).
TN_MUST_USE tn_status_t tn__activation_encode(tn_activation_t* activation, uint32_t unit);
// Before it: what is encoded comes behind an event, whose error this returns. Where the device
// makes the order, it does not wait for more than the launch, and the error is still to come.
TN_MUST_USE tn_status_t tn__activation_wait(tn_activation_t* activation, tn_event_t* event,
                                            bool* out_is_launched);
// Waits for the device.
TN_MUST_USE tn_status_t tn__activation_finish(tn_activation_t* activation);

// Binds the arguments and results of the unit that an instruction runs to its operands and results.
void tn__activation_bind_unit(tn_activation_t* activation, const tn_instruction_t* instruction);
// `status` with the place of the instruction's operation. Takes and returns it.
tn_status_t tn__instruction_locate(const tn_instruction_t* instruction, tn_status_t status);

#endif  // TENON_PROGRAM_ACTIVATION_H_
