// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions with unknown dimensions: programs for the sizes that runs bring, from many threads.
#include <pthread.h>

#include "base/recent.h"
#include "base/testing_allocator.h"
#include "program/dynamic.h"
#include "program/testing_run.h"

enum { THREADS = 4, RUNS = 200, SIZES = 3 * TN_RECENT_LIMIT };

static const char double_and_count[] =
    "func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>) {\n"
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %y = stablehlo.add %x, %x : tensor<?xf32>\n"
    "  return %y, %n : tensor<?xf32>, tensor<i32>\n"
    "}\n";

// Runs the program for so many ones; the first and the last result, and the count, are right.
static bool runs_for(tn_program_t* program, tn_stream_t* stream, int64_t size) {
  float values[SIZES + 1], doubled[SIZES + 1];
  int32_t count = 0;
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  tn_buffer_t *x = NULL, *results[2] = {NULL, NULL};
  for (int64_t i = 0; i < size; ++i) values[i] = (float)i;
  tn_status_t status = tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 1, &size,
                                                  values, (size_t)size * sizeof *values, &x);
  if (!status) status = tn_program_run(program, 1, &x, &options, 2, results);
  if (!status) status = tn_buffer_to_host(results[0], doubled, (size_t)size * sizeof *doubled);
  if (!status) status = tn_buffer_to_host(results[1], &count, sizeof count);
  bool is_right = !status && count == size;
  for (int64_t i = 0; is_right && i < size; ++i) is_right = doubled[i] == 2 * values[i];
  tn_status_release(status);
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(x);
  return is_right;
}

static void more_sizes_than_are_kept_run_one_after_the_other(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(double_and_count, false);
  for (int turn = 0; turn < 2; ++turn) {
    for (int64_t size = 0; size < SIZES; ++size) assert_true(runs_for(program, NULL, size));
  }
  tn_program_release(program);
}

static void a_program_says_what_its_function_says(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(double_and_count, false);
  assert_int_equal(tn_program_input_count(program), 1);
  assert_string_equal(tn_program_input_name(program, 0), "x");
  assert_int_equal(tn_type_dims(tn_program_input_type(program, 0))[0], TN_DIM_DYNAMIC);
  assert_null(tn_program_input_type(program, 1));
  assert_int_equal(tn_program_output_count(program), 2);
  assert_int_equal(tn_type_dims(tn_program_output_type(program, 0))[0], TN_DIM_DYNAMIC);
  assert_false(tn_program_may_donate(program, 0));
  tn_program_release(program);
}

static void an_input_of_unknown_size_is_donated_like_others(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(double_and_count, false);
  tn_buffer_t *x = tn__testing_floats(2, (float[]){1, 2}), *results[2];
  tn_run_options_t options = {.struct_size = sizeof options, .donated = (bool[]){false}};
  TN_ASSERT_OK(tn_program_run(program, 1, &x, &options, 2, results));
  assert_false(tn_buffer_is_donated(x));
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  options.donated = (bool[]){true};
  TN_ASSERT_OK(tn_program_run(program, 1, &x, &options, 2, results));
  assert_true(tn_buffer_is_donated(x));
  tn__testing_expect_floats(results[0], 2, (float[]){2, 4});
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(x);
  tn_program_release(program);
}

static void arguments_that_do_not_fit_are_named(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(double_and_count, false);
  tn_buffer_t *wrong = NULL, *results[2];
  tn_buffer_t* nothing = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 2, (int64_t[]){1, 1},
                                          &(float){0}, sizeof(float), &wrong));
  TN_ASSERT_REPORT("input 0 x is tensor<1x1xf32>; expected tensor<?xf32>",
                   tn_program_run(program, 1, &wrong, NULL, 2, results));
  TN_ASSERT_REPORT("input 0 x is NULL; expected tensor<?xf32>",
                   tn_program_run(program, 1, &nothing, NULL, 2, results));
  TN_ASSERT_REPORT("the program takes 1 input; found 0",
                   tn_program_run(program, 0, NULL, NULL, 2, results));
  tn_buffer_release(wrong);
  tn_program_release(program);
}

typedef struct worker {
  tn_program_t* program;
  tn_stream_t* stream;  // NULL: on the thread itself
  unsigned seed;
  int wrong;
} worker_t;

static void* run_often(void* user) {
  worker_t* worker = user;
  for (int i = 0; i < RUNS; ++i) {
    worker->seed = worker->seed * 1103515245u + 12345u;
    const int64_t size = worker->seed / 65536 % SIZES;
    if (!runs_for(worker->program, worker->stream, size)) ++worker->wrong;
  }
  return NULL;
}

static void many_threads_share_the_sizes(void** state) {
  (void)state;
  worker_t workers[THREADS];
  pthread_t threads[THREADS];
  tn_program_t* program = tn__testing_program(double_and_count, false);
  for (unsigned t = 0; t < THREADS; ++t) {
    workers[t] = (worker_t){.program = program, .seed = t};
    if (t % 2) TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &workers[t].stream));
    assert_int_equal(pthread_create(&threads[t], NULL, run_often, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    pthread_join(threads[t], NULL);
    assert_int_equal(workers[t].wrong, 0);
    tn_stream_release(workers[t].stream);
  }
  tn_program_release(program);
}

static tn_status_t compile_and_run(const tn_allocator_t* allocator, void* user) {
  tn_program_t* program = NULL;
  tn_module_t* module = NULL;
  tn_buffer_t *x = NULL, *results[2] = {NULL, NULL};
  const tn_compile_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  (void)user;
  tn_status_t status = tn_module_parse(allocator, "test.mlir", double_and_count,
                                       sizeof double_and_count - 1, &module);
  if (!status) status = tn_program_compile(tn__testing_device(), module, &options, &program);
  if (!status) {
    status = tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 1, (int64_t[]){2},
                                        (float[]){1, 2}, 2 * sizeof(float), &x);
  }
  if (!status) status = tn_program_run(program, 1, &x, NULL, 2, results);
  for (size_t i = 0; i < 2; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(x);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

static void every_refused_allocation_is_survived(void** state) {
  (void)state;
  tn__testing_sweep_allocations(compile_and_run, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_sizes_than_are_kept_run_one_after_the_other),
      cmocka_unit_test(a_program_says_what_its_function_says),
      cmocka_unit_test(an_input_of_unknown_size_is_donated_like_others),
      cmocka_unit_test(arguments_that_do_not_fit_are_named),
      cmocka_unit_test(many_threads_share_the_sizes),
      cmocka_unit_test(every_refused_allocation_is_survived),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
