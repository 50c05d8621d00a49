// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/process.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registration_error;
static bool has_started;  // under the mutex
bool tn__process_forked;

static void lock(void) {
  pthread_mutex_lock(&mutex);
}

static void unlock(void) {
  pthread_mutex_unlock(&mutex);
}

static void begin_in_child(void) {
  tn__process_forked = has_started;
  unlock();
}

static void register_handlers(void) {
  registration_error = pthread_atfork(lock, unlock, begin_in_child);
}

// Without memory for the handlers forks are as dangerous as with any other lock; nothing else
// fails.
void tn__process_lock(void) {
  pthread_once(&once, register_handlers);
  lock();
}

void tn__process_unlock(void) {
  unlock();
}

tn_status_t tn__process_start(void) {
  TN_RETURN_IF_ERROR(tn__process_check());
  tn__process_lock();
  has_started = true;
  tn__process_unlock();
  if (!registration_error) return TN_OK;
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "pthread_atfork: %s",
                          strerror(registration_error));
}

tn_status_t tn__process_forked_error(void) {
  return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                          "this process was forked from one that had created a device, and has "
                          "none of its threads; fork before the first device is created, or start "
                          "a new program (spawn, exec)");
}
