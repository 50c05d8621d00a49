// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/pool.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

static tn_pool_t* create_pool(int thread_count) {
  tn_pool_t* pool;
  tn_pool_config_t config = {.thread_count = thread_count};
  TN_ASSERT_OK(tn__pool_create(&config, tn_allocator_system(), &pool));
  return pool;
}

typedef struct marks {
  atomic_int* counts;
  int64_t grain;
  int64_t fail_from;  // elements from here on fail; -1: none
} marks_t;

static tn_status_t mark(int64_t begin, int64_t end, void* user) {
  marks_t* marks = user;
  if (begin % marks->grain != 0 || begin >= end) {
    return tn_status_create(TN_CODE_INTERNAL, "range %lld to %lld", (long long)begin,
                            (long long)end);
  }
  for (int64_t i = begin; i < end; ++i) {
    if (marks->fail_from >= 0 && i >= marks->fail_from) {
      return tn_status_create(TN_CODE_OUT_OF_RANGE, "element %lld", (long long)i);
    }
    atomic_fetch_add(&marks->counts[i], 1);
  }
  return TN_OK;
}

static void loop_covers_each_element_once(void** state) {
  (void)state;
  static const int64_t counts[] = {0, 1, 2, 3, 15, 16, 17, 100, 1000, 4097, 20000};
  static const int64_t grains[] = {1, 2, 7, 64, 5000};
  for (int threads = 1; threads <= 4; ++threads) {
    tn_pool_t* pool = create_pool(threads);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
      for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g) {
        marks_t marks = {.grain = grains[g], .fail_from = -1};
        marks.counts = calloc((size_t)counts[c] + 1, sizeof(atomic_int));
        TN_ASSERT_OK(tn__pool_parallel_for(pool, counts[c], grains[g], mark, &marks));
        for (int64_t i = 0; i < counts[c]; ++i) assert_int_equal(marks.counts[i], 1);
        free(marks.counts);
      }
    }
    tn__pool_release(pool);
  }
}

static tn_status_t count_calls(int64_t begin, int64_t end, void* user) {
  assert_true(begin < end);
  atomic_fetch_add((atomic_int*)user, 1);
  return TN_OK;
}

static void loop_accepts_extreme_counts(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(3);
  atomic_int calls = 0;
  TN_ASSERT_OK(tn__pool_parallel_for(pool, -5, 1, count_calls, &calls));
  assert_int_equal(calls, 0);
  TN_ASSERT_OK(tn__pool_parallel_for(pool, INT64_MAX, 1, count_calls, &calls));
  assert_in_range(calls, 2, 3 * 8 + 1);
  TN_ASSERT_OK(tn__pool_parallel_for(pool, INT64_MAX, INT64_MAX - 1, count_calls, &calls));
  TN_ASSERT_OK(tn__pool_parallel_for(pool, INT64_MAX, INT64_MAX / 3, count_calls, &calls));
  calls = 0;
  TN_ASSERT_OK(tn__pool_parallel_for(pool, 10, 0, count_calls, &calls));
  assert_in_range(calls, 1, 10);
  tn__pool_release(pool);
}

static void loop_without_pool_runs_on_the_caller(void** state) {
  (void)state;
  atomic_int calls = 0;
  TN_ASSERT_OK(tn__pool_parallel_for(NULL, 1000, 1, count_calls, &calls));
  assert_int_equal(calls, 1);
  assert_int_equal(tn__pool_thread_count(NULL), 1);
}

static void loop_returns_the_first_error_in_element_order(void** state) {
  (void)state;
  for (int threads = 1; threads <= 4; ++threads) {
    tn_pool_t* pool = create_pool(threads);
    for (int repeat = 0; repeat < 200; ++repeat) {
      marks_t marks = {.grain = 1, .fail_from = 137};
      marks.counts = calloc(1000, sizeof(atomic_int));
      TN_ASSERT_REPORT("element 137\n", tn__pool_parallel_for(pool, 1000, 1, mark, &marks));
      for (int i = 0; i < 137; ++i) assert_int_equal(marks.counts[i], 1);
      free(marks.counts);
    }
    tn__pool_release(pool);
  }
}

static tn_status_t fail_always(int64_t begin, int64_t end, void* user) {
  (void)end;
  (void)user;
  return tn_status_create(TN_CODE_CANCELLED, "%lld", (long long)begin);
}

typedef struct meeting {
  atomic_int present;
  atomic_int first[2];  // element that each of two threads begins with
} meeting_t;

