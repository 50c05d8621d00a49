// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the arrays of nested scopes have in common: the device, the lock on their graph, and the
// programs of graphs that were seen before.
#ifndef TENON_LAZY_EVALUATOR_H_
#define TENON_LAZY_EVALUATOR_H_

#include <pthread.h>
#include <stdatomic.h>
#include <tenon/detail/array.h>
#include <tenon/detail/program.h>

#include "base/allocator.h"

typedef struct tn_graph_cache tn_graph_cache_t;  // lazy/cache.h

// Reference counted: by scopes and arrays.
typedef struct tn_evaluator {
  atomic_uint references;
  const tn_allocator_t* allocator;
  tn_device_t* device;  // retained
  tn_graph_cache_t* cache;
  struct tn_body_cache* bodies;  // under the mutex
  atomic_uint transform_count;   // transforms under way: traced arrays keep their steps
  // What evaluation changes in arrays and steps. No thread computes or calls out while holding it.
  pthread_mutex_t mutex;
  pthread_cond_t published;  // steps that were claimed are done
  size_t waiting_count;      // threads that wait for it
  uint64_t last_mark;
  _Atomic(struct tn_graph*) idle_graph;  // whose memory the next evaluation can use; NULL: none
  tn_stream_t* stream;  // for tn_array_async_eval without one; made when it is first needed
} tn_evaluator_t;

TN_MUST_USE tn_status_t tn__evaluator_create(tn_device_t* device, tn_evaluator_t** out_evaluator);
tn_evaluator_t* tn__evaluator_retain(tn_evaluator_t* evaluator);
void tn__evaluator_release(tn_evaluator_t* evaluator);

// The stream for asynchronous work that names none; a view.
TN_MUST_USE tn_status_t tn__evaluator_stream(tn_evaluator_t* evaluator, tn_stream_t** out_stream);

// A number that no array and step is marked with. Under the mutex. Marks of earlier walks have no
// meaning any more.
uint64_t tn__evaluator_next_mark(tn_evaluator_t* evaluator);

#endif  // TENON_LAZY_EVALUATOR_H_
