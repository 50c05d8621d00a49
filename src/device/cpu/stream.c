// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/stream.h"

#include <limits.h>

#include "base/linux/clock.h"
#include "base/linux/futex.h"
#include "base/process.h"
#include "device/event.h"

enum {
  SPIN_NS = 50000,
  SPINS_PER_LOOK = 32,
  // What the thread leaves to callers who wait for what they enqueue, and do it themselves then.
  GRACE_NS = 3000,
};

typedef enum item_kind { WORK, RECORD, WAIT } item_kind_t;

typedef struct item {
  item_kind_t kind;
  uint64_t epoch;
  tn_stream_work_fn work;  // WORK
  void* user;
  tn_event_t* event;  // RECORD, WAIT: retained
} item_t;

// Epochs say what an error poisons: all items of the epoch in which it came up. A new one begins
// with the first item that is enqueued after the error was reported.
typedef struct cpu_stream {
  tn_stream_t base;
  tn_worker_t worker;

  pthread_mutex_t lock;  // protects what follows
  item_t* items;         // a ring
  size_t capacity, first, count;
  bool is_running;  // an item is being run by the stream's thread, or by a caller of enqueue
  pthread_t runner;
  bool has_thread;
  bool is_closing;
  bool is_orphan;  // an item made the last release: its thread or its caller frees the stream
  uint64_t epoch;
  uint64_t failed_epoch;  // of `failure`
  tn_failure_t* failure;  // replaced only by the thread that runs an item, or while none does
  // What `failure` becomes next, so that a failure needs no memory. An epoch has one failure at
  // most, and enqueueing its first item makes sure of this.
  tn_failure_t* spare;

  // Items, modulo 2^32. Written under the lock, watched without it.
  atomic_uint enqueued_count, completed_count;
  atomic_uint waiter_count;  // threads that sleep on completed_count
} cpu_stream_t;

static cpu_stream_t* cast(tn_stream_t* stream) {
  return (cpu_stream_t*)stream;
}

static const tn_allocator_t* allocator_of(const cpu_stream_t* stream) {
  return stream->base.device->allocator;
}

// ---- items

// Under the lock: makes the calling thread the one that runs. The result is the poison, a view that
// stays valid as long as this thread runs; `out_obsolete` is the caller's to release.
static tn_failure_t* begin(cpu_stream_t* stream, const item_t* item, tn_failure_t** out_obsolete) {
  *out_obsolete = NULL;
  stream->is_running = true;
  stream->runner = pthread_self();
  if (stream->failure && item->epoch != stream->failed_epoch) {
    *out_obsolete = stream->failure;
    stream->failure = NULL;
  }
  return stream->failure;
}

// Outside the lock. Returns the error that comes up here, never one of a poisoned item.
static tn_status_t execute(const item_t* item, tn_failure_t* poison) {
  tn_failure_t* failure = NULL;
  tn_status_t status = TN_OK;
  switch (item->kind) {
    case WORK: status = item->work(item->user, tn__failure_status(poison)); break;
    case RECORD: tn__event_complete(item->event, tn__failure_retain(poison)); break;
    case WAIT:
      if (!poison) {
        tn__event_await(item->event, INT64_MAX, &failure);
        // A copy: reporting the event's failure does not report this stream's.
        status = tn_status_retain(tn__failure_status(failure));
      }
      break;
  }
  tn_event_release(item->event);
  if (!poison) return status;
  tn_status_release(status);
  return TN_OK;
}

// Under the lock again. Takes `status`.
static void finish(cpu_stream_t* stream, const item_t* item, tn_status_t status) {
  if (status) {
    stream->failure = tn__failure_fill(stream->spare, status);
    stream->spare = NULL;
    stream->failed_epoch = item->epoch;
  }
  stream->is_running = false;
  atomic_fetch_add(&stream->completed_count, 1);
  if (atomic_load(&stream->waiter_count) > 0) tn__futex_wake(&stream->completed_count, INT_MAX);
}

