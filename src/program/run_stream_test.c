// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs in a stream's turn.
#include <pthread.h>

#include "program/activation.h"
#include "program/testing_run.h"

#define MAIN(arguments, results, body) \
  "module { func.func @main(" arguments ") -> (" results ") {\n" body "\n} }"
#define F4 "tensor<4xf32>"

// --- a custom call that waits until it may go on

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_open;
  int entered;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void pass_gate(void* out, const void** in) {
  pthread_mutex_lock(&gate.lock);
  ++gate.entered;
  pthread_cond_broadcast(&gate.changed);
  while (!gate.is_open) pthread_cond_wait(&gate.changed, &gate.lock);
  pthread_mutex_unlock(&gate.lock);
  memcpy(out, in[0], 4 * sizeof(float));
}

static void set_gate(bool is_open) {
  pthread_mutex_lock(&gate.lock);
  gate.is_open = is_open;
  gate.entered = 0;
  pthread_cond_broadcast(&gate.changed);
  pthread_mutex_unlock(&gate.lock);
}

static void await_entries(int count) {
  pthread_mutex_lock(&gate.lock);
  while (gate.entered < count) pthread_cond_wait(&gate.changed, &gate.lock);
  pthread_mutex_unlock(&gate.lock);
}

// --- what every test has

static tn_stream_t* stream;
static tn_program_t *waits, *adds, *fails;

static int setup(void** state) {
  if (tn__testing_device_setup(state)) return -1;
  TN_ASSERT_OK(tn_target_register("testing.pass_gate", "Host", (tn_target_function_t)pass_gate,
                                  TN_API_VERSION_ORIGINAL));
  waits = tn__testing_program(
      MAIN("%x: " F4, F4,
           "%a = stablehlo.custom_call @testing.pass_gate(%x) {has_side_effect = true} : (" F4
           ") -> " F4 "\n"
           "%b = stablehlo.negate %a : " F4 "\nreturn %b : " F4),
      false);
  adds = tn__testing_program(MAIN("%x: " F4 " {tf.aliasing_output = 0 : i32}, %y: " F4, F4,
                                  "%a = stablehlo.add %x, %y : " F4 "\nreturn %a : " F4),
                             false);
  fails = tn__testing_program(
      MAIN("%x: " F4 ", %y: " F4, F4,
           "stablehlo.custom_call @check.expect_eq(%x, %y) {has_side_effect = true} : (" F4 ", " F4
           ") -> ()\n"
           "return %x : " F4),
      false);
  return 0;
}

static int teardown(void** state) {
  tn_program_release(waits);
  tn_program_release(adds);
  tn_program_release(fails);
  TN_ASSERT_OK(tn_target_unregister("testing.pass_gate", "Host"));
  return tn__testing_device_teardown(state);
}

static int begin(void** state) {
  (void)state;
  set_gate(false);
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &stream));
  return 0;
}

static int end(void** state) {
  (void)state;
  set_gate(true);
  tn_stream_release(stream);
  stream = NULL;
  return 0;
}

static tn_buffer_t* floats4(float a, float b, float c, float d) {
  return tn__testing_floats(4, (float[]){a, b, c, d});
}

// Takes the arguments.
static tn_buffer_t* enqueue(tn_program_t* program, tn_stream_t* on, size_t count,
                            tn_buffer_t** arguments, const bool* donated) {
  const tn_run_options_t options = {
      .struct_size = sizeof options, .stream = on, .donated = donated};
  tn_buffer_t* result = NULL;
  TN_ASSERT_OK(tn_program_run(program, count, arguments, &options, 1, &result));
  for (size_t i = 0; i < count; ++i) tn_buffer_release(arguments[i]);
  return result;
}
#define ENQUEUE(program, on, ...)                                                    \
  enqueue(program, on, sizeof((tn_buffer_t*[]){__VA_ARGS__}) / sizeof(tn_buffer_t*), \
          (tn_buffer_t*[]){__VA_ARGS__}, NULL)

// --- the tests