// A thread goes on when two have begun.
static tn_status_t meet(int64_t begin, int64_t end, void* user) {
  (void)end;
  meeting_t* meeting = user;
  const int place = atomic_fetch_add(&meeting->present, 1);
  if (place < 2) atomic_store(&meeting->first[place], (int)begin);
  while (atomic_load(&meeting->present) < 2) sched_yield();
  return TN_OK;
}

// So that each finds in its own cache what it wrote in the loop before.
static void threads_begin_where_they_began_in_other_loops(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(2);
  for (int i = 0; i < 20; ++i) {
    meeting_t meeting = {0};
    TN_ASSERT_OK(tn__pool_parallel_for(pool, 6, 1, meet, &meeting));
    assert_int_equal(meeting.first[0] + meeting.first[1], 3);
    assert_int_equal(meeting.first[0] * meeting.first[1], 0);
  }
  tn__pool_release(pool);
}

typedef struct failing {
  atomic_int middle_fails;
  int64_t count;
} failing_t;

// Element 1 fails, and before it that where the other thread begins.
static tn_status_t fail_in_the_middle_first(int64_t begin, int64_t end, void* user) {
  failing_t* failing = user;
  (void)end;
  if (begin == failing->count / 2) atomic_store(&failing->middle_fails, 1);
  while (!atomic_load(&failing->middle_fails)) sched_yield();
  if (begin != 1 && begin != failing->count / 2) return TN_OK;
  return tn_status_create(TN_CODE_OUT_OF_RANGE, "element %lld", (long long)begin);
}

static void loop_does_what_is_before_an_error(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(2);
  for (int i = 0; i < 20; ++i) {
    failing_t failing = {.count = 6};
    TN_ASSERT_REPORT("element 1\n", tn__pool_parallel_for(pool, failing.count, 1,
                                                          fail_in_the_middle_first, &failing));
  }
  tn__pool_release(pool);
}

static void loop_survives_a_body_that_always_fails(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(4);
  for (int repeat = 0; repeat < 500; ++repeat) {
    TN_ASSERT_REPORT("error: 0\n", tn__pool_parallel_for(pool, 64, 1, fail_always, NULL));
  }
  atomic_int calls = 0;
  TN_ASSERT_OK(tn__pool_parallel_for(pool, 64, 1, count_calls, &calls));
  tn__pool_release(pool);
}

static void pool_without_threads_still_finishes(void** state) {
  (void)state;
  // Stacks that are larger than the address space: no thread can be started.
  pthread_attr_t before, impossible;
  pthread_getattr_default_np(&before);
  pthread_attr_init(&impossible);
  pthread_attr_setstacksize(&impossible, (size_t)1 << 56);
  assert_int_equal(pthread_setattr_default_np(&impossible), 0);
  tn_pool_t* pool = create_pool(4);
  atomic_int calls = 0;
  TN_ASSERT_OK(tn__pool_parallel_for(pool, 1000, 500, count_calls, &calls));
  assert_int_equal(calls, 2);
  TN_ASSERT_REPORT("starting a thread", tn__pool_schedule(pool, (tn_task_fn)abort, NULL));
  assert_int_equal(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&impossible);
  pthread_attr_destroy(&before);
  TN_ASSERT_OK(tn__pool_parallel_for(pool, 1000, 500, count_calls, &calls));
  tn__pool_release(pool);
}

static void add_one(void* user) {
  atomic_fetch_add((atomic_int*)user, 1);
}

static void pool_in_a_forked_child_is_refused_and_released(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(4);
  atomic_int calls = 0, tasks = 0;
  for (int i = 0; i < 50; ++i) {
    TN_ASSERT_OK(tn__pool_schedule(pool, add_one, &tasks));
    TN_ASSERT_OK(tn__pool_parallel_for(pool, 4, 1, count_calls, &calls));
    pid_t child = fork();
    if (child == 0) {
      alarm(600);
      tn_pool_t* another = NULL;
      const tn_code_t wanted = TN_CODE_FAILED_PRECONDITION;
      if (tn_status_code(tn__pool_schedule(pool, add_one, &tasks)) != wanted) _exit(1);
      if (tn_status_code(tn__pool_create(NULL, tn_allocator_system(), &another)) != wanted) {
        _exit(2);
      }
      tn__pool_release(pool);
      _exit(0);
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
  }
  tn__pool_release(pool);
  assert_int_equal(tasks, 50);
}

static tn_status_t fork_here(int64_t begin, int64_t end, void* user) {
  (void)end;
  pid_t* child = user;
  if (begin == 0) *child = fork();
  return TN_OK;
}

static void loop_that_forked_is_an_error_in_the_child(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(1);
  tn_pool_t* wide = create_pool(4);
  pid_t child = -1;
  // The caller always claims the first range of a loop of which it has all to itself.
  TN_ASSERT_OK(tn__pool_parallel_for(pool, 8, 1, fork_here, &child));
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);

  pid_t parent = getpid();
  child = -1;
  tn_status_t status = tn__pool_parallel_for(wide, 64, 1, fork_here, &child);
  if (getpid() != parent) _exit(tn_status_code(status) == TN_CODE_FAILED_PRECONDITION ? 0 : 1);
  TN_ASSERT_OK(status);
  int result;
  waitpid(child, &result, 0);
  assert_true(WIFEXITED(result));
  assert_int_equal(WEXITSTATUS(result), 0);
  tn__pool_release(wide);
  tn__pool_release(pool);
}

