// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers that complete a future later, and what goes on meanwhile. A wait that should not be ends
// with the time limit.
#include <pthread.h>
#include <unistd.h>

#include "base/linux/clock.h"
#include "base/testing_allocator.h"
#include "call/abi.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define MAIN(arguments, results, body) \
  "func.func @main(" arguments ") -> (" results ") {\n" body "\n}\n"
#define CALL1(result, target, operand, effect)                        \
  "%" result " = stablehlo.custom_call @futures." target "(%" operand \
  ") {api_version = 4 : i32, has_side_effect = " effect "} : (" F4 ") -> " F4 "\n"
#define CALL(result, target, operand) CALL1(result, target, operand, "false")
#define NEGATE(result, operand) "%" result " = stablehlo.negate %" operand " : " F4 "\n"

enum { SECOND_NS = 1000000000, JOBS = 256 };

// --- handlers: all negate

typedef struct job {
  const tn_ffi_api_t* api;
  tn_ffi_future_t* future;
  const float* x;
  float* y;
  const char* error;  // NULL: it ends well
} job_t;

static struct {
  job_t jobs[JOBS];  // that `release` completes
  int count;
  int most;  // at once
} held;
static struct {
  pthread_t threads[JOBS];
  job_t jobs[JOBS];
  int count;
} started;

static void complete(const job_t* job) {
  for (int i = 0; i < 4; ++i) job->y[i] = -job->x[i];
  if (!job->error) {
    tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, job->future};
    tn_status_release(job->api->future_finish(&finish));
    return;
  }
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, job->error, TN_FFI_DATA_LOSS};
  tn_ffi_future_fail_t fail = {TN_FFI_FUTURE_FAIL_SIZE, NULL, job->future,
                               job->api->error_create(&create)};
  tn_status_release(job->api->future_fail(&fail));
}

static void release_held(void) {
  while (held.count) complete(&held.jobs[--held.count]);
}

static void* complete_later(void* user) {
  usleep(2000);
  complete(user);
  return NULL;
}

static void join_threads(void) {
  while (started.count) pthread_join(started.threads[--started.count], NULL);
}

static bool answer(tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start) return false;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = 3;
  return true;
}

static tn_status_t defer(tn_ffi_call_frame_t* frame, const char* text, job_t* out_job) {
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  tn_ffi_future_create_t create = {TN_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  tn_status_t error = frame->api->future_create(&create);
  if (error) return error;
  frame->future = create.future;
  *out_job = (job_t){frame->api, create.future, x->data, y->data, text};
  return TN_OK;
}

static tn_status_t hold(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  job_t job;
  tn_status_t error = defer(frame, NULL, &job);
  if (error) return error;
  held.jobs[held.count++] = job;
  if (held.count > held.most) held.most = held.count;
  return TN_OK;
}

static tn_status_t start_thread(tn_ffi_call_frame_t* frame, const char* text) {
  job_t* job = &started.jobs[started.count];
  tn_status_t error = defer(frame, text, job);
  if (error) return error;
  if (pthread_create(&started.threads[started.count], NULL, complete_later, job)) abort();
  ++started.count;
  return TN_OK;
}

static tn_status_t later(tn_ffi_call_frame_t* frame) {
  return answer(frame) ? TN_OK : start_thread(frame, NULL);
}
static tn_status_t fail_later(tn_ffi_call_frame_t* frame) {
  return answer(frame) ? TN_OK : start_thread(frame, "failed later");
}

static tn_status_t release(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  release_held();
  for (int i = 0; i < 4; ++i) ((float*)y->data)[i] = -((const float*)x->data)[i];
  return TN_OK;
}

static tn_status_t fail_now(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, "failed at once", TN_FFI_ABORTED};
  return frame->api->error_create(&create);
}

// Writes how many calls are held.
static tn_status_t count(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  const tn_ffi_buffer_t* y = frame->rets.values[0];
  for (int i = 0; i < 4; ++i) ((float*)y->data)[i] = (float)held.count;
  return TN_OK;
}

