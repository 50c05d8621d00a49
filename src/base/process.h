// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What exists once per process: a lock, and the state that a fork leaves behind. In a forked child
// only the forking thread goes on, and a lock that another thread held stays locked. A child of a
// process that had made no pool of threads, and so no device, is as good as new. In any other, what
// leads to threads or to locks of devices is an error, and objects that are released are leaked.
#ifndef TENON_BASE_PROCESS_H_
#define TENON_BASE_PROCESS_H_

#include <stdbool.h>

#include "base/status.h"

// For data of the whole process. Held for a few instructions, and never across callers' code
// (dlopen, initialisers, handlers, destructors). A forked child finds it free.
void tn__process_lock(void);
void tn__process_unlock(void);

// Before the first lock of an object that has threads: from now on a forked child is refused.
TN_MUST_USE tn_status_t tn__process_start(void);

// Written when there is one thread; read by the functions below.
extern bool tn__process_forked;

// Whether this is a child of fork that cannot go on with its parent's objects.
static inline bool tn__process_is_forked(void) {
  return __builtin_expect(tn__process_forked, 0);
}

TN_MUST_USE tn_status_t tn__process_forked_error(void);

// FAILED_PRECONDITION in such a child. Costs a load.
TN_MUST_USE static inline tn_status_t tn__process_check(void) {
  return tn__process_is_forked() ? tn__process_forked_error() : TN_OK;
}

#endif  // TENON_BASE_PROCESS_H_