static void results_become_ready_when_the_run_is_over(void** state) {
  (void)state;
  tn_buffer_t* result = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  tn_event_t* ready = tn_buffer_ready_event(result);
  assert_non_null(ready);
  await_entries(1);
  assert_false(tn_event_is_complete(ready));
  assert_false(tn_stream_is_idle(stream));
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, tn_event_wait(ready, 1000000));
  set_gate(true);
  tn__testing_expect_floats(result, 4, (float[]){-1, -2, -3, -4});
  assert_true(tn_event_is_complete(ready));
  tn_buffer_release(result);
}

// Where it is the host that computes.
static void small_program_on_an_idle_stream_is_done_at_once(void** state) {
  (void)state;
  if (!tn__testing_device()->target->is_host) return;
  tn_buffer_t* result = ENQUEUE(adds, stream, floats4(1, 2, 3, 4), floats4(1, 1, 1, 1));
  assert_true(tn_event_is_complete(tn_buffer_ready_event(result)));
  tn__testing_expect_floats(result, 4, (float[]){2, 3, 4, 5});
  tn_buffer_release(result);
}

static void runs_of_one_stream_follow_each_other(void** state) {
  (void)state;
  tn_buffer_t* first = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  tn_buffer_t* second = ENQUEUE(adds, stream, tn_buffer_retain(first), floats4(1, 1, 1, 1));
  assert_false(tn_event_is_complete(tn_buffer_ready_event(second)));
  set_gate(true);
  tn__testing_expect_floats(second, 4, (float[]){0, -1, -2, -3});
  tn_buffer_release(first);
  tn_buffer_release(second);
}

static void run_waits_for_arguments_of_another_stream(void** state) {
  (void)state;
  tn_stream_t* other = NULL;
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &other));
  tn_buffer_t* first = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  tn_buffer_t* second = ENQUEUE(adds, other, first, floats4(1, 1, 1, 1));
  assert_false(tn_event_is_complete(tn_buffer_ready_event(second)));
  set_gate(true);
  tn__testing_expect_floats(second, 4, (float[]){0, -1, -2, -3});
  tn_buffer_release(second);
  tn_stream_release(other);
}

static void run_without_a_stream_waits_for_its_arguments(void** state) {
  (void)state;
  set_gate(true);
  tn_buffer_t* first = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  tn_buffer_t* second = ENQUEUE(adds, NULL, first, floats4(1, 1, 1, 1));
  assert_null(tn_buffer_ready_event(second));
  tn__testing_expect_floats(second, 4, (float[]){0, -1, -2, -3});
  tn_buffer_release(second);
}

static void errors_arrive_where_somebody_waits(void** state) {
  (void)state;
  tn_buffer_t* result = ENQUEUE(fails, stream, floats4(1, 2, 3, 4), floats4(1, 2, 3, 5));
  TN_ASSERT_REPORT("test.mlir:2:", tn_buffer_to_host(result, (float[4]){0}, 16));
  TN_ASSERT_REPORT("test.mlir:2:", tn_event_wait(tn_buffer_ready_event(result), -1));
  TN_ASSERT_REPORT("test.mlir:2:", tn_stream_synchronize(stream));
  tn_buffer_release(result);
  // It has been reported, so the stream goes on.
  result = ENQUEUE(adds, stream, floats4(1, 2, 3, 4), floats4(1, 1, 1, 1));
  tn__testing_expect_floats(result, 4, (float[]){2, 3, 4, 5});
  tn_buffer_release(result);
}

