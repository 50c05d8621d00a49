// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/worker.h"

#include <signal.h>
#include <string.h>

#include "base/limits.h"
#include "base/linux/futex.h"

enum { AWAKE = 0, ASLEEP = 1, CLAIMED = 2 };

static void* thread_main(void* argument) {
  tn_worker_t* worker = argument;
  worker->thread_id = tn__thread_introduce(worker->name);
  worker->main(worker->user);
  return NULL;
}

// Runs and handlers find enough where the system's default is small, as with musl.
static int grow_stack(pthread_attr_t* attributes) {
  const size_t wanted = 2 * (size_t)TN_LIMIT_RUN_STACK_BYTES;
  size_t size = 0;
  int error = pthread_attr_getstacksize(attributes, &size);
  return error || size >= wanted ? error : pthread_attr_setstacksize(attributes, wanted);
}

tn_status_t tn__worker_start(tn_worker_t* worker, const tn_cores_t* cores, const char* name,
                             void (*main)(void* user), void* user) {
  *worker = (tn_worker_t){.cores = cores, .main = main, .user = user};
  atomic_store(&worker->waker_core, tn__cores_current(cores));
  strncpy(worker->name, name, sizeof worker->name - 1);

  // The faults of a kernel must reach a handler on the thread that has them, and profilers count on
  // their own signal.
  sigset_t blocked, previous;
  sigfillset(&blocked);
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) sigdelset(&blocked, own[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &previous);
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (!error) {
    error = grow_stack(&attributes);
    if (!error) error = pthread_create(&worker->thread, &attributes, thread_main, worker);
    pthread_attr_destroy(&attributes);
  }
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  if (!error) return TN_OK;
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "starting a thread: %s", strerror(error));
}

bool tn__worker_is_current(const tn_worker_t* worker) {
  return pthread_equal(worker->thread, pthread_self());
}

void tn__worker_join(tn_worker_t* worker) {
  if (tn__worker_is_current(worker)) {
    pthread_detach(worker->thread);
  } else {
    pthread_join(worker->thread, NULL);
  }
}

void tn__worker_announce_sleep(tn_worker_t* worker) {
  atomic_store(&worker->state, ASLEEP);
}

bool tn__worker_withdraw_sleep(tn_worker_t* worker) {
  unsigned expected = ASLEEP;
  return atomic_compare_exchange_strong(&worker->state, &expected, AWAKE);
}

void tn__worker_sleep(tn_worker_t* worker) {
  if (atomic_load(&worker->state) == ASLEEP) {
    tn__cores_exclude(worker->cores, 0, atomic_load(&worker->waker_core));
  }
  unsigned state;
  while ((state = atomic_load(&worker->state)) != AWAKE) {
    tn__futex_wait(&worker->state, state, INT64_MAX);
  }
  worker->is_narrowed = atomic_load(&worker->waker_core) >= 0;
}

void tn__worker_widen(tn_worker_t* worker) {
  if (!worker->is_narrowed) return;
  worker->is_narrowed = false;
  tn__cores_allow_all(worker->cores);
}

bool tn__worker_claim(tn_worker_t* worker) {
  unsigned expected = ASLEEP;
  return atomic_load_explicit(&worker->state, memory_order_relaxed) == ASLEEP &&
         atomic_compare_exchange_strong(&worker->state, &expected, CLAIMED);
}

void tn__worker_rouse(tn_worker_t* worker) {
  int core = tn__cores_current(worker->cores);
  if (core >= 0 && core != atomic_load(&worker->waker_core)) {
    tn__cores_exclude(worker->cores, worker->thread_id, core);
    atomic_store(&worker->waker_core, core);
  }
  atomic_store(&worker->state, AWAKE);
  tn__futex_wake(&worker->state, 1);
}
