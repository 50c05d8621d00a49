// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/interrupt.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/allocator.h"
#include "base/linux/clock.h"
#include "base/status.h"

struct tn_cancellation {
  const tn_allocator_t* allocator;
  atomic_uint references;
  atomic_bool is_cancelled;
  tn_cancellation_poll_fn poll;  // NULL: none
  void* user;
  pthread_t thread;  // that `poll` is called on, and that alone uses next_poll_ns
  int64_t next_poll_ns;
};

enum { POLL_INTERVAL_NS = 20 * 1000 * 1000 };

tn_status_t tn_cancellation_create(const tn_allocator_t* allocator,
                                   tn_cancellation_t** out_cancellation) {
  void* memory = NULL;
  TN_RETURN_IF_NULL(out_cancellation);
  *out_cancellation = NULL;
  if (!allocator) allocator = tn_allocator_system();
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_cancellation_t), &memory));
  tn_cancellation_t* cancellation = memory;
  cancellation->allocator = allocator;
  atomic_init(&cancellation->references, 1);
  atomic_init(&cancellation->is_cancelled, false);
  cancellation->poll = NULL;
  *out_cancellation = cancellation;
  return TN_OK;
}

tn_cancellation_t* tn_cancellation_retain(tn_cancellation_t* cancellation) {
  if (cancellation) atomic_fetch_add(&cancellation->references, 1);
  return cancellation;
}

void tn_cancellation_release(tn_cancellation_t* cancellation) {
  if (!cancellation || atomic_fetch_sub(&cancellation->references, 1) != 1) return;
  tn__free(cancellation->allocator, cancellation, sizeof *cancellation);
}

void tn_cancellation_cancel(tn_cancellation_t* cancellation) {
  if (cancellation) atomic_store(&cancellation->is_cancelled, true);
}

bool tn_cancellation_is_cancelled(const tn_cancellation_t* cancellation) {
  return cancellation && atomic_load_explicit(&cancellation->is_cancelled, memory_order_relaxed);
}

void tn_cancellation_set_poll(tn_cancellation_t* cancellation, tn_cancellation_poll_fn poll,
                              void* user) {
  cancellation->poll = poll;
  cancellation->user = user;
  cancellation->thread = pthread_self();
  cancellation->next_poll_ns = tn__clock_ns() + POLL_INTERVAL_NS;
}

static void poll_if_due(tn_cancellation_t* cancellation) {
  if (!pthread_equal(cancellation->thread, pthread_self()) ||
      !tn__clock_is_past(cancellation->next_poll_ns)) {
    return;
  }
  cancellation->next_poll_ns = tn__clock_ns() + POLL_INTERVAL_NS;
  if (cancellation->poll(cancellation->user)) tn_cancellation_cancel(cancellation);
}

tn_status_t tn__interrupt_check(const tn_interrupt_t* interrupt) {
  if (!interrupt) return TN_OK;
  if (interrupt->cancellation && interrupt->cancellation->poll) {
    poll_if_due(interrupt->cancellation);
  }
  return tn__interrupt_check_done(interrupt);
}

tn_status_t tn__interrupt_check_done(const tn_interrupt_t* interrupt) {
  if (!interrupt) return TN_OK;
  if (tn_cancellation_is_cancelled(interrupt->cancellation)) {
    return tn_status_create(TN_CODE_CANCELLED, "the run was cancelled");
  }
  if (interrupt->deadline_ns == INT64_MAX || !tn__clock_is_past(interrupt->deadline_ns)) {
    return TN_OK;
  }
  return tn_status_create(TN_CODE_DEADLINE_EXCEEDED,
                          "the run was not over within its time limit of %.3f s",
                          (double)interrupt->timeout_ns / 1e9);
}
