// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <unistd.h>

#include "base/testing.h"
#include "device/conformance/testing_devices.h"

enum { SECOND_NS = 1000000000 };

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

// A log of what was done, in order; each piece of work writes its letter, in upper case when it was
// poisoned.
typedef struct log {
  char text[256];
  atomic_size_t length;
} work_log_t;

typedef struct entry {
  work_log_t* log;
  char letter;
  tn_code_t code;  // how it ends
  int sleep_us;
} entry_t;

static tn_status_t write_entry(void* user, tn_status_t poison) {
  const entry_t* entry = user;
  if (entry->sleep_us) usleep((useconds_t)entry->sleep_us);
  char letter = poison ? (char)(entry->letter - 'a' + 'A') : entry->letter;
  entry->log->text[atomic_fetch_add(&entry->log->length, 1)] = letter;
  if (poison || entry->code == TN_CODE_OK) return TN_OK;
  return tn_status_create(entry->code, "work %c failed", entry->letter);
}

static void work_is_done_in_order(tn_device_t* device) {
  for (unsigned flags = 0; flags <= TN_STREAM_MAY_RUN_INLINE; ++flags) {
    tn_stream_t* stream = create_stream(device);
    assert_ptr_equal(tn_stream_device(stream), device);
    work_log_t log = {.length = 0};
    entry_t entries[26];
    for (int i = 0; i < 26; ++i) {
      entries[i] = (entry_t){.log = &log, .letter = (char)('a' + i), .sleep_us = i % 5 * 100};
      TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &entries[i], i % 3 ? flags : 0));
    }
    TN_ASSERT_OK(tn_stream_synchronize(stream));
    assert_true(tn_stream_is_idle(stream));
    assert_string_equal(log.text, "abcdefghijklmnopqrstuvwxyz");
    tn_stream_release(stream);
  }
}

static void release_waits_for_the_work(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  work_log_t log = {.length = 0};
  entry_t entry = {.log = &log, .letter = 'a', .sleep_us = 2000};
  for (int i = 0; i < 5; ++i) TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &entry, 0));
  tn_stream_release(stream);
  assert_string_equal(log.text, "aaaaa");
}

static void error_poisons_what_follows_and_comes_out_of_every_wait(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  tn_event_t* before = create_event(device);
  tn_event_t* after = create_event(device);
  work_log_t log = {.length = 0};
  entry_t a = {.log = &log, .letter = 'a', .sleep_us = 1000};
  entry_t b = {.log = &log, .letter = 'b', .code = TN_CODE_DATA_LOSS};
  entry_t c = {.log = &log, .letter = 'c'};
  TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &a, 0));
  TN_ASSERT_OK(tn_stream_record_event(stream, before));
  TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &b, 0));
  TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &c, 0));
  TN_ASSERT_OK(tn_stream_record_event(stream, after));
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(tn_event_wait(before, -1));
    TN_ASSERT_REPORT("work b failed", tn_event_wait(after, -1));
    TN_ASSERT_CODE(DATA_LOSS, tn_stream_synchronize(stream));
  }
  assert_string_equal(log.text, "abC");

  // It has been reported: what comes now is done, and the stream is well again.
  TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &c, 0));
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  assert_string_equal(log.text, "abCc");
  TN_ASSERT_CODE(DATA_LOSS, tn_event_wait(after, -1));
  tn_event_release(before);
  tn_event_release(after);
  tn_stream_release(stream);
}

static void unreported_error_poisons_whatever_is_enqueued_later(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  work_log_t log = {.length = 0};
  entry_t bad = {.log = &log, .letter = 'b', .code = TN_CODE_ABORTED};
  entry_t good = {.log = &log, .letter = 'c'};
  TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &bad, TN_STREAM_MAY_RUN_INLINE));
  while (!tn_stream_is_idle(stream)) usleep(100);
  TN_ASSERT_OK(tn__stream_enqueue(stream, write_entry, &good, TN_STREAM_MAY_RUN_INLINE));
  while (!tn_stream_is_idle(stream)) usleep(100);
  assert_string_equal(log.text, "bC");
  TN_ASSERT_CODE(ABORTED, tn_stream_synchronize(stream));
  tn_stream_release(stream);
}

