// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a fork-join costs: base_pool_bench
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/linux/clock.h"
#include "base/linux/futex.h"
#include "base/pool.h"

typedef struct sample_set {
  double* us;
  int count;
} sample_set_t;

static int compare(const void* a, const void* b) {
  double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void print(const char* name, sample_set_t* samples) {
  qsort(samples->us, (size_t)samples->count, sizeof *samples->us, compare);
  printf("%-48s median %9.3f us  p10 %9.3f  p90 %9.3f\n", name, samples->us[samples->count / 2],
         samples->us[samples->count / 10], samples->us[samples->count * 9 / 10]);
}

static tn_status_t touch(int64_t begin, int64_t end, void* user) {
  char* bytes = user;
  for (int64_t i = begin; i < end; ++i) bytes[i * 64] = (char)i;
  return TN_OK;
}

// Waits until as many threads as there are chunks have come: no thread can do two of them.
typedef struct meeting {
  atomic_int arrivals;
  int thread_count;
} meeting_t;

static tn_status_t meet(int64_t begin, int64_t end, void* user) {
  meeting_t* meeting = user;
  int before = atomic_fetch_add(&meeting->arrivals, (int)(end - begin));
  int everybody = (before / meeting->thread_count + 1) * meeting->thread_count;
  while (atomic_load(&meeting->arrivals) < everybody) tn__cpu_relax();
  return TN_OK;
}

static tn_status_t exponentials(int64_t begin, int64_t end, void* user) {
  float* values = user;
  for (int64_t i = begin; i < end; ++i) values[i] = expf((float)(i & 1023) * 1e-3f);
  return TN_OK;
}

static void idle_ms(int ms) {
  nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = ms * 1000000L}, NULL);
}

typedef struct loop {
  tn_pool_t* pool;
  int64_t count, grain;
  tn_parallel_body_fn body;
  void* user;
} loop_t;

// The mean of `repeats` loops without a pause, after `pause_ms` of nothing.
static void measure(const char* name, loop_t loop, int samples, int repeats, int pause_ms) {
  sample_set_t set = {.us = calloc((size_t)samples, sizeof(double)), .count = samples};
  for (int sample = -samples / 10; set.us && sample < samples; ++sample) {
    if (pause_ms) idle_ms(pause_ms);
    int64_t start_ns = tn__clock_ns();
    for (int i = 0; i < repeats; ++i) {
      tn_status_release(
          tn__pool_parallel_for(loop.pool, loop.count, loop.grain, loop.body, loop.user));
    }
    int64_t elapsed_ns = tn__clock_ns() - start_ns;
    if (sample >= 0) set.us[sample] = (double)elapsed_ns / 1e3 / repeats;
  }
  if (set.us) print(name, &set);
  free(set.us);
}

int main(void) {
  enum { LARGE = 1 << 20 };
  static char bytes[64 * 1024];
  float* values = calloc(LARGE, sizeof *values);
  tn_pool_t* pool = NULL;
  tn_status_t status = tn__pool_create(NULL, tn_allocator_system(), &pool);
  if (status || !values) {
    fprintf(stderr, "pool_bench: %s\n", status ? tn_status_message(status) : "no memory");
    tn_status_release(status);
    tn__pool_release(pool);
    free(values);
    return 1;
  }
  int threads = tn__pool_thread_count(pool);
  printf("%d threads\n", threads);
  loop_t empty = {pool, threads, 1, touch, bytes};
  measure("fork-join, one chunk a thread, warm", empty, 101, 10000, 0);
  measure("fork-join, one chunk a thread, after 20 ms", empty, 101, 1, 20);
  empty.count = (int64_t)threads * 8;
  measure("fork-join, 8 chunks a thread, warm", empty, 101, 10000, 0);
  measure("fork-join, 8 chunks a thread, after 20 ms", empty, 101, 1, 20);
  meeting_t meeting = {.thread_count = threads};
  loop_t together = {pool, threads, 1, meet, &meeting};
  measure("fork-join, every thread takes part, warm", together, 101, 1000, 0);
  measure("fork-join, every thread takes part, after 20 ms", together, 101, 1, 20);
  loop_t work = {pool, LARGE, 4096, exponentials, values};
  measure("expf of 1 Mi elements, warm", work, 51, 5, 0);
  measure("expf of 1 Mi elements, after 20 ms", work, 51, 1, 20);
  work.pool = NULL;
  measure("expf of 1 Mi elements, one thread", work, 51, 5, 0);
  work.pool = pool;
  work.count = 16384;
  measure("expf of 16 Ki elements, warm", work, 101, 100, 0);
  measure("expf of 16 Ki elements, after 20 ms", work, 51, 1, 20);
  work.pool = NULL;
  measure("expf of 16 Ki elements, one thread", work, 101, 100, 0);
  tn__pool_release(pool);
  free(values);
  return 0;
}