// Under the lock, which is released meanwhile; no item is running. Does one item on the calling
// thread. The stream is there afterwards, until the lock is released.
static void run(cpu_stream_t* stream, item_t item) {
  tn_failure_t* obsolete;
  tn_failure_t* poison = begin(stream, &item, &obsolete);
  pthread_mutex_unlock(&stream->lock);

  tn__failure_release(obsolete);
  tn_status_t status = execute(&item, poison);

  pthread_mutex_lock(&stream->lock);
  finish(stream, &item, status);
}

// Under the lock, which is given up meanwhile.
static void run_first(cpu_stream_t* stream) {
  item_t item = stream->items[stream->first];
  stream->first = (stream->first + 1) % stream->capacity;
  --stream->count;
  run(stream, item);
}

// ---- the thread

static void free_stream(cpu_stream_t* stream) {
  pthread_mutex_destroy(&stream->lock);
  tn__failure_release(stream->failure);
  tn__failure_release(stream->spare);
  tn_device_t* device = stream->base.device;
  tn__free(device->allocator, stream->items, stream->capacity * sizeof *stream->items);
  tn__free(device->allocator, stream, sizeof *stream);
  tn_device_release(device);
}

// Whether who waits for the stream does what has not begun. A GPU's work belongs to the context of
// the stream's own thread.
static bool is_helped(const cpu_stream_t* stream) {
  return stream->base.device->target->is_host;
}

// The next item often comes right after the last one is done. Whether it came.
static bool spin(cpu_stream_t* stream, unsigned enqueued_count) {
  if (tn__pool_cores(stream->base.device->pool)->count == 1) return false;
  int64_t deadline_ns = tn__clock_ns() + SPIN_NS;
  do {
    for (int i = 0; i < SPINS_PER_LOOK; ++i) {
      if (atomic_load_explicit(&stream->enqueued_count, memory_order_relaxed) != enqueued_count) {
        return true;
      }
      tn__cpu_relax();
    }
  } while (tn__clock_ns() < deadline_ns);
  return false;
}

// Before the first item after a pause.
static void wait_for_helper(cpu_stream_t* stream) {
  const unsigned completed_count = atomic_load(&stream->completed_count);
  const int64_t deadline_ns = tn__clock_ns() + GRACE_NS;
  while (atomic_load_explicit(&stream->completed_count, memory_order_relaxed) == completed_count &&
         tn__clock_ns() < deadline_ns) {
    tn__cpu_relax();
  }
}

static void thread_main(void* user) {
  cpu_stream_t* stream = user;
  bool has_spun = false;
  pthread_mutex_lock(&stream->lock);
  while (!tn__process_is_forked()) {  // work may fork, and return in the child
    if (stream->count > 0 && !stream->is_running) {
      run_first(stream);
      has_spun = false;
    } else if (stream->is_closing && stream->count == 0 && !stream->is_running) {
      break;
    } else if (!has_spun) {
      unsigned enqueued_count = atomic_load(&stream->enqueued_count);
      pthread_mutex_unlock(&stream->lock);
      tn__worker_widen(&stream->worker);
      if (spin(stream, enqueued_count) && is_helped(stream)) wait_for_helper(stream);
      has_spun = true;
      pthread_mutex_lock(&stream->lock);
    } else {
      tn__worker_announce_sleep(&stream->worker);
      pthread_mutex_unlock(&stream->lock);
      tn__worker_sleep(&stream->worker);
      has_spun = false;
      pthread_mutex_lock(&stream->lock);
    }
  }
  bool is_orphan = stream->is_orphan;
  pthread_mutex_unlock(&stream->lock);
  if (!is_orphan) return;
  tn__worker_join(&stream->worker);
  free_stream(stream);
}

