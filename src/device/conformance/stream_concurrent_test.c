// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <pthread.h>
#include <unistd.h>

#include "base/testing.h"
#include "device/buffer.h"
#include "device/conformance/testing_devices.h"

enum { THREADS = 6, STEPS = 2000 };

static tn_stream_t* create_stream(tn_device_t* device) {
  tn_stream_t* stream;
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  return stream;
}

static tn_event_t* create_event(tn_device_t* device) {
  tn_event_t* event;
  TN_ASSERT_OK(tn_event_create(device, &event));
  return event;
}

static void start_all(pthread_t* threads, void* (*run)(void*), char* arguments, size_t size) {
  for (size_t i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, run, arguments + i * size), 0);
  }
}

static void join_all(const pthread_t* threads) {
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
}

// Plain memory on purpose: the stream must order its pieces of work.
typedef struct ledger {
  long total;
  int last[THREADS];
  int disorder;
} ledger_t;

typedef struct clerk {
  tn_stream_t* stream;
  ledger_t* ledger;
  int number;
  int failures;
} clerk_t;

typedef struct posting {
  clerk_t* clerk;
  int step;
} posting_t;

static tn_status_t post(void* user, tn_status_t poison) {
  posting_t* posting = user;
  ledger_t* ledger = posting->clerk->ledger;
  if (!poison) {
    ++ledger->total;
    if (ledger->last[posting->clerk->number] != posting->step) ++ledger->disorder;
    ++ledger->last[posting->clerk->number];
  }
  free(posting);
  return TN_OK;
}

static void* post_many(void* argument) {
  clerk_t* clerk = argument;
  for (int i = 0; i < STEPS; ++i) {
    posting_t* posting = malloc(sizeof *posting);
    *posting = (posting_t){clerk, i};
    tn_status_t status =
        tn__stream_enqueue(clerk->stream, post, posting, i % 2 ? TN_STREAM_MAY_RUN_INLINE : 0);
    if (!status && i % 300 == 0) status = tn_stream_synchronize(clerk->stream);
    if (status) ++clerk->failures;
    tn_status_release(status);
    if (i % 500 == 0) usleep(200);
  }
  return NULL;
}

static void work_of_many_threads_is_done_once_and_one_at_a_time(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  ledger_t ledger = {0};
  clerk_t clerks[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) clerks[i] = (clerk_t){stream, &ledger, i, 0};
  start_all(threads, post_many, (char*)clerks, sizeof *clerks);
  join_all(threads);
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  assert_int_equal(ledger.total, THREADS * STEPS);
  assert_int_equal(ledger.disorder, 0);
  for (int i = 0; i < THREADS; ++i) assert_int_equal(clerks[i].failures, 0);
  tn_stream_release(stream);
}

typedef struct waiter {
  tn_event_t* event;
  int* value;  // plain: written before the event, read after it
  atomic_int* calls;
  int failures;
} waiter_t;

static void count_call(void* user, tn_status_t status) {
  waiter_t* waiter = user;
  if (tn_status_code(status) != TN_CODE_ABORTED || *waiter->value != 42) ++waiter->failures;
  atomic_fetch_add(waiter->calls, 1);
}

static void* wait_for_event(void* argument) {
  waiter_t* waiter = argument;
  tn_status_t status = tn_event_on_complete(waiter->event, count_call, waiter);
  if (status) ++waiter->failures;
  tn_status_release(status);
  status = tn_event_wait(waiter->event, -1);
  if (tn_status_code(status) != TN_CODE_ABORTED || *waiter->value != 42) ++waiter->failures;
  tn_status_release(status);
  tn_event_release(waiter->event);
  return NULL;
}

static void event_reaches_everybody_who_waits(tn_device_t* device) {
  for (int round = 0; round < 100; ++round) {
    tn_event_t* event = create_event(device);
    int value = 0;
    atomic_int calls = 0;
    waiter_t waiters[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
      waiters[i] = (waiter_t){tn_event_retain(event), &value, &calls, 0};
    }
    start_all(threads, wait_for_event, (char*)waiters, sizeof *waiters);
    if (round % 4 == 0) usleep(100);
    value = 42;
    TN_ASSERT_OK(tn_event_set(event, tn_status_create(TN_CODE_ABORTED, "stop")));
    tn_event_release(event);
    join_all(threads);
    assert_int_equal(calls, THREADS);
    for (int i = 0; i < THREADS; ++i) assert_int_equal(waiters[i].failures, 0);
  }
}