static int setup(void** state) {
  static const struct {
    const char* name;
    tn_ffi_handler_t handler;
  } rows[] = {{"futures.hold", hold},       {"futures.later", later},
              {"futures.release", release}, {"futures.fail_later", fail_later},
              {"futures.fail", fail_now},   {"futures.count", count}};
  if (tn__testing_device_setup(state)) return -1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    TN_ASSERT_OK(tn_target_register(rows[i].name, "Host", (tn_target_function_t)rows[i].handler,
                                    TN_API_VERSION_TYPED_FFI));
  }
  return 0;
}

static int begin(void** state) {
  (void)state;
  tn_call_set_timeout_ns((int64_t)20 * SECOND_NS);
  held.most = 0;
  return 0;
}
static int end(void** state) {
  (void)state;
  tn_call_set_timeout_ns(-1);
  release_held();
  join_threads();
  return 0;
}

// --- runs

static tn_status_t run_on(tn_program_t* program, float* out) {
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *result = NULL;
  tn_status_t status = tn_program_run(program, 1, &argument, NULL, 1, &result);
  if (!status) status = tn_buffer_to_host(result, out, 4 * sizeof *out);
  tn_buffer_release(argument);
  tn_buffer_release(result);
  return status;
}

static tn_status_t run(const char* text, float* out) {
  tn_program_t* program = tn__testing_program(text, false);
  tn_status_t status = run_on(program, out);
  if (!status) status = run_on(program, out);  // the activation is as new
  tn_program_release(program);
  return status;
}

static void expect(const char* text, const float* expected) {
  float out[4];
  TN_ASSERT_OK(run(text, out));
  for (int i = 0; i < 4; ++i) assert_true(out[i] == expected[i]);
}

// --- tests

static void what_needs_no_result_goes_on(void** state) {
  (void)state;
  expect(MAIN("%x: " F4, F4,
              CALL("a", "hold", "x") NEGATE("n", "x")
                  CALL("b", "release", "n") "%c = stablehlo.add %a, %b : " F4 "\nreturn %c : " F4),
         (float[]){0, 0, 0, 0});
  assert_int_equal(held.most, 1);
}

static void what_needs_the_result_waits_for_it(void** state) {
  (void)state;
  expect(MAIN("%x: " F4, F4,
              CALL("a", "later", "x") NEGATE("b", "a") CALL("c", "later", "b") "return %c : " F4),
         (float[]){-1, -2, -3, -4});
}

static void the_end_of_the_run_waits(void** state) {
  (void)state;
  expect(MAIN("%x: " F4, F4, CALL("a", "later", "x") "return %a : " F4), (float[]){-1, -2, -3, -4});
}

// The operand of the first call dies there, and its storage is free for others, which run beside it
// or wait; either way the call reads what it was given.
static void operands_stay_until_the_call_is_over(void** state) {
  (void)state;
  expect(
      MAIN("%x: " F4, F4,
           "%t = stablehlo.multiply %x, %x : " F4
           "\n" CALL("a", "later", "t") "%u = stablehlo.add %x, %x : " F4 "\n" CALL(
               "v", "release", "u") "%w = stablehlo.multiply %v, %u : " F4
                                    "\n" CALL("z", "release", "w") "%s = stablehlo.add %a, %z : " F4
                                                                   "\nreturn %s : " F4),
      (float[]){3, 12, 27, 48});
}

static void equal_calls_are_pending_together(void** state) {
  (void)state;
  expect(MAIN("%x: " F4, F4,
              NEGATE("y", "x") "%t = stablehlo.multiply %x, %x : " F4 "\n" CALL("a", "hold", "x")
                  CALL("b", "hold", "y") CALL("c", "hold", "t") CALL(
                      "d", "release", "x") "%e = stablehlo.subtract %a, %b : " F4
                                           "\n%f = stablehlo.add %c, %d : " F4 "\n"
                                           "%g = stablehlo.add %e, %f : " F4 "\nreturn %g : " F4),
         (float[]){-4, -10, -18, -28});
  assert_int_equal(held.most, 3);
}

