// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the executor of other devices waits for: its own device alone, and not more than it must.
// The device's functions are replaced by ones that count, and hold back what a test wants to be
// under way.
#include <pthread.h>
#include <time.h>

#include "device/device.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
enum { PATIENCE_S = 20 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  const tn_device_vtable_t* original;
  tn_device_vtable_t vtable;
  int launched, finished, waited;  // calls
  int awaited_launches;            // that the first queue waits for
  tn_queue_t* first;               // where the first launch was
  bool fails;                      // it does, with all that was launched done
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void count(int* counter) {
  pthread_mutex_lock(&watch.lock);
  ++*counter;
  pthread_cond_broadcast(&watch.changed);
  pthread_mutex_unlock(&watch.lock);
}

static tn_status_t launch(tn_queue_t* queue, const tn_launch_t* given) {
  pthread_mutex_lock(&watch.lock);
  if (!watch.first) watch.first = queue;
  pthread_mutex_unlock(&watch.lock);
  tn_status_t status = watch.original->launch(queue, given);
  count(&watch.launched);
  return status;
}

static tn_status_t queue_wait(tn_queue_t* queue, void* mark) {
  count(&watch.waited);
  return watch.original->queue_wait(queue, mark);
}

static tn_status_t finish(tn_queue_t* queue, uint32_t* out_tag) {
  struct timespec end;
  int error = 0;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += PATIENCE_S;
  pthread_mutex_lock(&watch.lock);
  const bool is_first = queue == watch.first;
  ++watch.finished;
  while (is_first && watch.launched < watch.awaited_launches && !error) {
    error = pthread_cond_timedwait(&watch.changed, &watch.lock, &end);
  }
  pthread_mutex_unlock(&watch.lock);
  tn_status_t status = watch.original->finish(queue, out_tag);
  if (error && !status) {
    status = tn_status_create(TN_CODE_INTERNAL, "nothing was launched behind what is under way");
  }
  if (!is_first || status || !watch.fails) return status;
  return tn_status_create(TN_CODE_DATA_LOSS, "the device failed");
}

static int setup(void** state) {
  return tn__testing_device_setup(state);
}

static int begin(void** state) {
  tn_device_t* device = tn__testing_device();
  (void)state;
  watch.original = device->vtable;
  watch.vtable = *device->vtable;
  watch.vtable.launch = launch;
  watch.vtable.finish = finish;
  watch.vtable.queue_wait = queue_wait;
  watch.launched = watch.finished = watch.waited = watch.awaited_launches = 0;
  watch.first = NULL;
  watch.fails = false;
  if (device->vtable->queue_create) device->vtable = &watch.vtable;
  return 0;
}

static int end(void** state) {
  (void)state;
  tn__testing_device()->vtable = watch.original;
  return 0;
}

// There are no queues, and nothing to order.
static bool is_host(void) {
  return !tn__testing_device()->vtable->queue_create;
}

static tn_program_t* compile(const char* body) {
  char text[1024];
  snprintf(text, sizeof text, "func.func @main(%%x: " F4 ") -> " F4 " {\n%s\n}\n", body);
  return tn__testing_program(text, false);
}

static tn_buffer_t* run(tn_program_t* program, tn_stream_t* stream, tn_buffer_t* x) {
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  tn_buffer_t* y = NULL;
  TN_ASSERT_OK(tn_program_run(program, 1, &x, &options, 1, &y));
  tn_buffer_release(x);
  return y;
}

#define SQUARE "  %y = stablehlo.multiply %x, %x : " F4 "\n  return %y : " F4

// The first run is over when the second has been launched, not before. Errors as without streams.
static void expect_order(bool fails) {
  tn_stream_t* streams[2] = {NULL, NULL};
  tn_program_t* program = compile(SQUARE);
  for (int i = 0; i < 2; ++i) TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &streams[i]));
  watch.awaited_launches = 2;
  watch.fails = fails;
  tn_buffer_t* y = run(program, streams[0], tn__testing_floats(4, (float[]){1, 2, 3, 4}));
  tn_buffer_t* z = run(program, streams[1], tn_buffer_retain(y));
  if (fails) {
    TN_ASSERT_REPORT("the device failed", tn_event_wait(tn_buffer_ready_event(z), -1));
    TN_ASSERT_REPORT("the device failed", tn_stream_synchronize(streams[1]));
    TN_ASSERT_REPORT("the device failed", tn_event_wait(tn_buffer_ready_event(y), -1));
  } else {
    tn__testing_expect_floats(z, 4, (float[]){1, 16, 81, 256});
    tn__testing_expect_floats(y, 4, (float[]){1, 4, 9, 16});
  }
  assert_int_equal(watch.waited, 1);
  tn_buffer_release(y);
  tn_buffer_release(z);
  for (int i = 0; i < 2; ++i) tn_stream_release(streams[i]);
  tn_program_release(program);
}