// Under the lock, which it releases. Makes sure that a thread runs what is queued, and that an
// orphan is freed: the caller must not touch the stream afterwards unless it has a reference.
static void hand_over_and_unlock(cpu_stream_t* stream) {
  bool must_rouse = false;
  if (stream->count > 0 && !stream->is_running) {
    if (!stream->has_thread) {
      tn_status_t status =
          tn__worker_start(&stream->worker, tn__pool_cores(stream->base.device->pool),
                           "tenon-stream", thread_main, stream);
      stream->has_thread = !status;
      tn_status_release(status);
      // Without a thread of its own the stream's work is done here and now.
      while (!stream->has_thread && stream->count > 0 && !stream->is_running) run_first(stream);
    } else {
      must_rouse = tn__worker_claim(&stream->worker);
    }
  }
  const bool is_abandoned = stream->is_orphan && !stream->is_running;
  const bool must_free = is_abandoned && !stream->has_thread;
  if (is_abandoned && stream->has_thread && !must_rouse) {
    must_rouse = tn__worker_claim(&stream->worker);
  }
  pthread_mutex_unlock(&stream->lock);
  if (must_rouse) tn__worker_rouse(&stream->worker);
  if (must_free) free_stream(stream);
}

// ---- enqueueing

// Under the lock, which is given up meanwhile.
static tn_status_t make_spare(cpu_stream_t* stream) {
  tn_failure_t* failure;
  pthread_mutex_unlock(&stream->lock);
  tn_status_t status = tn__failure_reserve(allocator_of(stream), &failure);
  pthread_mutex_lock(&stream->lock);
  if (!stream->spare) {
    stream->spare = failure;
    return status;
  }
  pthread_mutex_unlock(&stream->lock);
  tn_status_release(status);
  tn__failure_release(failure);
  pthread_mutex_lock(&stream->lock);
  return TN_OK;
}

// Under the lock, which is given up while the ring grows: no allocator is called under it.
static tn_status_t make_room(cpu_stream_t* stream) {
  while (stream->count == stream->capacity) {
    size_t capacity = stream->capacity ? stream->capacity * 2 : 16;
    void* memory;
    pthread_mutex_unlock(&stream->lock);
    tn_status_t status =
        tn__allocate_array(allocator_of(stream), capacity, sizeof(item_t), &memory);
    pthread_mutex_lock(&stream->lock);
    if (status) return status;
    item_t *grown = memory, *old = memory;
    size_t old_capacity = capacity;
    if (stream->capacity < capacity) {  // else another thread was faster
      for (size_t i = 0; i < stream->count; ++i) {
        grown[i] = stream->items[(stream->first + i) % stream->capacity];
      }
      old = stream->items;
      old_capacity = stream->capacity;
      stream->items = grown;
      stream->capacity = capacity;
      stream->first = 0;
    }
    pthread_mutex_unlock(&stream->lock);
    tn__free(allocator_of(stream), old, old_capacity * sizeof(item_t));
    pthread_mutex_lock(&stream->lock);
  }
  return TN_OK;
}

// Takes the event of `item` on success.
static tn_status_t enqueue(cpu_stream_t* stream, item_t item, bool may_run_inline) {
  pthread_mutex_lock(&stream->lock);
  tn_status_t status = stream->spare ? TN_OK : make_spare(stream);
  if (!status && !(may_run_inline && stream->count == 0 && !stream->is_running))
    status = make_room(stream);
  if (status) {
    pthread_mutex_unlock(&stream->lock);
    return status;
  }
  if (stream->failure && stream->failed_epoch == stream->epoch &&
      atomic_load(&stream->failure->was_reported)) {
    ++stream->epoch;
  }
  item.epoch = stream->epoch;
  atomic_fetch_add(&stream->enqueued_count, 1);
  // Looked at again: while the ring grew, the stream may have become idle or busy.
  if (may_run_inline && stream->count == 0 && !stream->is_running) {
    run(stream, item);
  } else {
    stream->items[(stream->first + stream->count) % stream->capacity] = item;
    ++stream->count;
  }
  hand_over_and_unlock(stream);
  return TN_OK;
}

tn_status_t tn__cpu_stream_enqueue(tn_stream_t* stream, tn_stream_work_fn work, void* user,
                                   unsigned flags) {
  item_t item = {.kind = WORK, .work = work, .user = user};
  return enqueue(cast(stream), item, flags & TN_STREAM_MAY_RUN_INLINE);
}

tn_status_t tn__cpu_stream_record(tn_stream_t* stream, tn_event_t* event) {
  TN_RETURN_IF_ERROR(tn__event_arm(event));
  item_t item = {.kind = RECORD, .event = tn_event_retain(event)};
  tn_status_t status = enqueue(cast(stream), item, true);
  if (status) {
    tn__event_disarm(event);
    tn_event_release(event);
  }
  return status;
}

