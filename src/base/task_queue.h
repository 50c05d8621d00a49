// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Tasks that run some time, on some thread: what handlers schedule. They may take long and may
// block, and therefore never run on the threads of parallel loops.
#ifndef TENON_BASE_TASK_QUEUE_H_
#define TENON_BASE_TASK_QUEUE_H_

#include "base/allocator.h"
#include "base/worker.h"

typedef void (*tn_task_fn)(void* user);

// Thread-safe. Threads start when there is a task and no idle thread, up to the limit.
typedef struct tn_task_queue tn_task_queue_t;

// `cores` is copied; `allocator` must outlive the queue.
TN_MUST_USE tn_status_t tn__task_queue_create(const tn_cores_t* cores, int thread_limit,
                                              const tn_allocator_t* allocator,
                                              tn_task_queue_t** out_queue);

// Runs what is still queued, then ends the threads. May be called by a task of this very queue; the
// rest is then done after the task has returned.
void tn__task_queue_destroy(tn_task_queue_t* queue);

// Calls task(user) exactly once, under no lock, on a thread of the queue; tasks start in the order
// in which they were scheduled. After an error (no memory, or not a single thread can be started)
// it is not called.
TN_MUST_USE tn_status_t tn__task_queue_add(tn_task_queue_t* queue, tn_task_fn task, void* user);

#endif  // TENON_BASE_TASK_QUEUE_H_
