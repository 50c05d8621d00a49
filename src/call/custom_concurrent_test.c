// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers of custom.h called from several threads at once, and their loops on real threads.
#include <pthread.h>
#include <stdatomic.h>

#include "base/testing.h"
#include "call/testing_host.h"

#include <tenon/custom.h>

enum { THREADS = 4, ROUNDS = 2000, ELEMENTS = 1000 };

static void twice(void* user, int64_t begin, int64_t end) {
  float* data = (float*)user;
  for (int64_t i = begin; i < end; ++i) data[i] *= 2;
}

#define DOUBLE(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)        \
  ATTR(a, int32_t, 1)          \
  ATTR(b, int32_t, 2)          \
  ATTR(c, int32_t, 3)          \
  RET(y, f32, like(x))
TN_OP(double_op, DOUBLE, "y = 2 x, in parts") {
  if (call->a != 1 || call->b != 20 || call->c != 3) return TN_ERROR(call, INTERNAL, "mixed up");
  memcpy(call->y.data, call->x.data, tn_byte_size(call->x));
  tn_parallel_for(call, tn_size(call->x), 10, twice, call->y.data);
  return TN_OK;
}

// Each task on a thread of its own; the test waits for all of them in the end.
static pthread_t task_threads[THREADS * 64 * THREADS];
static atomic_int task_thread_count;
static tn_ffi_schedule_t task_requests[THREADS * 64 * THREADS];

static void* run_task(void* data) {
  const tn_ffi_schedule_t* request = data;
  request->task(request->data);
  return NULL;
}

static tn_status_t spawn(tn_ffi_schedule_t* request) {
  const int index = atomic_fetch_add(&task_thread_count, 1);
  if (index >= (int)(sizeof task_threads / sizeof *task_threads)) {
    return tn_status_create(TN_CODE_UNAVAILABLE, "enough threads");
  }
  task_requests[index] = *request;
  if (pthread_create(&task_threads[index], NULL, run_task, &task_requests[index])) abort();
  return TN_OK;
}

static tn_status_t no_memory(tn_ffi_memory_allocate_t* request) {
  (void)request;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "no allocator");
}

static tn_testing_host_t host;
static atomic_int failures;
static float x[ELEMENTS];

static void* call_often(void* data) {
  const int which = (int)(intptr_t)data;
  const int32_t a = 1, b = 20, c = 3;
  float* y = malloc(sizeof x);
  for (int round = 0; round < ROUNDS; ++round) {
    tn_testing_frame_t frame;
    tn__host_frame_init(&frame, &host);
    tn__host_arg(&frame, TN_FFI_F32, x, TN_TESTING_DIMS(ELEMENTS));
    tn__host_ret(&frame, TN_FFI_F32, y, TN_TESTING_DIMS(ELEMENTS));
    if ((round + which) % 3) tn__host_scalar(&frame.attrs, "a", TN_FFI_S32, &a);
    tn__host_scalar(&frame.attrs, "b", TN_FFI_S32, &b);
    if ((round + which) % 2) tn__host_scalar(&frame.attrs, "c", TN_FFI_S32, &c);
    frame.frame.attrs = frame.attrs.attrs;
    tn_status_t status = double_op(&frame.frame);
    if (status) ++failures;
    for (int i = 0; i < ELEMENTS; ++i) {
      if (y[i] != (float)(2 * i)) ++failures;
    }
    tn_status_release(status);
  }
  free(y);
  return NULL;
}

static void many_threads_call_one_handler(void** state) {
  (void)state;
  pthread_t threads[THREADS];
  tn__testing_host_init(&host);
  for (int i = 0; i < ELEMENTS; ++i) x[i] = (float)i;
  host.api.memory_allocate = no_memory;
  host.api.schedule = spawn;
  for (intptr_t i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, (void*)i), 0);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  const int limit = (int)(sizeof task_threads / sizeof *task_threads);
  for (int i = 0; i < task_thread_count && i < limit; ++i) pthread_join(task_threads[i], NULL);
  assert_int_equal(failures, 0);
  tn__testing_host_deinit(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads_call_one_handler)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
