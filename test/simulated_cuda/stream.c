// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Streams: queues of work, each with a thread.
#include <stdlib.h>

#include "driver.h"

typedef struct item {
  struct item* next;
  sim_work_t work;
} item_t;

struct tn_cu_stream_object {
  tn_cu_stream_t next;  // of all streams; under sim_mutex
  tn_cu_context_t context;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  item_t *first, **end;
  bool is_busy, is_over;
  uint64_t capture;  // under the mutex of graph.c
  bool is_unjoined;
};

static tn_cu_stream_t streams;

static void* do_work(void* user) {
  tn_cu_stream_t stream = user;
  pthread_mutex_lock(&stream->mutex);
  for (;;) {
    while (!stream->first && !stream->is_over) {
      pthread_cond_wait(&stream->changed, &stream->mutex);
    }
    item_t* item = stream->first;
    if (!item) break;
    stream->first = item->next;
    if (!stream->first) stream->end = &stream->first;
    stream->is_busy = true;
    pthread_mutex_unlock(&stream->mutex);
    item->work.run(stream->context, item->work.user);
    item->work.give_up(item->work.user);
    free(item);
    pthread_mutex_lock(&stream->mutex);
    stream->is_busy = false;
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream->mutex);
  return NULL;
}

static void wait_for(tn_cu_stream_t stream) {
  pthread_mutex_lock(&stream->mutex);
  while (stream->first || stream->is_busy) pthread_cond_wait(&stream->changed, &stream->mutex);
  pthread_mutex_unlock(&stream->mutex);
}

// Under sim_mutex, where the stream is linked; NULL: it is not one, or not the context's.
static tn_cu_stream_t* find(tn_cu_stream_t stream, tn_cu_context_t context) {
  tn_cu_stream_t* place = &streams;
  while (*place && *place != stream) place = &(*place)->next;
  return *place && stream->context == context ? place : NULL;
}

bool sim_is_stream_of(tn_cu_stream_t stream, tn_cu_context_t context) {
  pthread_mutex_lock(&sim_mutex);
  const bool is_found = find(stream, context);
  pthread_mutex_unlock(&sim_mutex);
  return is_found;
}

int32_t cuStreamCreate(tn_cu_stream_t* out_stream, uint32_t flags) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  if (flags > 1) return SIM_INVALID_VALUE;
  tn_cu_stream_t stream = calloc(1, sizeof *stream);
  if (!stream) return SIM_OUT_OF_MEMORY;
  stream->context = context;
  stream->end = &stream->first;
  pthread_mutex_init(&stream->mutex, NULL);
  pthread_cond_init(&stream->changed, NULL);
  if (pthread_create(&stream->thread, NULL, do_work, stream)) {
    free(stream);
    return SIM_OUT_OF_MEMORY;
  }
  pthread_mutex_lock(&sim_mutex);
  stream->next = streams;
  streams = stream;
  pthread_mutex_unlock(&sim_mutex);
  sim_count(context, 1);
  *out_stream = stream;
  return SIM_SUCCESS;
}

int32_t cuStreamDestroy_v2(tn_cu_stream_t stream) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  pthread_mutex_lock(&sim_mutex);
  tn_cu_stream_t* place = find(stream, context);
  if (place) *place = stream->next;
  pthread_mutex_unlock(&sim_mutex);
  if (!place) return SIM_INVALID_HANDLE;
  pthread_mutex_lock(&stream->mutex);
  stream->is_over = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
  pthread_join(stream->thread, NULL);
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->mutex);
  free(stream);
  sim_count(context, -1);
  return SIM_SUCCESS;
}

int32_t cuStreamSynchronize(tn_cu_stream_t stream) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  if (!sim_is_stream_of(stream, context)) return SIM_INVALID_HANDLE;
  const uint64_t capture = sim_capture_of(stream);
  if (capture) {
    sim_capture_break(capture);
    return SIM_CAPTURE_UNSUPPORTED;
  }
  wait_for(stream);
  return sim_context_error(context);
}

int32_t sim_enqueue(tn_cu_stream_t stream, tn_cu_context_t context, const sim_work_t* work) {
  int32_t error = SIM_SUCCESS;
  if (!sim_is_stream_of(stream, context)) return SIM_INVALID_HANDLE;
  if (sim_capture_add(stream, work, &error)) return error;
  item_t* item = malloc(sizeof *item);
  if (!item) return SIM_OUT_OF_MEMORY;
  *item = (item_t){NULL, *work};
  pthread_mutex_lock(&stream->mutex);
  *stream->end = item;
  stream->end = &item->next;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
  return SIM_SUCCESS;
}

// Streams that are made meanwhile have nothing to do with what the caller frees. One that is
// destroyed meanwhile would be looked at too late, so the list is held; what is under way takes no
// sim_mutex for longer than a look.
void sim_wait_for_all(tn_cu_context_t context) {
  for (;;) {
    tn_cu_stream_t busy = NULL;
    pthread_mutex_lock(&sim_mutex);
    for (tn_cu_stream_t it = streams; it && !busy; it = it->next) {
      if (it->context != context) continue;
      pthread_mutex_lock(&it->mutex);
      if (it->first || it->is_busy) busy = it;
      pthread_mutex_unlock(&it->mutex);
    }
    pthread_mutex_unlock(&sim_mutex);
    if (!busy) return;
    sched_yield();
  }
}

// --- captures

uint64_t* sim_stream_capture(tn_cu_stream_t stream) {
  return &stream->capture;
}

bool* sim_stream_is_unjoined(tn_cu_stream_t stream) {
  return &stream->is_unjoined;
}

bool sim_streams_leave_capture(uint64_t number, tn_cu_stream_t origin) {
  bool is_unjoined = false;
  pthread_mutex_lock(&sim_mutex);
  for (tn_cu_stream_t it = streams; it; it = it->next) {
    if (it->capture != number) continue;
    is_unjoined |= it != origin && it->is_unjoined;
    it->capture = 0;
    it->is_unjoined = false;
  }
  pthread_mutex_unlock(&sim_mutex);
  return is_unjoined;
}