static void calls_with_side_effects_keep_their_order(void** state) {
  (void)state;
  expect(MAIN("%x: " F4, F4,
              CALL1("a", "later", "x", "true") NEGATE("n", "x") CALL1(
                  "b", "count", "n", "true") "%c = stablehlo.add %a, %b : " F4 "\nreturn %c : " F4),
         (float[]){-1, -2, -3, -4});
  // One without may run beside.
  float out[4];
  const char* text = MAIN("%x: " F4, F4,
                          CALL1("a", "hold", "x", "true") NEGATE("n", "x")
                              CALL1("b", "release", "n", "true") "%c = stablehlo.add %a, %b : " F4
                                                                 "\nreturn %c : " F4);
  tn_call_set_timeout_ns(SECOND_NS / 100);
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, run(text, out));
}

static void see_pending(void* user, const tn_run_event_t* event) {
  int* count = user;
  if (strcmp(event->operation, "custom_call") != 0) return;
  assert_memory_equal(event->target, "futures.later", event->target_length);
  assert_true(event->is_asynchronous && event->depth == 0 && event->begin_ns < event->end_ns);
  ++*count;
}

static void a_pending_call_is_observed_when_it_is_complete(void** state) {
  (void)state;
  int count = 0;
  const tn_run_options_t options = {
      .struct_size = sizeof options, .observe = see_pending, .observe_user = &count};
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, F4, CALL("a", "later", "x") NEGATE("b", "a") "return %b : " F4), false);
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *result = NULL;
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, &options, 1, &result));
  assert_int_equal(count, 1);
  tn__testing_expect_floats(result, 4, (float[]){1, 2, 3, 4});
  tn_buffer_release(argument);
  tn_buffer_release(result);
  tn_program_release(program);
}

static void tokens_order_calls(void** state) {
  (void)state;
  float out[4];
  const char* text =
      MAIN("%x: " F4, F4,
           "%t = stablehlo.create_token : !stablehlo.token\n"
           "%a:2 = stablehlo.custom_call @futures.hold(%x, %t) {api_version = 4 : i32} : (" F4
           ", !stablehlo.token) -> (" F4
           ", !stablehlo.token)\n"
           "%b:2 = stablehlo.custom_call @futures.release(%x, %a#1) {api_version = 4 : i32} : (" F4
           ", !stablehlo.token) -> (" F4
           ", !stablehlo.token)\n"
           "%c = stablehlo.add %a#0, %b#0 : " F4 "\nreturn %c : " F4);
  tn_call_set_timeout_ns(SECOND_NS / 100);
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, run(text, out));
}

static void the_first_error_of_the_program_is_the_runs(void** state) {
  (void)state;
  float out[4];
  const char* late_first =
      MAIN("%x: " F4, F4,
           CALL("a", "fail_later", "x") NEGATE("n", "x")
               CALL("b", "fail", "n") "%c = stablehlo.add %a, %b : " F4 "\nreturn %c : " F4);
  TN_ASSERT_REPORT("test.mlir:2:", run(late_first, out));
  TN_ASSERT_REPORT("custom call @futures.fail_later: DATA_LOSS: failed later",
                   run(late_first, out));
  const char* late_second =
      MAIN("%x: " F4, F4,
           CALL("a", "later", "x") NEGATE("n", "x") CALL("b", "fail_later", "n")
               CALL("d", "fail", "x") "%c = stablehlo.add %a, %b : " F4
                                      "\n%e = stablehlo.add %c, %d : " F4 "\nreturn %e : " F4);
  TN_ASSERT_REPORT("failed later", run(late_second, out));
  const char* two =
      MAIN("%x: " F4, F4,
           CALL("a", "fail_later", "x") NEGATE("n", "x") CALL("b", "fail_later", "n")
               NEGATE("m", "b") "%c = stablehlo.add %a, %m : " F4 "\nreturn %c : " F4);
  TN_ASSERT_REPORT("test.mlir:2:", run(two, out));
}