static void failed_argument_fails_the_run(void** state) {
  (void)state;
  tn_stream_t* other = NULL;
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &other));
  tn_buffer_t* bad = ENQUEUE(fails, stream, floats4(1, 2, 3, 4), floats4(1, 2, 3, 5));
  for (int is_reported = 0; is_reported < 2; ++is_reported) {
    tn_buffer_t* result = ENQUEUE(adds, other, tn_buffer_retain(bad), floats4(1, 1, 1, 1));
    TN_ASSERT_REPORT("test.mlir:2:", tn_buffer_to_host(result, (float[4]){0}, 16));
    tn_buffer_release(result);
    TN_ASSERT_REPORT("test.mlir:2:", tn_buffer_to_host(bad, (float[4]){0}, 16));
  }
  tn_buffer_t *arguments[] = {bad, bad}, *result = NULL;
  TN_ASSERT_REPORT("test.mlir:2:", tn_program_run(adds, 2, arguments, NULL, 1, &result));
  assert_null(result);
  tn_buffer_release(bad);
  tn_stream_release(other);
}

static void everything_may_be_released_before_the_work_is_done(void** state) {
  (void)state;
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, F4 ", " F4,
           "%a = stablehlo.custom_call @testing.pass_gate(%x) {has_side_effect = true} : (" F4
           ") -> " F4 "\n"
           "return %a, %x : " F4 ", " F4),
      false);
  tn_buffer_t *argument = floats4(1, 2, 3, 4), *results[2];
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  for (int i = 0; i < 20; ++i) {
    TN_ASSERT_OK(tn_program_run(program, 1, &argument, &options, 2, results));
    tn_buffer_release(results[0]);
    tn_buffer_release(results[1]);
  }
  tn_buffer_release(argument);
  tn_program_release(program);
  set_gate(true);
  TN_ASSERT_OK(tn_stream_synchronize(stream));
}

static void donations_go_on_from_run_to_run(void** state) {
  (void)state;
  static const bool donated[] = {true, false};
  tn_buffer_t* sum = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  tn_memory_statistics_t before = {.struct_size = sizeof before}, after = before;
  tn_device_memory_statistics(tn__testing_device(), &before);
  for (int i = 0; i < 100; ++i) {
    tn_buffer_t* arguments[] = {sum, floats4(1, 1, 1, 1)};
    sum = enqueue(adds, stream, 2, arguments, donated);
  }
  set_gate(true);
  tn__testing_expect_floats(sum, 4, (float[]){99, 98, 97, 96});
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  tn_device_memory_statistics(tn__testing_device(), &after);
  // One buffer all the time; what came on top are activations that wait for the next run.
  assert_true(after.in_use_byte_size <= before.in_use_byte_size + 8 * 1024);
  tn_buffer_release(sum);
}

static void many_runs_may_be_under_way(void** state) {
  (void)state;
  enum { RUNS = 500 };
  static tn_buffer_t* results[RUNS];
  tn_buffer_t* first = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  for (int i = 0; i < RUNS; ++i) {
    results[i] = ENQUEUE(adds, stream, tn_buffer_retain(first), floats4((float)i, 0, 0, 0));
  }
  set_gate(true);
  for (int i = 0; i < RUNS; ++i) {
    tn__testing_expect_floats(results[i], 4, (float[]){(float)i - 1, -2, -3, -4});
    tn_buffer_release(results[i]);
  }
  tn_buffer_release(first);
  // Not all of their activations are kept.
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  assert_true(adds->idle_count < 20);
}

// --- what nothing orders is done at the same time

static void runs_of_two_streams_overlap(void** state) {
  (void)state;
  tn_stream_t* other = NULL;
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &other));
  tn_buffer_t* first = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  tn_buffer_t* second = ENQUEUE(waits, other, floats4(5, 6, 7, 8));
  await_entries(2);  // of one program, and neither is over
  set_gate(true);
  tn__testing_expect_floats(first, 4, (float[]){-1, -2, -3, -4});
  tn__testing_expect_floats(second, 4, (float[]){-5, -6, -7, -8});
  tn_buffer_release(first);
  tn_buffer_release(second);
  tn_stream_release(other);
}

static void* run_without_stream(void* user) {
  *(tn_buffer_t**)user = ENQUEUE(waits, NULL, floats4(5, 6, 7, 8));
  return NULL;
}