static void streams_of_a_device_are_ordered_by_the_device(void** state) {
  (void)state;
  if (is_host()) return;
  expect_order(false);
}

static void an_error_of_what_was_launched_before_is_the_runs(void** state) {
  (void)state;
  if (is_host()) return;
  expect_order(true);
}

// A result that is an argument is copied before anything is launched.
static void an_argument_that_is_copied_is_there(void** state) {
  (void)state;
  if (is_host()) return;
  tn_stream_t* streams[2] = {NULL, NULL};
  tn_program_t *square = compile(SQUARE), *same = compile("  return %x : " F4);
  for (int i = 0; i < 2; ++i) TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &streams[i]));
  for (int i = 0; i < 16; ++i) {
    tn_buffer_t* y = run(square, streams[0], tn__testing_floats(4, (float[]){1, 2, 3, (float)i}));
    tn_buffer_t* z = run(same, streams[1], y);
    tn__testing_expect_floats(z, 4, (float[]){1, 4, 9, (float)(i * i)});
    tn_buffer_release(z);
  }
  for (int i = 0; i < 2; ++i) tn_stream_release(streams[i]);
  tn_program_release(square);
  tn_program_release(same);
}

// --- copies

static void twice(void* out, const void** in) {
  const float* x = in[0];
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = 2 * x[i];
}

#define CALL(y, x) "  " y " = stablehlo.custom_call @testing.twice(" x ") : (" F4 ") -> " F4 "\n"

// For what the host needs, and at the end.
static void the_host_waits_once_for_each_copy_that_it_reads(void** state) {
  (void)state;
  if (is_host()) return;
  TN_ASSERT_OK(tn_target_register("testing.twice", "Host", (tn_target_function_t)twice,
                                  TN_API_VERSION_ORIGINAL));
  tn_program_t* program = compile("  %a = stablehlo.negate %x : " F4 "\n" CALL(
      "%b", "%a") "  %c = stablehlo.negate %b : " F4
                  "\n" CALL("%d", "%c") "  %y = stablehlo.negate %d : " F4 "\n  return %y : " F4);
  for (int i = 0; i < 3; ++i) {
    watch.finished = 0;
    tn_buffer_t* y = run(program, NULL, tn__testing_floats(4, (float[]){1, 2, 3, 4}));
    tn__testing_expect_floats(y, 4, (float[]){-4, -8, -12, -16});
    assert_int_equal(watch.finished, 3);
    tn_buffer_release(y);
  }
  tn_program_release(program);
  TN_ASSERT_OK(tn_target_unregister("testing.twice", "Host"));
}

// There are five, and nothing is launched behind the last.
static void a_loop_waits_once_for_each_predicate(void** state) {
  (void)state;
  if (is_host()) return;
  tn_program_t* program = compile(
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, " F4
      "\n"
      "  cond {\n"
      "    %n = stablehlo.constant dense<10> : tensor<i32>\n"
      "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %p : tensor<i1>\n"
      "  } do {\n"
      "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "    %j = stablehlo.add %i, %one : tensor<i32>\n"
      "    %b = stablehlo.add %a, %a : " F4
      "\n"
      "    stablehlo.return %j, %b : tensor<i32>, " F4
      "\n"
      "  }\n"
      "  return %r#1 : " F4);
  tn_buffer_t* y = run(program, NULL, tn__testing_floats(4, (float[]){1, 2, 3, 4}));
  tn__testing_expect_floats(y, 4, (float[]){1024, 2048, 3072, 4096});
  assert_int_equal(watch.finished, 11);
  tn_buffer_release(y);
  tn_program_release(program);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(streams_of_a_device_are_ordered_by_the_device),
      TEST(an_error_of_what_was_launched_before_is_the_runs),
      TEST(an_argument_that_is_copied_is_there),
      TEST(the_host_waits_once_for_each_copy_that_it_reads),
      TEST(a_loop_waits_once_for_each_predicate),
  };
#undef TEST
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, setup, tn__testing_device_teardown);
}
