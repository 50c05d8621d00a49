// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/testing.h"
#include "device/cpu/host_memory.h"

enum { THREADS = 6, STEPS = 4000, PLACES = 64 };

typedef struct shared {
  tn_host_memory_t* memory;
  _Atomic(void*) places[PLACES];  // blocks change hands here
  atomic_int failures;
  atomic_bool goes_on;  // past STEPS
} shared_t;

typedef struct header {
  size_t byte_size;
  unsigned mark;
} header_t;

static void* trade(void* argument) {
  shared_t* shared = argument;
  unsigned random = (unsigned)(uintptr_t)pthread_self() | 1;
  for (int step = 0; step < STEPS || shared->goes_on; ++step) {
    random = random * 1664525u + 1013904223u;
    size_t byte_size = sizeof(header_t) + (random >> 8) % (step % 50 == 0 ? 3000000 : 20000);
    void* block;
    tn_status_t status = tn__host_memory_allocate(shared->memory, byte_size, 0, &block);
    if (status) {
      tn_status_release(status);
      atomic_fetch_add(&shared->failures, 1);
      continue;
    }
    header_t* header = block;
    *header = (header_t){byte_size, (unsigned)byte_size * 31};
    ((char*)block)[byte_size - 1] = ((char*)block)[byte_size - 1];
    void* other = atomic_exchange(&shared->places[(random >> 4) % PLACES], block);
    if (!other) continue;
    const header_t* found = other;
    if (found->mark != (unsigned)found->byte_size * 31) atomic_fetch_add(&shared->failures, 1);
    if (!tn__host_memory_free(shared->memory, other)) atomic_fetch_add(&shared->failures, 1);
    if (step % 500 == 0) tn__host_memory_trim(shared->memory, 1 << 20);
  }
  return NULL;
}

static void blocks_may_be_freed_by_other_threads(void** state) {
  (void)state;
  static shared_t shared;
  TN_ASSERT_OK(tn__host_memory_create(NULL, tn_allocator_system(), &shared.memory));
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, trade, &shared), 0);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < PLACES; ++i) tn__host_memory_free(shared.memory, shared.places[i]);
  assert_int_equal(shared.failures, 0);
  tn_memory_statistics_t statistics;
  tn__host_memory_statistics(shared.memory, &statistics);
  assert_int_equal(statistics.in_use_byte_size, 0);
  assert_int_equal(statistics.allocation_count, THREADS * STEPS);
  assert_int_equal(statistics.free_count, THREADS * STEPS);
  tn__host_memory_destroy(shared.memory);
}

static void memory_is_refused_in_a_child_forked_in_the_middle(void** state) {
  (void)state;
  static shared_t shared;
  TN_ASSERT_OK(tn__process_start());
  TN_ASSERT_OK(tn__host_memory_create(NULL, tn_allocator_system(), &shared.memory));
  pthread_t threads[THREADS];
  // All forks happen in the middle; ThreadSanitizer also wants no thread to be over by then.
  shared.goes_on = true;
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, trade, &shared), 0);
  }
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(600);
      void* block;
      tn_memory_statistics_t statistics;
      tn_status_t status = tn__host_memory_allocate(shared.memory, 3000, 0, &block);
      if (tn_status_code(status) != TN_CODE_FAILED_PRECONDITION) _exit(1);
      for (int k = 0; k < PLACES; ++k) tn__host_memory_free(shared.memory, shared.places[k]);
      tn__host_memory_trim(shared.memory, 0);
      tn__host_memory_statistics(shared.memory, &statistics);
      _exit(statistics.allocation_count == 0 ? 0 : 2);
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
  }
  shared.goes_on = false;
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  tn__host_memory_destroy(shared.memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_may_be_freed_by_other_threads),
      cmocka_unit_test(memory_is_refused_in_a_child_forked_in_the_middle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