static tn_status_t run_out_of_memory(void* user, tn_status_t poison) {
  (void)user, (void)poison;
  return tn__status_out_of_memory();
}

static void running_out_of_memory_poisons_what_follows(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  for (unsigned flags = 0; flags <= TN_STREAM_MAY_RUN_INLINE; ++flags) {
    tn_event_t* event = create_event(device);
    TN_ASSERT_OK(tn__stream_enqueue(stream, run_out_of_memory, NULL, flags));
    while (!tn_stream_is_idle(stream)) usleep(100);
    TN_ASSERT_OK(tn_stream_record_event(stream, event));
    TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn_event_wait(event, -1));
    TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn_stream_synchronize(stream));
    tn_event_release(event);
    event = create_event(device);
    TN_ASSERT_OK(tn_stream_record_event(stream, event));
    TN_ASSERT_OK(tn_event_wait(event, -1));
    tn_event_release(event);
  }
  tn_stream_release(stream);
}

static void streams_wait_for_events_of_others(tn_device_t* device) {
  tn_stream_t* first = create_stream(device);
  tn_stream_t* second = create_stream(device);
  tn_event_t* event = create_event(device);
  work_log_t log = {.length = 0};
  entry_t a = {.log = &log, .letter = 'a', .sleep_us = 5000};
  entry_t b = {.log = &log, .letter = 'b'};
  // Waiting for what is not recorded yet is fine.
  TN_ASSERT_OK(tn_stream_wait_event(second, event));
  TN_ASSERT_OK(tn__stream_enqueue(second, write_entry, &b, TN_STREAM_MAY_RUN_INLINE));
  TN_ASSERT_OK(tn__stream_enqueue(first, write_entry, &a, 0));
  TN_ASSERT_OK(tn_stream_record_event(first, event));
  TN_ASSERT_OK(tn_stream_synchronize(second));
  assert_string_equal(log.text, "ab");
  tn_event_release(event);
  tn_stream_release(first);
  tn_stream_release(second);
}

static void streams_wait_for_what_is_recorded_already(tn_device_t* device) {
  tn_device_t* other_device = NULL;
  TN_ASSERT_OK(tn_device_create(tn_device_name(device), NULL, &other_device));
  tn_stream_t* streams[] = {create_stream(device), create_stream(device),
                            create_stream(other_device)};
  tn_event_t* event = create_event(device);
  work_log_t log = {.length = 0};
  entry_t a = {.log = &log, .letter = 'a', .sleep_us = 5000};
  entry_t b = {.log = &log, .letter = 'b'};
  TN_ASSERT_OK(tn__stream_enqueue(streams[0], write_entry, &a, 0));
  TN_ASSERT_OK(tn_stream_record_event(streams[0], event));
  for (int i = 1; i < 3; ++i) {
    TN_ASSERT_OK(tn_stream_wait_event(streams[i], event));
    TN_ASSERT_OK(tn__stream_enqueue(streams[i], write_entry, &b, TN_STREAM_MAY_RUN_INLINE));
  }
  tn_event_release(event);
  for (int i = 1; i < 3; ++i) TN_ASSERT_OK(tn_stream_synchronize(streams[i]));
  assert_string_equal(log.text, "abb");
  for (int i = 0; i < 3; ++i) tn_stream_release(streams[i]);
  tn_device_release(other_device);
}

static void error_travels_through_events_that_are_recorded(tn_device_t* device) {
  tn_stream_t* first = create_stream(device);
  tn_stream_t* second = create_stream(device);
  tn_event_t* event = create_event(device);
  work_log_t log = {.length = 0};
  entry_t a = {.log = &log, .letter = 'a', .code = TN_CODE_UNAVAILABLE, .sleep_us = 2000};
  entry_t b = {.log = &log, .letter = 'b'};
  TN_ASSERT_OK(tn__stream_enqueue(first, write_entry, &a, 0));
  TN_ASSERT_OK(tn_stream_record_event(first, event));
  TN_ASSERT_OK(tn_stream_wait_event(second, event));
  TN_ASSERT_OK(tn__stream_enqueue(second, write_entry, &b, 0));
  TN_ASSERT_REPORT("work a failed", tn_stream_synchronize(second));
  TN_ASSERT_REPORT("work a failed", tn_stream_synchronize(first));
  assert_string_equal(log.text, "aB");
  tn_event_release(event);
  tn_stream_release(first);
  tn_stream_release(second);
}

