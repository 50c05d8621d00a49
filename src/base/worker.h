// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A thread that sleeps until it is wanted. Pools, task queues and streams are made of these.
//
// Waking: the kernel likes to put a woken thread on the core of the thread that woke it. When that
// one goes on working or spinning, the woken thread is in line behind it, for milliseconds in
// bad cases. So a sleeper keeps out of the core from which it was last woken; a waker on another
// core moves that exclusion first, which costs it some microseconds; and a worker that is awake and
// has nothing to do takes its whole set of cores back.
#ifndef TENON_BASE_WORKER_H_
#define TENON_BASE_WORKER_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/linux/cores.h"
#include "base/status.h"

typedef struct tn_worker {
  atomic_uint state;
  const tn_cores_t* cores;  // unowned
  pid_t thread_id;          // written before the worker first sleeps
  atomic_int waker_core;    // where it was last woken or started from; -1: unknown
  bool is_narrowed;         // its affinity lacks a core; the worker's own to read and write
  pthread_t thread;
  char name[16];
  void (*main)(void* user);
  void* user;
} tn_worker_t;

// Starts a thread that calls main(user). `cores` must outlive it. `name` is what debuggers show, 15
// bytes at most. Signals that are sent to the process are left to the application's own threads.
TN_MUST_USE tn_status_t tn__worker_start(tn_worker_t* worker, const tn_cores_t* cores,
                                         const char* name, void (*main)(void* user), void* user);

bool tn__worker_is_current(const tn_worker_t* worker);

// Waits for the end of the thread. When that is the calling one, it is detached instead.
void tn__worker_join(tn_worker_t* worker);

// Sleeping, on the worker's own thread, takes two steps, so that no wake-up is lost: announce it,
// look for work once more, then sleep or withdraw.
void tn__worker_announce_sleep(tn_worker_t* worker);
// False: another thread has claimed the worker meanwhile.
bool tn__worker_withdraw_sleep(tn_worker_t* worker);
// Until claimed and roused. Returns at once if that has happened already.
void tn__worker_sleep(tn_worker_t* worker);
// Takes the whole set of cores back. Cheap when that has been done.
void tn__worker_widen(tn_worker_t* worker);

// Waking, from any thread, takes two steps as well, so that the second, which costs microseconds,
// can be done outside locks. True: the worker was asleep, and it is the caller who must rouse it.
bool tn__worker_claim(tn_worker_t* worker);
void tn__worker_rouse(tn_worker_t* worker);

#endif  // TENON_BASE_WORKER_H_
