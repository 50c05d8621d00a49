// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <pthread.h>
#include <unistd.h>

#include "base/linux/clock.h"
#include "base/linux/futex.h"
#include "base/pool.h"
#include "base/testing.h"

static tn_pool_t* create_pool(int thread_count, int64_t spin_ns) {
  tn_pool_t* pool;
  tn_pool_config_t config = {.thread_count = thread_count, .spin_ns = spin_ns};
  TN_ASSERT_OK(tn__pool_create(&config, tn_allocator_system(), &pool));
  return pool;
}

// Plain memory on purpose: the pool itself must order what bodies write before what callers read.
static tn_status_t increment(int64_t begin, int64_t end, void* user) {
  int* values = user;
  for (int64_t i = begin; i < end; ++i) ++values[i];
  return TN_OK;
}

typedef struct client {
  tn_pool_t* pool;
  int repeats;
  int failures;
} client_t;

static void* loop_many_times(void* argument) {
  client_t* client = argument;
  int values[257] = {0};
  for (int i = 0; i < client->repeats; ++i) {
    int64_t count = 1 + i % 257;
    tn_status_t status = tn__pool_parallel_for(client->pool, count, 1 + i % 5, increment, values);
    if (status) ++client->failures;
    tn_status_release(status);
    for (int k = 0; k < 257; ++k) {
      if (values[k] != (k < count)) ++client->failures;
      values[k] = 0;
    }
    if (i % 64 == 0) usleep(100);  // so that workers also fall asleep in between
  }
  return NULL;
}

static void loops_of_many_callers_do_not_mix(void** state) {
  (void)state;
  static const int64_t spins_ns[] = {0, -1};
  for (int round = 0; round < 2; ++round) {
    tn_pool_t* pool = create_pool(4, spins_ns[round]);
    enum { CALLERS = 40 };  // more than there are slots
    pthread_t threads[CALLERS];
    client_t clients[CALLERS];
    for (int i = 0; i < CALLERS; ++i) {
      clients[i] = (client_t){.pool = pool, .repeats = 300};
      assert_int_equal(pthread_create(&threads[i], NULL, loop_many_times, &clients[i]), 0);
    }
    for (int i = 0; i < CALLERS; ++i) {
      pthread_join(threads[i], NULL);
      assert_int_equal(clients[i].failures, 0);
    }
    tn__pool_release(pool);
  }
}

static tn_status_t nested_body(int64_t begin, int64_t end, void* user);

typedef struct nest {
  tn_pool_t* pool;
  int depth;
  atomic_long* leaves;
} nest_t;

static tn_status_t nested_body(int64_t begin, int64_t end, void* user) {
  nest_t nest = *(nest_t*)user;
  for (int64_t i = begin; i < end; ++i) {
    if (nest.depth == 0) {
      atomic_fetch_add(nest.leaves, 1);
      continue;
    }
    nest_t inner = {nest.pool, nest.depth - 1, nest.leaves};
    TN_RETURN_IF_ERROR(tn__pool_parallel_for(nest.pool, 6, 1, nested_body, &inner));
  }
  return TN_OK;
}

static void nested_loops_finish(void** state) {
  (void)state;
  for (int threads = 1; threads <= 6; threads += 5) {
    tn_pool_t* pool = create_pool(threads, 0);
    for (int repeat = 0; repeat < 20; ++repeat) {
      atomic_long leaves = 0;
      nest_t nest = {pool, 3, &leaves};
      TN_ASSERT_OK(tn__pool_parallel_for(pool, 6, 1, nested_body, &nest));
      assert_int_equal(leaves, 6 * 6 * 6 * 6);
    }
    tn__pool_release(pool);
  }
}

typedef struct gate {
  atomic_uint open;
  atomic_uint passed;
} gate_t;

static void wait_at_gate(void* user) {
  gate_t* gate = user;
  while (!atomic_load(&gate->open)) tn__futex_wait(&gate->open, 0, INT64_MAX);
  atomic_fetch_add(&gate->passed, 1);
}

static void open_gate(gate_t* gate) {
  atomic_store(&gate->open, 1);
  tn__futex_wake(&gate->open, 1 << 20);
}

static void loops_finish_while_tasks_block_every_task_thread(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(3, 0);
  gate_t gate = {0};
  for (int i = 0; i < 10; ++i) TN_ASSERT_OK(tn__pool_schedule(pool, wait_at_gate, &gate));
  int values[64] = {0};
  for (int i = 0; i < 200; ++i) {
    TN_ASSERT_OK(tn__pool_parallel_for(pool, 64, 1, increment, values));
  }
  for (int i = 0; i < 64; ++i) assert_int_equal(values[i], 200);
  assert_int_equal(gate.passed, 0);
  open_gate(&gate);
  tn__pool_release(pool);  // runs what is still queued
  assert_int_equal(gate.passed, 10);
}