static void control_flow_is_a_step_that_waits(void** state) {
  (void)state;
  expect(MAIN("%x: " F4, F4,
              CALL("a", "hold",
                   "x") "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
                        "%r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, " F4 "\n"
                        "cond {\n"
                        "%four = stablehlo.constant dense<4> : tensor<i32>\n"
                        "%go = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> "
                        "tensor<i1>\n"
                        "stablehlo.return %go : tensor<i1>\n"
                        "} do {\n"
                        "%one = stablehlo.constant dense<1> : tensor<i32>\n"
                        "%j = stablehlo.add %i, %one : tensor<i32>\n" CALL("p", "later", "v")
                            CALL("q", "release",
                                 "v") "%s = stablehlo.add %p, %q : " F4 "\n"
                                      "stablehlo.return %j, %s : tensor<i32>, " F4 "\n}\n"
                                      "%d = stablehlo.add %a, %r#1 : " F4 "\nreturn %d : " F4),
         (float[]){15, 30, 45, 60});
  assert_int_equal(held.most, 1);
  // A loop over a result that is not there yet waits for it.
  expect(MAIN("%x: " F4, F4,
              CALL("a", "later",
                   "x") "%go = stablehlo.constant dense<true> : tensor<i1>\n"
                        "%r:2 = stablehlo.while(%g = %go, %v = %a) : tensor<i1>, " F4 "\n"
                        "cond {\nstablehlo.return %g : tensor<i1>\n"
                        "} do {\n"
                        "%no = stablehlo.constant dense<false> : tensor<i1>\n" NEGATE(
                            "s", "v") "stablehlo.return %no, %s : tensor<i1>, " F4 "\n}\n"
                                      "return %r#1 : " F4),
         (float[]){1, 2, 3, 4});
}

static void units_wait_for_what_they_are_given(void** state) {
  (void)state;
  expect("func.func private @twice(%v: " F4 ") -> " F4
         " {\n" CALL("p", "later", "v") CALL("q", "later", "p") "return %q : " F4 "\n}\n" MAIN(
             "%x: " F4, F4,
             CALL("a", "later", "x") "%b = call @twice(%a) : (" F4 ") -> " F4 "\n"
                                     "%c = call @twice(%b) : (" F4 ") -> " F4 "\nreturn %c : " F4),
         (float[]){-1, -2, -3, -4});
}

static void more_calls_than_may_be_pending_are_waited_for(void** state) {
  (void)state;
  enum { CALLS = 100 };
  static char text[CALLS * 400];
  size_t length = 0;
#define PUT(...) length += (size_t)snprintf(text + length, sizeof text - length, __VA_ARGS__)
  PUT("func.func @main(%%x: " F4 ") -> " F4 " {\n");
  for (int i = 0; i < CALLS; ++i) {
    PUT("%%k%d = stablehlo.constant dense<%d.0> : " F4 "\n%%b%d = stablehlo.add %%x, %%k%d : " F4
        "\n%%a%d = stablehlo.custom_call @futures.later(%%b%d) {api_version = 4 : i32} : (" F4
        ") -> " F4 "\n",
        i, i, i, i, i, i);
  }
  PUT("%%s0 = stablehlo.negate %%x : " F4 "\n");
  for (int i = 0; i < CALLS; ++i) PUT("%%s%d = stablehlo.add %%s%d, %%a%d : " F4 "\n", i + 1, i, i);
  PUT("return %%s%d : " F4 "\n}\n", CALLS);
  expect(text, (float[]){-5051, -5152, -5253, -5354});
}

