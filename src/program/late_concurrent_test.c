// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers that complete their futures about when the time limit ends, from threads of their own,
// while other runs of the same program go on. ThreadSanitizer sees a late handler write where
// another operation reads.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "call/abi.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"

enum { THREADS = 3, RUNS = 60, LIMIT_NS = 300000 };

typedef struct job {
  const tn_ffi_api_t* api;
  tn_ffi_future_t* future;
  const float* x;
  float* y;
  unsigned delay_us;
} job_t;

static atomic_uint started, finished;

static void* work(void* user) {
  job_t* job = user;
  usleep(job->delay_us);
  for (int i = 0; i < 4; ++i) job->y[i] = -job->x[i];
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, job->future};
  tn_status_release(job->api->future_finish(&finish));
  free(job);
  atomic_fetch_add(&finished, 1);
  return NULL;
}

static tn_status_t handler(tn_ffi_call_frame_t* frame) {
  if (frame->extension_start) {
    tn_ffi_metadata_t* metadata =
        ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
    metadata->api_version.major = 0;
    metadata->api_version.minor = 3;
    return TN_OK;
  }
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  tn_ffi_future_create_t create = {TN_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  tn_status_t error = frame->api->future_create(&create);
  if (error) return error;
  job_t* job = malloc(sizeof *job);
  if (!job) abort();
  unsigned number = atomic_fetch_add(&started, 1);
  *job = (job_t){frame->api, create.future, x->data, y->data, number * 37 % 500};
  frame->future = create.future;
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, job)) abort();
  pthread_detach(thread);
  return TN_OK;
}

static tn_program_t* program;
static atomic_uint late_count;

static void* run_often(void* user) {
  const float first = (float)(intptr_t)user;
  for (int i = 0; i < RUNS; ++i) {
    const float value = first + (float)i;
    tn_buffer_t* argument = tn__testing_floats(4, (float[]){value, value, value, value});
    tn_buffer_t* result = NULL;
    tn_status_t status = tn_program_run(program, 1, &argument, NULL, 1, &result);
    tn_buffer_release(argument);
    if (status) {
      if (tn_status_code(status) != TN_CODE_DEADLINE_EXCEEDED) abort();
      tn_status_release(status);
      atomic_fetch_add(&late_count, 1);
      continue;
    }
    float y[4];
    if (tn_buffer_to_host(result, y, sizeof y)) abort();
    for (int k = 0; k < 4; ++k) {
      if (y[k] != value) abort();
    }
    tn_buffer_release(result);
  }
  return NULL;
}

static void late_handlers_write_to_nobody_elses_memory(void** state) {
  (void)state;
  atomic_store(&started, 0);
  atomic_store(&finished, 0);
  atomic_store(&late_count, 0);
  TN_ASSERT_OK(tn_target_register("testing.sometimes_late", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
  program = tn__testing_program(
      "func.func @main(%x: " F4 ") -> " F4
      " {\n"
      "  %0 = stablehlo.custom_call @testing.sometimes_late(%x) {api_version = 4 : i32} : (" F4
      ") -> " F4
      "\n"
      "  %1 = stablehlo.negate %0 : " F4 "\n  return %1 : " F4 "\n}\n",
      false);
  tn_call_set_timeout_ns(LIMIT_NS);
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_often, (void*)(1000 * i)), 0);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  tn_program_release(program);
  while (atomic_load(&finished) < atomic_load(&started)) usleep(100);
  tn_call_set_timeout_ns(-1);
  assert_int_equal(atomic_load(&started), THREADS * RUNS);
  assert_true(atomic_load(&late_count) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(late_handlers_write_to_nobody_elses_memory),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
