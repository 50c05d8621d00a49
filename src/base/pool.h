// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The thread pool: parallel loops, and tasks for handlers.
//
// A loop is cut into chunks that threads claim one by one, each from its own part of the loop on,
// the same in all loops: what one loop has written, the next mostly reads on the same core. The
// caller claims chunks like everybody else and at the end waits only for chunks that others have
// claimed; so a loop finishes with no worker at all, a loop inside a loop cannot deadlock, and a
// worker that the system is slow to wake costs nothing but its help.
#ifndef TENON_BASE_POOL_H_
#define TENON_BASE_POOL_H_

#include "base/allocator.h"
#include "base/interrupt.h"
#include "base/task_queue.h"

// Thread-safe and reference counted: any number of threads may loop over one pool at once. Threads
// start when they are first needed; the child of a fork starts its own.
typedef struct tn_pool {
  struct tn_pool_threads* threads;
  const tn_interrupt_t* interrupt;  // ends loops early; NULL: nothing does
} tn_pool_t;

typedef struct tn_pool_config {
  int thread_count;  // the caller of a loop included; 0: the cores that the maker may use
  int64_t spin_ns;   // how long an idle thread stays awake; 0: 50 us, negative: not at all
} tn_pool_config_t;

enum { TN_POOL_THREAD_LIMIT = 1024 };

// `config` may be NULL. `allocator` must outlive the pool.
TN_MUST_USE tn_status_t tn__pool_create(const tn_pool_config_t* config,
                                        const tn_allocator_t* allocator, tn_pool_t** out_pool);
tn_pool_t* tn__pool_retain(tn_pool_t* pool);
// The last release runs the tasks that are still queued. It may come from a task, not from a loop.
void tn__pool_release(tn_pool_t* pool);

// The same threads for the loops of one run, which the interrupt (NULL: none) ends between chunks.
// A view, as long as both.
static inline tn_pool_t tn__pool_for(const tn_pool_t* pool, const tn_interrupt_t* interrupt) {
  return (tn_pool_t){pool->threads, interrupt};
}

// For loops of the calling thread alone that may take long: the error that ends them, or OK. A NULL
// pool has no interrupt.
TN_MUST_USE static inline tn_status_t tn__pool_check(const tn_pool_t* pool) {
  return pool && pool->interrupt ? tn__interrupt_check(pool->interrupt) : TN_OK;
}

// How many threads a loop may have, at least 1. NULL has 1.
int tn__pool_thread_count(const tn_pool_t* pool);

// The cores that the pool's threads run on; as long as the pool.
const tn_cores_t* tn__pool_cores(const tn_pool_t* pool);

// Does the elements begin <= i < end. Called on several threads at once, under no lock.
typedef tn_status_t (*tn_parallel_body_fn)(int64_t begin, int64_t end, void* user);

// Calls `body` for ranges that together are [0, count), each once, and returns when all are done.
// Ranges begin at multiples of `grain`, the smallest number of elements worth a thread's while
// (some microseconds of work); how many grains a range has depends on the threads, so a body whose
// result depends on the partition (a reduction) keeps a partial result for each grain. A NULL pool,
// or a count of no more than a grain, is done on the calling thread alone, as one range.
//
// Errors: the error of the range that begins first is returned, whatever the timing, if the bodies
// themselves are deterministic. Ranges behind a failed one may be left out; those before it are
// not. Once the pool's interrupt is due, its error is that of all ranges that have not begun.
// ABORTED when the process forks inside a body and the child returns from it.
TN_MUST_USE tn_status_t tn__pool_parallel_for(const tn_pool_t* pool, int64_t count, int64_t grain,
                                              tn_parallel_body_fn body, void* user);

// Calls task(user) once, some time, on a thread that no loop waits for; see tn__task_queue_add.
TN_MUST_USE tn_status_t tn__pool_schedule(tn_pool_t* pool, tn_task_fn task, void* user);

#endif  // TENON_BASE_POOL_H_
