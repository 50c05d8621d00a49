// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory faults inside of guarded calls (guarded.h): which call it was, and which of its operands
// and results.
//
// One message is written to the standard error; then the fault takes its course, so that debuggers
// and core dumps see it where it happened.
#ifndef TENON_CALL_FAULT_H_
#define TENON_CALL_FAULT_H_

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

// An operand or result on pages of its own. `begin` and `end` include the inaccessible ones.
typedef struct tn_fault_value {
  const char* name;  // "operand 0 (x)"
  uintptr_t begin, end;
  uintptr_t data;
  size_t byte_size;
} tn_fault_value_t;

// A call that runs. The caller's memory, which it leaves alone meanwhile.
typedef struct tn_fault_call {
  const char* place;  // "model.mlir:3:8: ", or ""
  const char* title;  // "custom call @axpby"
  size_t value_count;
  const tn_fault_value_t* values;
  pthread_t thread;                       // set by tn__fault_begin, like the rest
  struct tn_fault_call *next, *previous;  // of those that run
} tn_fault_call_t;

void tn__fault_begin(tn_fault_call_t* call);
void tn__fault_end(tn_fault_call_t* call);

// Between the two there is a handler of SIGSEGV, which passes each fault on to the one before it.
// They are counted.
void tn__fault_watch(void);
void tn__fault_unwatch(void);

#endif  // TENON_CALL_FAULT_H_
