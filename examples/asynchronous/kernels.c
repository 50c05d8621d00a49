// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// An asynchronous handler: a thread completes its future, with success or an error.
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libasynchronous.so -lpthread
#include <pthread.h>
#include <tenon/custom.h>
#include <time.h>

typedef struct job {
  tn_future_t future;
  const float* x;
  float* y;
  int64_t count;
  int64_t delay_ms;
} job_t;

// The runtime keeps the buffers until the future is complete; `call` is no longer valid.
static void* work(void* user) {
  const job_t job = *(const job_t*)user;
  free(user);
  const struct timespec delay = {job.delay_ms / 1000, job.delay_ms % 1000 * 1000000};
  nanosleep(&delay, NULL);
  for (int64_t i = 0; i < job.count; ++i) {
    if (!(job.x[i] < 100)) {
      tn_fail(job.future, OUT_OF_RANGE, "x[%d] is %g", (int)i, (double)job.x[i]);
      return NULL;
    }
    job.y[i] = job.x[i] + 1;
  }
  tn_finish(job.future);
  return NULL;
}

#define ADD_LATER(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)           \
  ATTR(delay_ms, int64_t, 0)      \
  RET(y, f32, like(x))

TN_OP(add_later, ADD_LATER, "y = x + 1, after a while, for x below 100") {
  pthread_t thread;
  job_t* job = malloc(sizeof *job);
  if (!job) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory for a job");
  *job = (job_t){
      .x = call->x.data, .y = call->y.data, .count = tn_size(call->x), .delay_ms = call->delay_ms};
  const tn_status_t status = tn_defer(call, &job->future);
  if (status != TN_OK) {
    free(job);
    return status;
  }
  if (pthread_create(&thread, NULL, work, job)) {
    tn_fail(job->future, UNAVAILABLE, "no thread");
    free(job);
    return TN_OK;
  }
  pthread_detach(thread);
  return TN_OK;
}

TN_LIBRARY(add_later)