tn_status_t tn__cpu_stream_wait(tn_stream_t* stream, tn_event_t* event) {
  item_t item = {.kind = WAIT, .event = tn_event_retain(event)};
  // The caller must not sleep for the event, so only one that has happened is dealt with here.
  tn_status_t status = enqueue(cast(stream), item, tn_event_is_complete(event));
  if (status) tn_event_release(event);
  return status;
}

// ---- waiting

static bool is_reached(cpu_stream_t* stream, unsigned target) {
  return (int)(atomic_load(&stream->completed_count) - target) >= 0;
}

static void await_count(cpu_stream_t* stream, unsigned target) {
  int64_t deadline_ns = tn__clock_ns() + tn__device_spin_ns(stream->base.device, SPIN_NS);
  do {
    for (int i = 0; i < SPINS_PER_LOOK; ++i) {
      if (is_reached(stream, target)) return;
      tn__cpu_relax();
    }
  } while (tn__clock_ns() < deadline_ns);
  atomic_fetch_add(&stream->waiter_count, 1);
  while (!is_reached(stream, target)) {
    unsigned completed_count = atomic_load(&stream->completed_count);
    if ((int)(completed_count - target) >= 0) break;
    tn__futex_wait(&stream->completed_count, completed_count, INT64_MAX);
  }
  atomic_fetch_sub(&stream->waiter_count, 1);
}

tn_status_t tn__cpu_stream_synchronize(tn_stream_t* stream) {
  cpu_stream_t* self = cast(stream);
  pthread_mutex_lock(&self->lock);
  if (self->is_running && pthread_equal(self->runner, pthread_self())) {
    pthread_mutex_unlock(&self->lock);
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "a stream cannot be waited for by its own work");
  }
  unsigned target = atomic_load(&self->enqueued_count);
  // What has not begun need not change threads.
  while (is_helped(self) && self->count > 0 && !self->is_running && !is_reached(self, target)) {
    run_first(self);
  }
  hand_over_and_unlock(self);
  if (!is_reached(self, target)) await_count(self, target);
  pthread_mutex_lock(&self->lock);
  tn_failure_t* failure = tn__failure_retain(self->failure);
  if (failure && self->failed_epoch == self->epoch) ++self->epoch;  // it is reported here
  pthread_mutex_unlock(&self->lock);
  tn_status_t status = tn__failure_report(failure);
  tn__failure_release(failure);
  return status;
}

bool tn__cpu_stream_is_idle(const tn_stream_t* stream) {
  const cpu_stream_t* self = (const cpu_stream_t*)stream;
  return atomic_load(&self->completed_count) == atomic_load(&self->enqueued_count);
}

// ---- life

tn_status_t tn__cpu_stream_create(tn_device_t* device, tn_stream_t** out_stream) {
  void* memory;
  *out_stream = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(cpu_stream_t), &memory));
  cpu_stream_t* stream = memory;
  atomic_init(&stream->base.references, 1);
  stream->base.device = device;
  stream->epoch = 1;
  tn_status_t status = tn__failure_reserve(device->allocator, &stream->spare);
  if (status) {
    tn__free(device->allocator, stream, sizeof *stream);
    return status;
  }
  pthread_mutex_init(&stream->lock, NULL);
  tn_device_retain(device);
  *out_stream = &stream->base;
  return TN_OK;
}

void tn__cpu_stream_destroy(tn_stream_t* stream) {
  cpu_stream_t* self = cast(stream);
  pthread_mutex_lock(&self->lock);
  self->is_closing = true;
  if (self->is_running && pthread_equal(self->runner, pthread_self())) {
    self->is_orphan = true;
    pthread_mutex_unlock(&self->lock);
    return;
  }
  bool has_thread = self->has_thread;
  bool must_rouse = has_thread && tn__worker_claim(&self->worker);
  pthread_mutex_unlock(&self->lock);
  if (must_rouse) tn__worker_rouse(&self->worker);
  if (has_thread) tn__worker_join(&self->worker);
  free_stream(self);
}