static tn_status_t add_one(void* user, tn_status_t poison) {
  if (!poison) ++*(int*)user;
  return TN_OK;
}

static void streams_pass_the_turn_to_each_other(tn_device_t* device) {
  enum { STREAMS = 3, ROUNDS = 300 };
  tn_stream_t* streams[STREAMS];
  for (int i = 0; i < STREAMS; ++i) streams[i] = create_stream(device);
  int value = 0;  // plain: the events order it
  tn_event_t* before = NULL;
  for (int i = 0; i < STREAMS * ROUNDS; ++i) {
    tn_stream_t* stream = streams[i % STREAMS];
    if (before) TN_ASSERT_OK(tn_stream_wait_event(stream, before));
    TN_ASSERT_OK(tn__stream_enqueue(stream, add_one, &value, TN_STREAM_MAY_RUN_INLINE));
    tn_event_release(before);
    before = create_event(device);
    TN_ASSERT_OK(tn_stream_record_event(stream, before));
  }
  TN_ASSERT_OK(tn_event_wait(before, -1));
  assert_int_equal(value, STREAMS * ROUNDS);
  tn_event_release(before);
  for (int i = 0; i < STREAMS; ++i) tn_stream_release(streams[i]);
}

static tn_status_t fail_sometimes(void* user, tn_status_t poison) {
  int* count = user;
  if (poison || ++*count % 7) return TN_OK;
  return tn_status_create(TN_CODE_DATA_LOSS, "the seventh");
}

static void* fail_and_wait(void* argument) {
  clerk_t* clerk = argument;
  static int counts[THREADS];
  for (int i = 0; i < STEPS / 4; ++i) {
    tn_status_t status = tn__stream_enqueue(clerk->stream, fail_sometimes, &counts[clerk->number],
                                            TN_STREAM_MAY_RUN_INLINE);
    if (status) ++clerk->failures;
    tn_status_release(status);
    status = tn_stream_synchronize(clerk->stream);
    if (status && tn_status_code(status) != TN_CODE_DATA_LOSS) ++clerk->failures;
    tn_status_release(status);
  }
  return NULL;
}

static void errors_and_waits_of_many_threads_mix(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  clerk_t clerks[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) clerks[i] = (clerk_t){stream, NULL, i, 0};
  start_all(threads, fail_and_wait, (char*)clerks, sizeof *clerks);
  join_all(threads);
  for (int i = 0; i < THREADS; ++i) assert_int_equal(clerks[i].failures, 0);
  tn_status_release(tn_stream_synchronize(stream));
  int value = 0;
  TN_ASSERT_OK(tn__stream_enqueue(stream, add_one, &value, 0));
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  assert_int_equal(value, 1);
  tn_stream_release(stream);
}

typedef struct taker {
  tn_buffer_t* buffer;
  tn_device_t* device;
  atomic_int* taken;
} taker_t;

static void* read_and_take(void* argument) {
  taker_t* taker = argument;
  for (int i = 0; i < 20; ++i) {
    long value = 0;
    tn_status_t status = tn_buffer_to_host(taker->buffer, &value, sizeof value);
    // Read whole, or not at all.
    if (!status && value != 77) atomic_fetch_add(taker->taken, 1000);
    tn_status_release(status);
  }
  tn_memory_t memory;
  if (tn__buffer_take_memory(taker->buffer, &memory)) {
    long zero = 0;
    tn_status_release(
        taker->device->vtable->copy_from_host(taker->device, NULL, memory, &zero, sizeof zero));
    taker->device->vtable->free(taker->device, memory);
    atomic_fetch_add(taker->taken, 1);
  }
  tn_buffer_release(taker->buffer);
  return NULL;
}

