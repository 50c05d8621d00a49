// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/live.h"

#include <limits.h>
#include <stdlib.h>

#include "base/linux/clock.h"
#include "base/linux/futex.h"
#include "base/process.h"

struct tn_ffi_future {
  atomic_uint is_complete;
  bool is_abandoned;
  int64_t begin_ns;              // of its time limit; 0: when it is waited for
  tn_call_lifetime_t* lifetime;  // of an abandoned one; retained
  tn_status_t error;
};

typedef enum live_kind { LIVE_ERROR = 1, LIVE_FUTURE } live_kind_t;

// Open addressing; at most half of the slots are in use. Guarded by the component's lock.
typedef struct live_slot {
  void* object;
  live_kind_t kind;
} live_slot_t;

static struct {
  live_slot_t* slots;
  size_t capacity;  // a power of two, or 0
  size_t count;
} live;

static size_t home(const void* object) {
  uint64_t bits = (uint64_t)(uintptr_t)object >> 4;
  return (size_t)(bits * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (live.capacity - 1);
}

static live_slot_t* find(const void* object, live_kind_t kind) {
  if (!live.capacity) return NULL;
  for (size_t i = home(object); live.slots[i].object; i = (i + 1) & (live.capacity - 1)) {
    if (live.slots[i].object == object && live.slots[i].kind == kind) return &live.slots[i];
  }
  return NULL;
}

static void put(live_slot_t entry) {
  size_t i = home(entry.object);
  while (live.slots[i].object) i = (i + 1) & (live.capacity - 1);
  live.slots[i] = entry;
}

static bool add(void* object, live_kind_t kind) {
  if (2 * (live.count + 1) > live.capacity) {
    size_t old_capacity = live.capacity;
    live_slot_t* old = live.slots;
    size_t capacity = old_capacity ? 2 * old_capacity : 16;
    live_slot_t* slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    live.slots = slots;
    live.capacity = capacity;
    for (size_t i = 0; i < old_capacity; ++i) {
      if (old[i].object) put(old[i]);
    }
    free(old);
  }
  put((live_slot_t){object, kind});
  ++live.count;
  return true;
}

// Leaves no gap between an entry and its home. The last entry takes the table with it.
static void drop(live_slot_t* slot) {
  if (--live.count == 0) {
    free(live.slots);
    live.slots = NULL;
    live.capacity = 0;
    return;
  }
  size_t mask = live.capacity - 1;
  size_t gap = (size_t)(slot - live.slots);
  for (size_t i = (gap + 1) & mask; live.slots[i].object; i = (i + 1) & mask) {
    size_t wanted = home(live.slots[i].object);
    if (((i - wanted) & mask) < ((i - gap) & mask)) continue;
    live.slots[gap] = live.slots[i];
    gap = i;
  }
  live.slots[gap] = (live_slot_t){0};
}

// --- errors

tn_status_t tn__error_give(tn_status_t status) {
  if (!status || status == tn__status_out_of_memory()) return status;
  tn__process_lock();
  bool is_added = add(status, LIVE_ERROR);
  tn__process_unlock();
  if (is_added) return status;
  tn_status_release(status);
  return tn__status_out_of_memory();
}

bool tn__error_take(tn_status_t status) {
  if (status == tn__status_out_of_memory()) return true;
  tn__process_lock();
  live_slot_t* slot = find(status, LIVE_ERROR);
  if (slot) drop(slot);
  tn__process_unlock();
  return slot != NULL;
}

bool tn__error_is_live(tn_status_t status) {
  if (status == tn__status_out_of_memory()) return true;
  tn__process_lock();
  bool is_live = find(status, LIVE_ERROR) != NULL;
  tn__process_unlock();
  return is_live;
}

// --- futures

tn_ffi_future_t* tn__future_create(void) {
  tn_ffi_future_t* future = calloc(1, sizeof *future);
  if (!future) return NULL;
  tn__process_lock();
  bool is_added = add(future, LIVE_FUTURE);
  tn__process_unlock();
  if (is_added) return future;
  free(future);
  return NULL;
}

tn_status_t tn__future_set(tn_ffi_future_t* future, tn_status_t error) {
  bool is_set = false, is_known = false;
  tn_ffi_future_t* dead = NULL;
  tn__process_lock();
  live_slot_t* slot = find(future, LIVE_FUTURE);
  if (slot) {
    is_known = true;
    is_set = !atomic_load_explicit(&future->is_complete, memory_order_relaxed);
    if (is_set && future->is_abandoned) {
      drop(slot);
      dead = future;
    } else if (is_set) {
      future->error = error;
      error = NULL;
      atomic_store(&future->is_complete, 1);
      tn__futex_wake(&future->is_complete, INT_MAX);  // who waits frees it under this lock
    }
  }
  tn__process_unlock();
  if (dead) tn__lifetime_release(dead->lifetime);
  free(dead);
  tn_status_release(error);
  if (is_set) return TN_OK;
  return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                          is_known ? "the future is complete already" : "this is not a future");
}