static void error_travels_through_events_to_other_streams(tn_device_t* device) {
  tn_stream_t* first = create_stream(device);
  tn_stream_t* second = create_stream(device);
  tn_event_t* event = create_event(device);
  work_log_t log = {.length = 0};
  entry_t a = {.log = &log, .letter = 'a', .code = TN_CODE_UNAVAILABLE};
  entry_t b = {.log = &log, .letter = 'b'};
  TN_ASSERT_OK(tn__stream_enqueue(first, write_entry, &a, 0));
  TN_ASSERT_OK(tn_stream_record_event(first, event));
  // That the first stream's error has been reported does not make the second one's operands good.
  TN_ASSERT_REPORT("work a failed", tn_event_wait(event, -1));
  TN_ASSERT_OK(tn_stream_wait_event(second, event));
  TN_ASSERT_OK(tn__stream_enqueue(second, write_entry, &b, TN_STREAM_MAY_RUN_INLINE));
  TN_ASSERT_REPORT("work a failed", tn_stream_synchronize(second));
  assert_string_equal(log.text, "aB");
  TN_ASSERT_OK(tn__stream_enqueue(second, write_entry, &b, 0));
  TN_ASSERT_OK(tn_stream_synchronize(second));
  assert_string_equal(log.text, "aBb");
  tn_event_release(event);
  tn_stream_release(first);
  tn_stream_release(second);
}

static void wait_gives_up_after_its_timeout(tn_device_t* device) {
  tn_event_t* event = create_event(device);
  assert_false(tn_event_is_complete(event));
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, tn_event_wait(event, 0));
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, tn_event_wait(event, SECOND_NS / 1000));
  TN_ASSERT_OK(tn_event_set(event, TN_OK));
  assert_true(tn_event_is_complete(event));
  TN_ASSERT_OK(tn_event_wait(event, 0));
  TN_ASSERT_OK(tn_event_wait(event, -1));
  TN_ASSERT_OK(tn_event_wait(event, INT64_MAX));
  tn_event_release(event);
}

static void events_happen_once(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  tn_event_t* event = create_event(device);
  TN_ASSERT_OK(tn_event_set(event, tn_status_create(TN_CODE_CANCELLED, "first")));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_event_set(event, TN_OK));
  TN_ASSERT_CODE(FAILED_PRECONDITION,
                 tn_event_set(event, tn_status_create(TN_CODE_ABORTED, "second")));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_stream_record_event(stream, event));
  TN_ASSERT_REPORT("first", tn_event_wait(event, -1));
  tn_event_release(event);
  event = create_event(device);
  TN_ASSERT_OK(tn_stream_record_event(stream, event));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_stream_record_event(stream, event));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_event_set(event, TN_OK));
  TN_ASSERT_OK(tn_event_wait(event, -1));
  tn_event_release(event);
  tn_stream_release(stream);
}

typedef struct calls {
  char order[8];
  int count;
  tn_code_t code;
} calls_t;

static void note_call(void* user, tn_status_t status) {
  calls_t* calls = user;
  calls->order[calls->count] = (char)('0' + calls->count);
  ++calls->count;
  calls->code = tn_status_code(status);
}

static void callbacks_are_called_once_each_early_or_late(tn_device_t* device) {
  tn_event_t* event = create_event(device);
  calls_t calls = {.count = 0};
  TN_ASSERT_OK(tn_event_on_complete(event, note_call, &calls));
  TN_ASSERT_OK(tn_event_on_complete(event, note_call, &calls));
  assert_int_equal(calls.count, 0);
  TN_ASSERT_OK(tn_event_set(event, tn_status_create(TN_CODE_OUT_OF_RANGE, "wrong")));
  assert_int_equal(calls.count, 2);
  TN_ASSERT_OK(tn_event_on_complete(event, note_call, &calls));
  assert_int_equal(calls.count, 3);
  assert_int_equal(calls.code, TN_CODE_OUT_OF_RANGE);
  tn_event_release(event);
}