static void runs_without_a_stream_wait_for_no_other_run(void** state) {
  (void)state;
  enum { THREADS = 3 };
  pthread_t threads[THREADS];
  tn_buffer_t *results[THREADS] = {NULL}, *on_stream = ENQUEUE(waits, stream, floats4(1, 2, 3, 4));
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, run_without_stream, &results[i]), 0);
  }
  await_entries(1 + THREADS);
  tn_buffer_t* sum = ENQUEUE(adds, NULL, floats4(1, 2, 3, 4), floats4(1, 1, 1, 1));
  tn__testing_expect_floats(sum, 4, (float[]){2, 3, 4, 5});
  set_gate(true);
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    tn__testing_expect_floats(results[i], 4, (float[]){-5, -6, -7, -8});
    tn_buffer_release(results[i]);
  }
  tn__testing_expect_floats(on_stream, 4, (float[]){-1, -2, -3, -4});
  tn_buffer_release(on_stream);
  tn_buffer_release(sum);
}

// --- a device that fails

static void a_device_that_failed_in_a_run_can_be_closed(void** state) {
  (void)state;
  tn_device_t* device = NULL;
  tn_stream_t* on = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *arguments[2], *results[2], *behind[2];
  static const char text[] =
      MAIN("%x: " F4 ", %y: " F4, F4 ", " F4,
           "%a = stablehlo.add %x, %y : " F4
           "\n"
           "stablehlo.custom_call @check.expect_eq(%a, %y) {has_side_effect = true} : (" F4 ", " F4
           ") -> ()\n%b = stablehlo.negate %a : " F4 "\nreturn %a, %b : " F4 ", " F4);
  TN_ASSERT_OK(tn_device_create(tn_device_name(tn__testing_device()), NULL, &device));
  TN_ASSERT_OK(tn_stream_create(device, &on));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, sizeof text - 1, &module));
  TN_ASSERT_OK(tn_program_compile(device, module, NULL, &program));
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4},
                                            (float[]){1, 2, 3, 4}, 16, &arguments[i]));
  }
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = on};
  TN_ASSERT_OK(tn_program_run(program, 2, arguments, &options, 2, results));
  TN_ASSERT_OK(tn_program_run(program, 2, results, &options, 2, behind));
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_REPORT("test.mlir:3:", tn_buffer_to_host(results[i], (float[4]){0}, 16));
    TN_ASSERT_REPORT("test.mlir:3:", tn_buffer_to_host(behind[i], (float[4]){0}, 16));
    tn_buffer_release(results[i]);
    tn_buffer_release(behind[i]);
    tn_buffer_release(arguments[i]);
  }
  tn_program_release(program);
  tn_module_release(module);
  tn_stream_release(on);
  tn_device_release(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(results_become_ready_when_the_run_is_over, begin, end),
      cmocka_unit_test_setup_teardown(small_program_on_an_idle_stream_is_done_at_once, begin, end),
      cmocka_unit_test_setup_teardown(runs_of_one_stream_follow_each_other, begin, end),
      cmocka_unit_test_setup_teardown(run_waits_for_arguments_of_another_stream, begin, end),
      cmocka_unit_test_setup_teardown(run_without_a_stream_waits_for_its_arguments, begin, end),
      cmocka_unit_test_setup_teardown(errors_arrive_where_somebody_waits, begin, end),
      cmocka_unit_test_setup_teardown(failed_argument_fails_the_run, begin, end),
      cmocka_unit_test_setup_teardown(everything_may_be_released_before_the_work_is_done, begin,
                                      end),
      cmocka_unit_test_setup_teardown(donations_go_on_from_run_to_run, begin, end),
      cmocka_unit_test_setup_teardown(many_runs_may_be_under_way, begin, end),
      cmocka_unit_test_setup_teardown(runs_of_two_streams_overlap, begin, end),
      cmocka_unit_test_setup_teardown(runs_without_a_stream_wait_for_no_other_run, begin, end),
      cmocka_unit_test_setup_teardown(a_device_that_failed_in_a_run_can_be_closed, begin, end),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, setup, teardown);
}