bool tn__future_begin(tn_ffi_future_t* future) {
  tn__process_lock();
  const bool is_pending = find(future, LIVE_FUTURE) &&
                          !atomic_load_explicit(&future->is_complete, memory_order_acquire);
  if (is_pending) future->begin_ns = tn__clock_ns();
  tn__process_unlock();
  return is_pending;
}

// When the time limit of a future that is waited for ends.
static int64_t deadline_of(const tn_ffi_future_t* future, int64_t timeout_ns) {
  if (timeout_ns < 0 || !future->begin_ns) return tn__clock_deadline_ns(timeout_ns);
  int64_t deadline_ns = 0;
  const bool is_too_far = __builtin_add_overflow(future->begin_ns, timeout_ns, &deadline_ns);
  return is_too_far ? INT64_MAX : deadline_ns;
}

// Sleeps until the future is complete, the deadline has passed, or the run is interrupted, which is
// an error.
static tn_status_t sleep_until_complete(tn_ffi_future_t* future, int64_t deadline_ns,
                                        const tn_interrupt_t* interrupt) {
  while (!atomic_load(&future->is_complete)) {
    int64_t moment_ns = deadline_ns;
    if (interrupt) {
      TN_RETURN_IF_ERROR(tn__interrupt_check(interrupt));
      const int64_t next_ns = tn__clock_deadline_ns(TN_INTERRUPT_POLL_NS);
      if (next_ns < moment_ns) moment_ns = next_ns;
    }
    if (!tn__futex_wait(&future->is_complete, 0, moment_ns) && moment_ns == deadline_ns) break;
  }
  return TN_OK;
}

tn_status_t tn__future_wait(tn_ffi_future_t* future, int64_t timeout_ns,
                            const tn_interrupt_t* interrupt, tn_call_lifetime_t* lifetime,
                            bool* out_is_late) {
  *out_is_late = false;
  tn__process_lock();
  bool is_known = find(future, LIVE_FUTURE) != NULL;
  tn__process_unlock();
  if (!is_known) {
    return tn_status_create(TN_CODE_INTERNAL,
                            "the handler left a future that the frame's own table did not make");
  }
  tn_status_t interruption =
      sleep_until_complete(future, deadline_of(future, timeout_ns), interrupt);
  tn__process_lock();
  bool is_complete = atomic_load(&future->is_complete);
  tn_status_t error = future->error;
  if (is_complete) {
    drop(find(future, LIVE_FUTURE));
  } else {
    future->is_abandoned = true;
    future->lifetime = tn__lifetime_retain(lifetime);
  }
  tn__process_unlock();
  if (is_complete) {
    free(future);
    tn_status_release(interruption);
    return error;
  }
  *out_is_late = true;
  if (interruption) return interruption;
  return tn_status_create(TN_CODE_DEADLINE_EXCEEDED,
                          "the handler did not complete its future within %.3f s",
                          (double)timeout_ns / 1e9);
}

bool tn__future_abandon(tn_ffi_future_t* future, tn_call_lifetime_t* lifetime) {
  tn_ffi_future_t* dead = NULL;
  tn_status_t error = NULL;
  tn__process_lock();
  live_slot_t* slot = find(future, LIVE_FUTURE);
  if (slot && atomic_load(&future->is_complete)) {
    drop(slot);
    dead = future;
    error = future->error;
  } else if (slot) {
    future->is_abandoned = true;
    future->lifetime = tn__lifetime_retain(lifetime);
  }
  tn__process_unlock();
  free(dead);
  tn_status_release(error);
  return slot && !dead;
}