static void event_that_is_given_up_tells_its_callbacks(tn_device_t* device) {
  tn_event_t* event = create_event(device);
  calls_t calls = {.count = 0};
  TN_ASSERT_OK(tn_event_on_complete(event, note_call, &calls));
  tn_event_release(event);
  assert_int_equal(calls.count, 1);
  assert_int_equal(calls.code, TN_CODE_CANCELLED);
}

static tn_status_t synchronize_itself(void* user, tn_status_t poison) {
  (void)poison;
  return tn_stream_synchronize(user);
}

static void work_that_waits_for_its_own_stream_is_an_error(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  for (unsigned flags = 0; flags <= TN_STREAM_MAY_RUN_INLINE; ++flags) {
    TN_ASSERT_OK(tn__stream_enqueue(stream, synchronize_itself, stream, flags));
    TN_ASSERT_CODE(FAILED_PRECONDITION, tn_stream_synchronize(stream));
  }
  tn_stream_release(stream);
}

typedef struct chain {
  tn_stream_t* stream;
  int left;
} chain_t;

static tn_status_t enqueue_next(void* user, tn_status_t poison) {
  chain_t* chain = user;
  if (poison || --chain->left == 0) return TN_OK;
  return tn__stream_enqueue(chain->stream, enqueue_next, chain, TN_STREAM_MAY_RUN_INLINE);
}

static void work_may_enqueue_work(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  for (unsigned flags = 0; flags <= TN_STREAM_MAY_RUN_INLINE; ++flags) {
    chain_t chain = {stream, 1000};
    TN_ASSERT_OK(tn__stream_enqueue(stream, enqueue_next, &chain, flags));
    while (!tn_stream_is_idle(stream)) usleep(50);
    TN_ASSERT_OK(tn_stream_synchronize(stream));
    assert_int_equal(chain.left, 0);
  }
  tn_stream_release(stream);
}

static tn_status_t release_stream(void* user, tn_status_t poison) {
  (void)poison;
  usleep(1000);
  tn_stream_release(user);
  return TN_OK;
}

static void last_reference_may_be_dropped_by_its_own_work(tn_device_t* device) {
  for (int i = 0; i < 20; ++i) {
    tn_stream_t* stream = create_stream(device);
    tn_event_t* event = create_event(device);
    tn_stream_retain(stream);
    TN_ASSERT_OK(tn__stream_enqueue(stream, release_stream, stream, 0));
    TN_ASSERT_OK(tn_stream_record_event(stream, event));
    tn_stream_release(stream);
    TN_ASSERT_OK(tn_event_wait(event, -1));
    tn_event_release(event);
  }
  usleep(10000);  // the threads end by themselves; lets them, for the leak checker
}

typedef struct last_release {
  tn_stream_t* stream;
  tn_event_t* later;  // recorded before the release, so that a task is left; NULL: none
} last_release_t;

static void release_in_callback(void* user, tn_status_t status) {
  last_release_t* last = user;
  (void)status;
  if (last->later) TN_ASSERT_OK(tn_stream_record_event(last->stream, last->later));
  tn_stream_release(last->stream);
}

// Has had a thread, whichever thread runs its next task.
static tn_stream_t* create_stream_with_thread(tn_device_t* device) {
  tn_stream_t* stream = create_stream(device);
  tn_event_t* start = create_event(device);
  TN_ASSERT_OK(tn_stream_wait_event(stream, start));
  TN_ASSERT_OK(tn_event_set(start, NULL));
  tn_event_release(start);
  start = create_event(device);
  TN_ASSERT_OK(tn_stream_record_event(stream, start));
  TN_ASSERT_OK(tn_event_wait(start, -1));
  tn_event_release(start);
  while (!tn_stream_is_idle(stream)) usleep(100);
  return stream;
}

