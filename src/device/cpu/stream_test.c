// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/stream.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/testing_allocator.h"

static tn_stream_t* create_stream(void) {
  tn_device_t* device;
  tn_stream_t* stream;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  tn_device_release(device);
  return stream;
}

static tn_status_t note_thread(void* user, tn_status_t poison) {
  if (!poison) *(pthread_t*)user = pthread_self();
  return TN_OK;
}

static atomic_bool gate_is_open;

static tn_status_t wait_at_gate(void* user, tn_status_t poison) {
  (void)user;
  (void)poison;
  while (!atomic_load(&gate_is_open)) usleep(100);
  return TN_OK;
}

static tn_status_t count(void* user, tn_status_t poison) {
  ++((int*)user)[poison ? 1 : 0];
  return TN_OK;
}

// Without doing any of it.
static void wait_for_all(tn_stream_t* stream) {
  tn_event_t* event;
  TN_ASSERT_OK(tn_event_create(tn_stream_device(stream), &event));
  TN_ASSERT_OK(tn_stream_record_event(stream, event));
  TN_ASSERT_OK(tn_event_wait(event, -1));
  tn_event_release(event);
}

static void small_work_on_an_idle_stream_runs_on_the_caller(void** state) {
  (void)state;
  tn_stream_t* stream = create_stream();
  pthread_t thread = 0;
  TN_ASSERT_OK(tn__stream_enqueue(stream, note_thread, &thread, TN_STREAM_MAY_RUN_INLINE));
  assert_true(pthread_equal(thread, pthread_self()));
  // Not so behind other work, and not when it is not asked for.
  atomic_store(&gate_is_open, false);
  TN_ASSERT_OK(tn__stream_enqueue(stream, wait_at_gate, NULL, 0));
  TN_ASSERT_OK(tn__stream_enqueue(stream, note_thread, &thread, TN_STREAM_MAY_RUN_INLINE));
  atomic_store(&gate_is_open, true);
  wait_for_all(stream);
  assert_false(pthread_equal(thread, pthread_self()));
  thread = pthread_self();
  TN_ASSERT_OK(tn__stream_enqueue(stream, note_thread, &thread, 0));
  wait_for_all(stream);
  assert_false(pthread_equal(thread, pthread_self()));
  tn_stream_release(stream);
}

// Mostly: it may have begun already. In any case it is done once, and in order.
static void who_waits_does_what_has_not_begun(void** state) {
  (void)state;
  enum { ROUNDS = 200 };
  tn_stream_t* stream = create_stream();
  int own = 0, counts[2] = {0};
  for (int i = 0; i < ROUNDS || own == 0; ++i) {
    pthread_t thread = 0;
    TN_ASSERT_OK(tn__stream_enqueue(stream, count, counts, 0));
    TN_ASSERT_OK(tn__stream_enqueue(stream, note_thread, &thread, 0));
    TN_ASSERT_OK(tn_stream_synchronize(stream));
    own += pthread_equal(thread, pthread_self()) != 0;
    assert_true(counts[0] == i + 1 && counts[1] == 0 && thread != 0);
  }
  tn_stream_release(stream);
}

static void stream_without_a_thread_does_its_work_at_once(void** state) {
  (void)state;
  pthread_attr_t before, impossible;
  pthread_getattr_default_np(&before);
  pthread_attr_init(&impossible);
  pthread_attr_setstacksize(&impossible, (size_t)1 << 56);
  assert_int_equal(pthread_setattr_default_np(&impossible), 0);
  tn_stream_t* stream = create_stream();
  pthread_t thread = 0;
  TN_ASSERT_OK(tn__stream_enqueue(stream, note_thread, &thread, 0));
  assert_true(pthread_equal(thread, pthread_self()));
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  assert_int_equal(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&impossible);
  pthread_attr_destroy(&before);
  tn_stream_release(stream);
}

