// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/event.h"

#include <limits.h>

#include "base/linux/clock.h"
#include "base/linux/futex.h"
#include "base/process.h"
#include "device/device.h"

enum {
  PENDING = 0,
  AWAITED = 1,  // pending, and a thread may sleep on the word
  COMPLETE = 2,
};

enum { SPIN_NS = 20000, SPINS_PER_LOOK = 32 };

typedef struct callback {
  struct callback* next;
  tn_event_callback_fn function;
  void* user;
} callback_t;

// Ends the list of callbacks: later ones are called by the thread that adds them.
static callback_t closed;

struct tn_event {
  atomic_uint references;
  tn_device_t* device;  // retained
  atomic_uint state;
  atomic_uint mark_state;  // PENDING, AWAITED, or COMPLETE: there is a mark, or never will be
  void* mark;              // written before; the device's
  atomic_bool is_armed;    // recorded or set
  tn_failure_t* failure;   // written before the state becomes COMPLETE; owned
  _Atomic(callback_t*) callbacks;  // the latest first; `closed` once all have been called
};

tn_device_t* tn__event_device(const tn_event_t* event) {
  return event->device;
}

tn_status_t tn_event_create(tn_device_t* device, tn_event_t** out_event) {
  void* memory;
  *out_event = NULL;
  TN_RETURN_IF_NULL(device);
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(tn_event_t), &memory));
  tn_event_t* event = memory;
  atomic_init(&event->references, 1);
  event->device = tn_device_retain(device);
  *out_event = event;
  return TN_OK;
}

tn_event_t* tn_event_retain(tn_event_t* event) {
  if (event) atomic_fetch_add(&event->references, 1);
  return event;
}

static bool is_complete(const tn_event_t* event) {
  return atomic_load_explicit(&event->state, memory_order_acquire) == COMPLETE;
}

void tn_event_release(tn_event_t* event) {
  if (!event || atomic_fetch_sub(&event->references, 1) != 1 || tn__process_is_forked()) return;
  if (!is_complete(event) && atomic_load(&event->callbacks)) {
    // Callbacks must learn that it will not come.
    atomic_store(&event->references, 1);
    tn__event_complete(event,
                       tn__failure_create(event->device->allocator,
                                          tn_status_create(TN_CODE_CANCELLED,
                                                           "an event was given up before it was "
                                                           "recorded or set")));
  }
  tn__failure_release(event->failure);
  tn_device_t* device = event->device;
  if (event->mark) device->vtable->mark_destroy(device, event->mark);
  tn__free(device->allocator, event, sizeof *event);
  tn_device_release(device);
}

tn_status_t tn__event_arm(tn_event_t* event) {
  if (!atomic_exchange(&event->is_armed, true)) return TN_OK;
  return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                          "the event has been recorded or set before; an event happens once");
}

void tn__event_disarm(tn_event_t* event) {
  atomic_store(&event->is_armed, false);
}

static void announce(atomic_uint* state) {
  if (atomic_exchange(state, COMPLETE) == AWAITED) tn__futex_wake(state, INT_MAX);
}

static callback_t* reverse(callback_t* latest) {
  callback_t* earliest = NULL;
  while (latest) {
    callback_t* next = latest->next;
    latest->next = earliest;
    earliest = latest;
    latest = next;
  }
  return earliest;
}

// Those that are added meanwhile are called here as well, after those before them.
static void run_callbacks(tn_event_t* event) {
  callback_t* none = NULL;
  while (!atomic_compare_exchange_strong(&event->callbacks, &none, &closed)) {
    callback_t* callback = reverse(atomic_exchange(&event->callbacks, NULL));
    while (callback) {
      callback_t* next = callback->next;
      callback->function(callback->user, tn__failure_status(event->failure));
      tn__free(event->device->allocator, callback, sizeof *callback);
      callback = next;
    }
    none = NULL;
  }
}

void tn__event_complete(tn_event_t* event, tn_failure_t* failure) {
  event->failure = failure;
  // From here on a waiter may release the event, so hold it for the callbacks.
  tn_event_retain(event);
  announce(&event->state);
  announce(&event->mark_state);
  run_callbacks(event);
  tn_event_release(event);
}