static void thread_count_respects_the_affinity_of_the_caller(void** state) {
  (void)state;
  cpu_set_t before, one;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  }
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  tn_pool_t* narrow = create_pool(0);
  assert_int_equal(tn__pool_thread_count(narrow), 1);
  tn__pool_release(narrow);
  // More threads than cores still work, on that core.
  tn_pool_t* pool = create_pool(3);
  atomic_int calls = 0;
  for (int i = 0; i < 100; ++i) {
    TN_ASSERT_OK(tn__pool_parallel_for(pool, 3, 1, count_calls, &calls));
  }
  assert_int_equal(calls, 300);
  tn__pool_release(pool);
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void pool_refuses_impossible_thread_counts(void** state) {
  (void)state;
  static const int bad[] = {-1, TN_POOL_THREAD_LIMIT + 1};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    tn_pool_t* pool;
    tn_pool_config_t config = {.thread_count = bad[i]};
    TN_ASSERT_REPORT("thread count is", tn__pool_create(&config, tn_allocator_system(), &pool));
  }
}

typedef struct stopping {
  tn_cancellation_t* cancellation;
  atomic_int done;
} stopping_t;

static tn_status_t cancel_and_count(int64_t begin, int64_t end, void* user) {
  stopping_t* stopping = user;
  tn_cancellation_cancel(stopping->cancellation);
  atomic_fetch_add(&stopping->done, (int)(end - begin));
  return TN_OK;
}

static void interrupt_ends_a_loop_between_chunks(void** state) {
  (void)state;
  enum { COUNT = 1000 };
  for (int threads = 1; threads <= 3; ++threads) {
    stopping_t stopping = {.done = 0};
    TN_ASSERT_OK(tn_cancellation_create(NULL, &stopping.cancellation));
    const tn_interrupt_t interrupt = {stopping.cancellation, 0, INT64_MAX};
    tn_pool_t* pool = create_pool(threads);
    const tn_pool_t interrupted = tn__pool_for(pool, &interrupt);
    TN_ASSERT_OK(tn__pool_check(&interrupted));
    TN_ASSERT_CODE(CANCELLED,
                   tn__pool_parallel_for(&interrupted, COUNT, 1, cancel_and_count, &stopping));
    assert_in_range(stopping.done, 1, COUNT - 1);
    TN_ASSERT_CODE(CANCELLED, tn__pool_check(&interrupted));
    TN_ASSERT_OK(tn__pool_check(pool));
    stopping.done = 0;
    TN_ASSERT_OK(tn__pool_parallel_for(pool, COUNT, 1, cancel_and_count, &stopping));
    assert_int_equal(stopping.done, COUNT);
    tn__pool_release(pool);
    tn_cancellation_release(stopping.cancellation);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loop_covers_each_element_once),
      cmocka_unit_test(loop_accepts_extreme_counts),
      cmocka_unit_test(loop_without_pool_runs_on_the_caller),
      cmocka_unit_test(loop_returns_the_first_error_in_element_order),
      cmocka_unit_test(threads_begin_where_they_began_in_other_loops),
      cmocka_unit_test(loop_does_what_is_before_an_error),
      cmocka_unit_test(loop_survives_a_body_that_always_fails),
      cmocka_unit_test(pool_without_threads_still_finishes),
      cmocka_unit_test(pool_in_a_forked_child_is_refused_and_released),
      cmocka_unit_test(loop_that_forked_is_an_error_in_the_child),
      cmocka_unit_test(thread_count_respects_the_affinity_of_the_caller),
      cmocka_unit_test(interrupt_ends_a_loop_between_chunks),
      cmocka_unit_test(pool_refuses_impossible_thread_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