static int wait_for_child(pid_t child) {
  int result;
  waitpid(child, &result, 0);
  return WIFEXITED(result) ? WEXITSTATUS(result) : 255;
}

static void stream_is_refused_in_a_forked_child(void** state) {
  (void)state;
  const tn_code_t wanted = TN_CODE_FAILED_PRECONDITION;
  tn_stream_t* stream = create_stream();
  tn_device_t* another = NULL;
  int counts[2] = {0};
  tn_event_t* event;
  TN_ASSERT_OK(tn_event_create(tn_stream_device(stream), &event));
  atomic_store(&gate_is_open, false);
  TN_ASSERT_OK(tn__stream_enqueue(stream, wait_at_gate, NULL, 0));
  TN_ASSERT_OK(tn__stream_enqueue(stream, count, counts, 0));
  TN_ASSERT_OK(tn_stream_record_event(stream, event));
  pid_t child = fork();
  if (child == 0) {
    alarm(600);
    if (tn_status_code(tn_stream_synchronize(stream)) != wanted) _exit(1);
    if (tn_status_code(tn_event_wait(event, -1)) != wanted) _exit(2);
    if (tn_status_code(tn__stream_enqueue(stream, count, counts, 0)) != wanted) _exit(3);
    if (tn_status_code(tn_stream_wait_event(stream, event)) != wanted) _exit(4);
    if (tn_status_code(tn_event_set(event, TN_OK)) != wanted) _exit(5);
    if (tn_status_code(tn_device_create("cpu", NULL, &another)) != wanted) _exit(6);
    tn_event_release(event);
    tn_stream_release(stream);
    _exit(counts[0] + counts[1]);
  }
  atomic_store(&gate_is_open, true);
  assert_int_equal(wait_for_child(child), 0);
  TN_ASSERT_OK(tn_event_wait(event, -1));
  assert_int_equal(counts[0], 1);
  assert_int_equal(counts[1], 0);
  tn_event_release(event);
  tn_stream_release(stream);
}

static tn_event_t* record(tn_stream_t* stream) {
  tn_event_t* event;
  TN_ASSERT_OK(tn_event_create(tn_stream_device(stream), &event));
  TN_ASSERT_OK(tn_stream_record_event(stream, event));
  return event;
}

static void stream_that_failed_without_memory_recovers_once_an_event_has_reported_it(void** state) {
  (void)state;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  const tn_device_options_t options = {.struct_size = sizeof options,
                                       .allocator = &testing.allocator};
  tn_device_t* device;
  tn_stream_t* stream;
  TN_ASSERT_OK(tn_device_create("cpu", &options, &device));
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  for (int round = 0; round < 3; ++round) {
    tn_event_t* start;
    TN_ASSERT_OK(tn_event_create(device, &start));
    TN_ASSERT_OK(tn_stream_wait_event(stream, start));
    tn_event_t* event = record(stream);
    tn_status_t failure = tn_status_create(TN_CODE_INTERNAL, "the kernel failed");
    tn__testing_refuse_allocations(1, true);
    TN_ASSERT_OK(tn_event_set(start, failure));
    tn_status_t status = tn_event_wait(event, -1);
    tn__testing_refuse_allocations(0, false);
    TN_ASSERT_CODE(RESOURCE_EXHAUSTED, status);
    tn_event_release(event);
    tn_event_release(start);
    event = record(stream);
    TN_ASSERT_OK(tn_event_wait(event, -1));
    tn_event_release(event);
  }
  tn_stream_release(stream);
  tn_device_release(device);
  tn__testing_allocator_assert_empty(&testing);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_work_on_an_idle_stream_runs_on_the_caller),
      cmocka_unit_test(who_waits_does_what_has_not_begun),
      cmocka_unit_test(stream_without_a_thread_does_its_work_at_once),
      cmocka_unit_test(stream_that_failed_without_memory_recovers_once_an_event_has_reported_it),
      cmocka_unit_test(stream_is_refused_in_a_forked_child),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