// As many tasks as threads may wait for each other.
static void tasks_run_at_the_same_time(void** state) {
  (void)state;
  for (int threads = 1; threads <= 4; ++threads) {
    tn_pool_t* pool = create_pool(threads, 0);
    gate_t gates[4] = {0};
    for (int i = 0; i < threads - 1; ++i) {
      TN_ASSERT_OK(tn__pool_schedule(pool, wait_at_gate, &gates[i]));
    }
    gate_t last = {.open = 1};
    TN_ASSERT_OK(tn__pool_schedule(pool, wait_at_gate, &last));
    int64_t deadline_ns = tn__clock_ns() + 60 * INT64_C(1000000000);
    while (!atomic_load(&last.passed) && tn__clock_ns() < deadline_ns) usleep(100);
    assert_int_equal(last.passed, 1);
    for (int i = 0; i < threads - 1; ++i) open_gate(&gates[i]);
    tn__pool_release(pool);
  }
}

typedef struct chain {
  tn_pool_t* pool;
  atomic_int left;
  atomic_int refused;
} chain_t;

static void schedule_the_next(void* user) {
  chain_t* chain = user;
  if (atomic_fetch_sub(&chain->left, 1) <= 1) return;
  tn_status_t status = tn__pool_schedule(chain->pool, schedule_the_next, chain);
  if (status) atomic_fetch_add(&chain->refused, 1);
  tn_status_release(status);
}

static void tasks_may_schedule_tasks(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(2, 0);
  chain_t chain = {.pool = pool, .left = 2000};
  TN_ASSERT_OK(tn__pool_schedule(pool, schedule_the_next, &chain));
  while (atomic_load(&chain.left) > 0) usleep(100);
  tn__pool_release(pool);
  assert_int_equal(chain.refused, 0);
}

typedef struct last_reference {
  tn_pool_t* pool;
  atomic_uint done;
  atomic_int later_tasks;
} last_reference_t;

static void count_later_task(void* user) {
  atomic_fetch_add(&((last_reference_t*)user)->later_tasks, 1);
}

static void release_pool(void* user) {
  last_reference_t* last = user;
  while (!atomic_load(&last->done)) tn__futex_wait(&last->done, 0, INT64_MAX);
  tn__pool_release(last->pool);
}

static void last_reference_may_be_dropped_by_a_task(void** state) {
  (void)state;
  enum { REPEATS = 50 };
  static last_reference_t references[REPEATS];  // the releasing tasks may be late
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    last_reference_t* last = &references[repeat];
    last->pool = create_pool(1 + repeat % 3, 0);
    int values[64] = {0};
    TN_ASSERT_OK(tn__pool_parallel_for(last->pool, 64, 1, increment, values));
    TN_ASSERT_OK(tn__pool_schedule(last->pool, release_pool, last));
    for (int i = 0; i < 5; ++i) {
      TN_ASSERT_OK(tn__pool_schedule(last->pool, count_later_task, last));
    }
    atomic_store(&last->done, 1);
    tn__futex_wake(&last->done, 1);
    while (atomic_load(&last->later_tasks) < 5) usleep(100);
  }
  usleep(10000);  // lets the last worker free its queue, for the leak checker
}

static tn_status_t fail_at_multiples_of_ten(int64_t begin, int64_t end, void* user) {
  (void)user;
  for (int64_t i = begin; i < end; ++i) {
    if (i >= 30 && i % 10 == 0) {
      return tn_status_create(TN_CODE_ABORTED, "element %lld", (long long)i);
    }
  }
  return TN_OK;
}

static void errors_are_the_same_whatever_the_timing(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(5, 0);
  for (int i = 0; i < 1000; ++i) {
    TN_ASSERT_REPORT("element 30\n",
                     tn__pool_parallel_for(pool, 200, 1, fail_at_multiples_of_ten, NULL));
    if (i % 100 == 0) usleep(1000);
  }
  tn__pool_release(pool);
}

static tn_status_t sleep_a_little(int64_t begin, int64_t end, void* user) {
  (void)user;
  for (int64_t i = begin; i < end; ++i) usleep(500);
  return TN_OK;
}

static void caller_sleeps_for_slow_helpers(void** state) {
  (void)state;
  tn_pool_t* pool = create_pool(4, 0);
  for (int i = 0; i < 40; ++i) {
    TN_ASSERT_OK(tn__pool_parallel_for(pool, 5, 1, sleep_a_little, NULL));
  }
  tn__pool_release(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_of_many_callers_do_not_mix),
      cmocka_unit_test(nested_loops_finish),
      cmocka_unit_test(loops_finish_while_tasks_block_every_task_thread),
      cmocka_unit_test(tasks_run_at_the_same_time),
      cmocka_unit_test(tasks_may_schedule_tasks),
      cmocka_unit_test(last_reference_may_be_dropped_by_a_task),
      cmocka_unit_test(errors_are_the_same_whatever_the_timing),
      cmocka_unit_test(caller_sleeps_for_slow_helpers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
