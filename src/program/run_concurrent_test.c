// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One program, many threads.
#include <pthread.h>

#include "plan/testing_random.h"
#include "program/testing_run.h"

enum { THREADS = 4, PROGRAMS = 6, RUNS = 30 };

typedef struct worker {
  tn_program_t* program;
  uint64_t seed;
  tn_stream_t* stream;  // NULL: on the thread itself
  const tn_testing_buffers_t* arguments;
  const tn_testing_bytes_t* wanted;
  int wrong;
} worker_t;

static void* run_often(void* user) {
  worker_t* worker = user;
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = worker->stream};
  for (int i = 0; i < RUNS; ++i) {
    tn_testing_bytes_t found;
    tn_status_t status =
        tn__testing_run_bytes(worker->program, &options, worker->arguments, &found);
    if (status || !tn__testing_bytes_equal(&found, worker->wanted)) ++worker->wrong;
    tn_status_release(status);
    free(found.bytes);
  }
  return NULL;
}

static void run_together(tn_program_t* program, bool with_streams) {
  worker_t workers[THREADS];
  pthread_t threads[THREADS];
  tn_testing_buffers_t arguments[THREADS];
  tn_testing_bytes_t wanted[THREADS];
  for (int t = 0; t < THREADS; ++t) {
    // Two threads share their arguments.
    tn__testing_arguments(program, (uint64_t)(t / 2), &arguments[t]);
    TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments[t], &wanted[t]));
    workers[t] =
        (worker_t){.program = program, .arguments = &arguments[t / 2 * 2], .wanted = &wanted[t]};
    if (with_streams) TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &workers[t].stream));
  }
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(pthread_create(&threads[t], NULL, run_often, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    pthread_join(threads[t], NULL);
    tn_stream_release(workers[t].stream);
  }
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(workers[t].wrong, 0);
    tn__testing_buffers_release(&arguments[t]);
    free(wanted[t].bytes);
  }
}

static tn_program_t* random_program(uint64_t seed) {
  char* text = tn__testing_random_program(&(tn_testing_random_t){seed, 40, 2, 2});
  assert_non_null(text);
  tn_program_t* program = tn__testing_program(text, seed % 2 == 0);
  free(text);
  return program;
}

static void threads_run_one_program_at_once(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= PROGRAMS; ++seed) {
    tn_program_t* program = random_program(seed);
    run_together(program, false);
    tn_program_release(program);
  }
}

static void streams_run_one_program_at_once(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= PROGRAMS; ++seed) {
    tn_program_t* program = random_program(seed);
    run_together(program, true);
    tn_program_release(program);
  }
}

// --- compiling

static tn_module_t* module;

static void* compile_and_run(void* user) {
  worker_t* worker = user;
  for (int i = 0; i < 5; ++i) {
    tn_program_t* program = NULL;
    tn_testing_bytes_t found = {0};
    tn_status_t status = tn_program_compile(tn__testing_device(), module, NULL, &program);
    if (!status) status = tn__testing_run_bytes(program, NULL, worker->arguments, &found);
    if (status || !tn__testing_bytes_equal(&found, worker->wanted)) ++worker->wrong;
    tn_status_release(status);
    free(found.bytes);
    tn_program_release(program);
  }
  return NULL;
}

static void threads_compile_one_module_at_once(void** state) {
  (void)state;
  worker_t workers[THREADS];
  pthread_t threads[THREADS];
  tn_testing_buffers_t arguments;
  tn_testing_bytes_t wanted;
  char* text = tn__testing_random_program(&(tn_testing_random_t){77, 60, 3, 2});
  assert_non_null(text);
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  tn_program_t* program = tn__testing_program(text, true);
  tn__testing_arguments(program, 1, &arguments);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, &wanted));
  for (int t = 0; t < THREADS; ++t) {
    workers[t] = (worker_t){.arguments = &arguments, .wanted = &wanted};
    assert_int_equal(pthread_create(&threads[t], NULL, compile_and_run, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    pthread_join(threads[t], NULL);
    assert_int_equal(workers[t].wrong, 0);
  }
  tn__testing_buffers_release(&arguments);
  free(wanted.bytes);
  tn_program_release(program);
  tn_module_release(module);
  free(text);
}

// --- the last release

static void* release_program(void* user) {
  tn_program_release(user);
  return NULL;
}

static void last_reference_may_go_on_any_thread(void** state) {
  (void)state;
  for (int i = 0; i < 50; ++i) {
    tn_program_t* program = random_program(3);
    tn_testing_buffers_t arguments;
    tn_testing_bytes_t bytes;
    tn__testing_arguments(program, 1, &arguments);
    TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, &bytes));
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; ++t) {
      assert_int_equal(
          pthread_create(&threads[t], NULL, release_program, tn_program_retain(program)), 0);
    }
    tn_program_release(program);
    for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
    tn__testing_buffers_release(&arguments);
    free(bytes.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_run_one_program_at_once),
      cmocka_unit_test(streams_run_one_program_at_once),
      cmocka_unit_test(threads_compile_one_module_at_once),
      cmocka_unit_test(last_reference_may_go_on_any_thread),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
