// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/evaluator.h"

#include "device/device.h"
#include "lazy/body.h"
#include "lazy/cache.h"
#include "lazy/graph.h"

tn_status_t tn__evaluator_create(tn_device_t* device, tn_evaluator_t** out_evaluator) {
  void* memory = NULL;
  *out_evaluator = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(tn_evaluator_t), &memory));
  tn_evaluator_t* evaluator = memory;
  tn_status_t status = TN_OK;
  atomic_init(&evaluator->references, 1);
  evaluator->allocator = device->allocator;
  evaluator->device = tn_device_retain(device);
  pthread_mutex_init(&evaluator->mutex, NULL);
  pthread_cond_init(&evaluator->published, NULL);
  TN_DONE_IF_ERROR(tn__graph_cache_create(device->allocator, &evaluator->cache));
  *out_evaluator = evaluator;
  evaluator = NULL;
done:
  tn__evaluator_release(evaluator);
  return status;
}

tn_evaluator_t* tn__evaluator_retain(tn_evaluator_t* evaluator) {
  atomic_fetch_add_explicit(&evaluator->references, 1, memory_order_relaxed);
  return evaluator;
}

void tn__evaluator_release(tn_evaluator_t* evaluator) {
  if (!evaluator || atomic_fetch_sub(&evaluator->references, 1) != 1) return;
  const tn_allocator_t* allocator = evaluator->allocator;
  tn__graph_cache_destroy(evaluator->cache);
  tn__body_cache_destroy(evaluator->bodies);
  tn__graph_destroy(atomic_load(&evaluator->idle_graph));
  tn_stream_release(evaluator->stream);
  pthread_cond_destroy(&evaluator->published);
  pthread_mutex_destroy(&evaluator->mutex);
  tn_device_t* device = evaluator->device;
  tn__free(allocator, evaluator, sizeof *evaluator);
  tn_device_release(device);
}

tn_status_t tn__evaluator_stream(tn_evaluator_t* evaluator, tn_stream_t** out_stream) {
  tn_stream_t* stream = NULL;
  *out_stream = NULL;
  pthread_mutex_lock(&evaluator->mutex);
  *out_stream = evaluator->stream;
  pthread_mutex_unlock(&evaluator->mutex);
  if (*out_stream) return TN_OK;
  TN_RETURN_IF_ERROR(tn_stream_create(evaluator->device, &stream));
  pthread_mutex_lock(&evaluator->mutex);
  if (!evaluator->stream) {
    evaluator->stream = stream;
    stream = NULL;
  }
  *out_stream = evaluator->stream;
  pthread_mutex_unlock(&evaluator->mutex);
  tn_stream_release(stream);
  return TN_OK;
}

uint64_t tn__evaluator_next_mark(tn_evaluator_t* evaluator) {
  return ++evaluator->last_mark;
}