static void pending_calls_share_one_time_limit(void** state) {
  (void)state;
  enum { LIMIT_NS = SECOND_NS / 5 };
  tn_call_set_timeout_ns(LIMIT_NS);
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, F4,
           NEGATE("y", "x") CALL("a", "hold", "x")
               CALL("b", "hold", "y") "%t = stablehlo.multiply %x, %x : " F4 "\n" CALL(
                   "c", "hold", "t") "%e = stablehlo.subtract %a, %b : " F4
                                     "\n%f = stablehlo.add %e, %c : " F4 "\n"
                                     "return %f : " F4),
      false);
  float out[4];
  // Each its own limit would be three of them every time; a busy machine is slow now and then.
  for (bool is_one = false; !is_one;) {
    const int64_t start_ns = tn__clock_ns();
    TN_ASSERT_CODE(DEADLINE_EXCEEDED, run_on(program, out));
    is_one = tn__clock_ns() - start_ns < 2 * LIMIT_NS;
    // They are late: what they were given is theirs, whatever else runs.
    if (is_one) tn_program_release(program);
    release_held();
  }
}

static void a_cancelled_run_gives_up_its_calls(void** state) {
  (void)state;
  tn_cancellation_t* cancellation = NULL;
  TN_ASSERT_OK(tn_cancellation_create(NULL, &cancellation));
  tn_program_t* program = tn__testing_program(
      MAIN("%x: " F4, F4,
           NEGATE("y", "x") CALL("a", "hold", "x")
               CALL("b", "hold", "y") "%e = stablehlo.subtract %a, %b : " F4 "\nreturn %e : " F4),
      false);
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &stream));
  const tn_run_options_t options = {
      .struct_size = sizeof options, .stream = stream, .cancellation = cancellation};
  tn_buffer_t *argument = tn__testing_floats(4, (float[]){1, 2, 3, 4}), *result = NULL;
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, &options, 1, &result));
  tn_cancellation_cancel(cancellation);
  TN_ASSERT_CODE(CANCELLED, tn_stream_synchronize(stream));
  tn_buffer_release(argument);
  tn_buffer_release(result);
  tn_stream_release(stream);
  tn_program_release(program);
  tn_cancellation_release(cancellation);
  release_held();
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  static const char text[] =
      MAIN("%x: " F4, F4,
           CALL("a", "later", "x") NEGATE("y", "x") CALL("b", "later", "y")
               CALL("c", "release", "x") "%d = stablehlo.subtract %a, %b : " F4
                                         "\n"
                                         "%e = stablehlo.add %c, %d : " F4 "\nreturn %e : " F4);
  const tn_compile_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t* result = NULL;
  tn_status_t status = tn_module_parse(allocator, "test.mlir", text, sizeof text - 1, &module);
  if (!status) status = tn_program_compile(tn__testing_device(), module, &options, &program);
  if (!status) status = tn_program_run(program, 1, context, NULL, 1, &result);
  join_threads();
  tn_buffer_release(result);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

static void pending_calls_survive_any_refused_allocation(void** state) {
  (void)state;
  tn_buffer_t* argument = tn__testing_floats(4, (float[]){1, 2, 3, 4});
  tn__testing_sweep_allocations(attempt, &argument);
  tn_buffer_release(argument);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(what_needs_no_result_goes_on),
      TEST(what_needs_the_result_waits_for_it),
      TEST(the_end_of_the_run_waits),
      TEST(operands_stay_until_the_call_is_over),
      TEST(equal_calls_are_pending_together),
      TEST(calls_with_side_effects_keep_their_order),
      TEST(a_pending_call_is_observed_when_it_is_complete),
      TEST(tokens_order_calls),
      TEST(the_first_error_of_the_program_is_the_runs),
      TEST(control_flow_is_a_step_that_waits),
      TEST(units_wait_for_what_they_are_given),
      TEST(more_calls_than_may_be_pending_are_waited_for),
      TEST(pending_calls_share_one_time_limit),
      TEST(a_cancelled_run_gives_up_its_calls),
      TEST(pending_calls_survive_any_refused_allocation),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, setup, tn__testing_device_teardown);
}