static void last_reference_may_be_dropped_by_a_callback(tn_device_t* device) {
  for (int i = 0; i < 40; ++i) {
    tn_event_t* event = create_event(device);
    tn_event_t* later = i & 1 ? create_event(device) : NULL;
    last_release_t last = {i & 2 ? create_stream_with_thread(device) : create_stream(device),
                           later};
    TN_ASSERT_OK(tn_event_on_complete(event, release_in_callback, &last));
    TN_ASSERT_OK(tn_stream_record_event(last.stream, event));
    TN_ASSERT_OK(tn_event_wait(event, -1));
    if (later) TN_ASSERT_OK(tn_event_wait(later, -1));
    tn_event_release(later);
    tn_event_release(event);
  }
}

static void last_reference_may_be_dropped_while_its_owner_synchronizes(tn_device_t* device) {
  tn_event_t *start = create_event(device), *event = create_event(device);
  last_release_t last = {create_stream(device), NULL};
  TN_ASSERT_OK(tn_event_on_complete(event, release_in_callback, &last));
  TN_ASSERT_OK(tn_stream_wait_event(last.stream, start));
  TN_ASSERT_OK(tn_stream_record_event(last.stream, event));
  TN_ASSERT_OK(tn_event_set(start, NULL));
  TN_ASSERT_OK(tn_stream_synchronize(last.stream));
  assert_true(tn_event_is_complete(event));
  tn_event_release(event);
  tn_event_release(start);
}

typedef struct spell {
  tn_event_t* event;
  char text[4];
} spell_t;

static void write_second(void* user, tn_status_t status) {
  (void)status;
  strcat(((spell_t*)user)->text, "b");
}

static void write_first(void* user, tn_status_t status) {
  spell_t* spell = user;
  (void)status;
  TN_ASSERT_OK(tn_event_on_complete(spell->event, write_second, spell));
  strcat(spell->text, "a");
}

static void callback_that_a_callback_adds_is_called_after_it(tn_device_t* device) {
  spell_t spell = {.event = create_event(device)};
  TN_ASSERT_OK(tn_event_on_complete(spell.event, write_first, &spell));
  TN_ASSERT_OK(tn_event_set(spell.event, NULL));
  assert_string_equal(spell.text, "ab");
  tn_event_release(spell.event);
}

int main(void) {
  static const tn_device_test_t tests[] = {
      TN_DEVICE_TEST(work_is_done_in_order),
      TN_DEVICE_TEST(release_waits_for_the_work),
      TN_DEVICE_TEST(error_poisons_what_follows_and_comes_out_of_every_wait),
      TN_DEVICE_TEST(unreported_error_poisons_whatever_is_enqueued_later),
      TN_DEVICE_TEST(running_out_of_memory_poisons_what_follows),
      TN_DEVICE_TEST(streams_wait_for_events_of_others),
      TN_DEVICE_TEST(streams_wait_for_what_is_recorded_already),
      TN_DEVICE_TEST(error_travels_through_events_that_are_recorded),
      TN_DEVICE_TEST(error_travels_through_events_to_other_streams),
      TN_DEVICE_TEST(wait_gives_up_after_its_timeout),
      TN_DEVICE_TEST(events_happen_once),
      TN_DEVICE_TEST(callbacks_are_called_once_each_early_or_late),
      TN_DEVICE_TEST(event_that_is_given_up_tells_its_callbacks),
      TN_DEVICE_TEST(work_that_waits_for_its_own_stream_is_an_error),
      TN_DEVICE_TEST(work_may_enqueue_work),
      TN_DEVICE_TEST(last_reference_may_be_dropped_by_its_own_work),
      TN_DEVICE_TEST(last_reference_may_be_dropped_by_a_callback),
      TN_DEVICE_TEST(last_reference_may_be_dropped_while_its_owner_synchronizes),
      TN_DEVICE_TEST(callback_that_a_callback_adds_is_called_after_it),
  };
  return tn__run_device_tests(tests, sizeof tests / sizeof *tests);
}
