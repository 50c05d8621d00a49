// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Events: places in a stream, which other streams wait for.
#include <stdlib.h>

#include "driver.h"

// What an event was last recorded as. Streams that wait for it keep it when it is recorded again.
typedef struct recording {
  size_t use_count;
  bool has_happened;
} recording_t;

struct tn_cu_event_object {
  tn_cu_context_t context;
  recording_t* recording;  // NULL: it has not been recorded, and nobody waits for it
  uint64_t capture;        // that it was recorded in; 0: in none
  tn_cu_stream_t stream;   // where
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // protects what follows, and all events
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

// Under the mutex.
static recording_t* retain(recording_t* recording) {
  ++recording->use_count;
  return recording;
}

static void release(recording_t* recording) {
  if (recording && --recording->use_count == 0) free(recording);
}

int32_t cuEventCreate(tn_cu_event_t* out_event, uint32_t flags) {
  enum { BLOCKING = 1, WITHOUT_TIME = 2 };
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  if (flags & ~(uint32_t)(BLOCKING | WITHOUT_TIME)) return SIM_INVALID_VALUE;
  tn_cu_event_t event = calloc(1, sizeof *event);
  if (!event) return SIM_OUT_OF_MEMORY;
  event->context = context;
  sim_count(context, 1);
  *out_event = event;
  return SIM_SUCCESS;
}

int32_t cuEventDestroy_v2(tn_cu_event_t event) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  if (!event || event->context != context) return SIM_INVALID_HANDLE;
  pthread_mutex_lock(&mutex);
  release(event->recording);
  pthread_mutex_unlock(&mutex);
  free(event);
  sim_count(context, -1);
  return SIM_SUCCESS;
}

// --- in the streams' turns

static void happen(tn_cu_context_t context, void* user) {
  recording_t* recording = user;
  (void)context;
  pthread_mutex_lock(&mutex);
  recording->has_happened = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void wait_for(tn_cu_context_t context, void* user) {
  const recording_t* recording = user;
  (void)context;
  pthread_mutex_lock(&mutex);
  while (!recording->has_happened) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void give_up(void* user) {
  pthread_mutex_lock(&mutex);
  release(user);
  pthread_mutex_unlock(&mutex);
}

int32_t cuEventRecord(tn_cu_event_t event, tn_cu_stream_t stream) {
  tn_cu_context_t context = NULL;
  int32_t error = sim_context(&context);
  if (error) return error;
  if (!event || event->context != context) return SIM_INVALID_HANDLE;
  if (!sim_is_stream_of(stream, context)) return SIM_INVALID_HANDLE;
  event->capture = sim_capture_of(stream);
  event->stream = stream;
  if (event->capture) return SIM_SUCCESS;
  recording_t* recording = calloc(1, sizeof *recording);
  if (!recording) return SIM_OUT_OF_MEMORY;
  recording->use_count = 2;  // the event's, and the stream's
  pthread_mutex_lock(&mutex);
  recording_t* earlier = event->recording;
  event->recording = recording;
  release(earlier);
  pthread_mutex_unlock(&mutex);
  error = sim_enqueue(stream, context, &(sim_work_t){happen, give_up, recording});
  if (error) {
    happen(context, recording);
    give_up(recording);
  }
  return error;
}

// An event that was not recorded is not waited for.
int32_t cuStreamWaitEvent(tn_cu_stream_t stream, tn_cu_event_t event, uint32_t flags) {
  tn_cu_context_t context = NULL;
  int32_t error = sim_context(&context);
  if (error) return error;
  if (!event) return SIM_INVALID_HANDLE;
  if (flags) return SIM_INVALID_VALUE;
  if (!sim_is_stream_of(stream, context)) return SIM_INVALID_HANDLE;
  error = sim_capture_wait(stream, event->capture, event->stream);
  if (error || event->capture) return error;
  pthread_mutex_lock(&mutex);
  recording_t* recording = event->recording ? retain(event->recording) : NULL;
  pthread_mutex_unlock(&mutex);
  if (!recording) return SIM_SUCCESS;
  error = sim_enqueue(stream, context, &(sim_work_t){wait_for, give_up, recording});
  if (error) give_up(recording);
  return error;
}