tn_status_t tn_event_set(tn_event_t* event, tn_status_t status) {
  tn_status_t refusal = tn__process_check();
  if (!refusal && !event) {
    refusal = tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_event_set: event is NULL");
  }
  if (!refusal) refusal = tn__event_arm(event);
  if (refusal) {
    tn_status_release(status);
    return refusal;
  }
  tn__event_complete(event, status ? tn__failure_create(event->device->allocator, status) : NULL);
  return TN_OK;
}

bool tn__event_await(tn_event_t* event, int64_t deadline_ns, tn_failure_t** out_failure) {
  *out_failure = NULL;
  if (!is_complete(event)) {
    // Often the work is about to end, and sleeping costs more than it takes.
    int64_t spin_deadline_ns = tn__clock_ns() + tn__device_spin_ns(event->device, SPIN_NS);
    if (spin_deadline_ns > deadline_ns) spin_deadline_ns = deadline_ns;
    do {
      for (int i = 0; i < SPINS_PER_LOOK && !is_complete(event); ++i) tn__cpu_relax();
    } while (!is_complete(event) && tn__clock_ns() < spin_deadline_ns);
  }
  while (!is_complete(event)) {
    unsigned pending = PENDING;
    atomic_compare_exchange_strong(&event->state, &pending, AWAITED);
    if (!tn__futex_wait(&event->state, AWAITED, deadline_ns) && !is_complete(event)) return false;
  }
  *out_failure = event->failure;
  return true;
}

bool tn__event_is_settled(tn_event_t* event) {
  return !event || (is_complete(event) && !event->failure);
}

void tn__event_set_mark(tn_event_t* event, void* mark) {
  event->mark = mark;
  announce(&event->mark_state);
}

void* tn__event_await_mark(tn_event_t* event) {
  while (atomic_load(&event->mark_state) != COMPLETE) {
    unsigned pending = PENDING;
    atomic_compare_exchange_strong(&event->mark_state, &pending, AWAITED);
    (void)tn__futex_wait(&event->mark_state, AWAITED, INT64_MAX);
  }
  return is_complete(event) ? NULL : event->mark;
}

tn_failure_t* tn__event_failure(const tn_event_t* event) {
  return tn__failure_retain(event->failure);
}

tn_status_t tn_event_wait(tn_event_t* event, int64_t timeout_ns) {
  tn_failure_t* failure;
  TN_RETURN_IF_NULL(event);
  if (!is_complete(event)) TN_RETURN_IF_ERROR(tn__process_check());
  if (!is_complete(event) && !tn__event_await(event, tn__clock_deadline_ns(timeout_ns), &failure)) {
    return tn_status_create(TN_CODE_DEADLINE_EXCEEDED, "the event has not happened after %.3f ms",
                            (double)timeout_ns / 1e6);
  }
  return tn__failure_report(event->failure);
}

tn_status_t tn__event_wait_until(tn_event_t* event, const tn_interrupt_t* interrupt) {
  while (interrupt && !is_complete(event)) {
    TN_RETURN_IF_ERROR(tn__interrupt_check(interrupt));
    tn_status_release(tn_event_wait(event, TN_INTERRUPT_POLL_NS));
  }
  return tn_event_wait(event, -1);
}

bool tn_event_is_complete(const tn_event_t* event) {
  return is_complete(event);
}

tn_status_t tn_event_on_complete(tn_event_t* event, tn_event_callback_fn callback, void* user) {
  TN_RETURN_IF_NULL(event);
  TN_RETURN_IF_NULL(callback);
  if (atomic_load(&event->callbacks) != &closed) {
    void* memory;
    TN_RETURN_IF_ERROR(tn__allocate(event->device->allocator, sizeof(callback_t), &memory));
    callback_t* added = memory;
    *added = (callback_t){.function = callback, .user = user};
    callback_t* latest = atomic_load(&event->callbacks);
    do {
      added->next = latest;
    } while (latest != &closed && !atomic_compare_exchange_weak(&event->callbacks, &latest, added));
    if (latest != &closed) return TN_OK;
    tn__free(event->device->allocator, added, sizeof *added);
  }
  callback(user, tn__failure_status(event->failure));
  return TN_OK;
}