static void buffer_is_donated_to_one_and_never_while_it_is_read(tn_device_t* device) {
  for (int round = 0; round < 100; ++round) {
    long value = 77;
    tn_buffer_t* buffer;
    TN_ASSERT_OK(
        tn_buffer_create_from_host(device, TN_DTYPE_S64, 0, NULL, &value, sizeof value, &buffer));
    atomic_int taken = 0;
    taker_t takers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
      takers[i] = (taker_t){tn_buffer_retain(buffer), device, &taken};
    }
    tn_buffer_release(buffer);
    start_all(threads, read_and_take, (char*)takers, sizeof *takers);
    join_all(threads);
    assert_in_range(taken, 0, 1);
  }
}

typedef struct order {
  tn_event_t* event;
  atomic_bool has_begun, is_joined;
  bool is_first_over, came_after;  // plain: the callbacks run one after the other
} order_t;

static void hold_up(void* user, tn_status_t status) {
  order_t* order = user;
  (void)status;
  atomic_store(&order->has_begun, true);
  while (!atomic_load(&order->is_joined)) usleep(100);
  order->is_first_over = true;
}

static void come_after(void* user, tn_status_t status) {
  order_t* order = user;
  (void)status;
  order->came_after = order->is_first_over;
}

static void* set_event(void* argument) {
  order_t* order = argument;
  TN_ASSERT_OK(tn_event_set(order->event, NULL));
  return NULL;
}

static void callback_added_while_another_runs_is_called_after_it(tn_device_t* device) {
  order_t order = {.event = create_event(device)};
  pthread_t thread;
  TN_ASSERT_OK(tn_event_on_complete(order.event, hold_up, &order));
  assert_int_equal(pthread_create(&thread, NULL, set_event, &order), 0);
  while (!atomic_load(&order.has_begun)) usleep(100);
  assert_true(tn_event_is_complete(order.event));
  TN_ASSERT_OK(tn_event_on_complete(order.event, come_after, &order));
  atomic_store(&order.is_joined, true);
  pthread_join(thread, NULL);
  assert_true(order.came_after);
  tn_event_release(order.event);
}

static void drop_stream(void* user, tn_status_t status) {
  (void)status;
  tn_stream_release(user);
}

typedef struct dropper {
  tn_device_t* device;
} dropper_t;

// Each stream dies in a callback, on its own thread or on this one.
static void* drop_streams(void* argument) {
  tn_device_t* device = ((dropper_t*)argument)->device;
  for (int i = 0; i < STEPS / 20; ++i) {
    tn_stream_t* stream = create_stream(device);
    tn_event_t *start = create_event(device), *event = create_event(device);
    if (i % 2) TN_ASSERT_OK(tn_stream_wait_event(stream, start));
    TN_ASSERT_OK(tn_event_on_complete(event, drop_stream, stream));
    TN_ASSERT_OK(tn_stream_record_event(stream, event));
    TN_ASSERT_OK(tn_event_set(start, NULL));
    TN_ASSERT_OK(tn_event_wait(event, -1));
    tn_event_release(start);
    tn_event_release(event);
  }
  return NULL;
}

static void streams_die_in_callbacks_of_many_threads(tn_device_t* device) {
  dropper_t droppers[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) droppers[i] = (dropper_t){device};
  start_all(threads, drop_streams, (char*)droppers, sizeof *droppers);
  join_all(threads);
}

int main(void) {
  static const tn_device_test_t tests[] = {
      TN_DEVICE_TEST(work_of_many_threads_is_done_once_and_one_at_a_time),
      TN_DEVICE_TEST(event_reaches_everybody_who_waits),
      TN_DEVICE_TEST(streams_pass_the_turn_to_each_other),
      TN_DEVICE_TEST(errors_and_waits_of_many_threads_mix),
      TN_DEVICE_TEST(callback_added_while_another_runs_is_called_after_it),
      TN_DEVICE_TEST(streams_die_in_callbacks_of_many_threads),
      TN_DEVICE_TEST(buffer_is_donated_to_one_and_never_while_it_is_read),
  };
  return tn__run_device_tests(tests, sizeof tests / sizeof *tests);
}
