// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Evaluations that are given up.
#include <pthread.h>
#include <stdatomic.h>
#include <tenon/custom.h>
#include <tenon/detail/transform.h>
#include <unistd.h>

#include "base/linux/clock.h"
#include "lazy/testing_lazy.h"

#define LAST(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))

static tn_cancellation_t* cancelled_by_last;

TN_OP(last, LAST, "y = x, and cancels") {
  memcpy(call->y.data, call->x.data, (size_t)tn_size(call->x) * sizeof(float));
  tn_cancellation_cancel(cancelled_by_last);
  return TN_OK;
}

TN_DEFINE(last, .flags = 0)

static atomic_bool has_begun, may_end;

TN_OP(slow, LAST, "y = x, when it may end") {
  memcpy(call->y.data, call->x.data, (size_t)tn_size(call->x) * sizeof(float));
  atomic_store(&has_begun, true);
  while (!atomic_load(&may_end)) usleep(1000);
  return TN_OK;
}

TN_DEFINE(slow, .flags = 0)

static bool say_yes(void* user) {
  ++*(int*)user;
  return true;
}

static bool say_no(void* user) {
  ++*(int*)user;
  return false;
}

static tn_cancellation_t* create(tn_cancellation_poll_fn poll, int* count) {
  tn_cancellation_t* cancellation = NULL;
  TN_ASSERT_OK(tn_cancellation_create(NULL, &cancellation));
  if (poll) tn_cancellation_set_poll(cancellation, poll, count);
  return cancellation;
}

static tn_array_t* apply(tn_scope_t* s, const char* name, tn_array_t* x) {
  tn_array_t* y = NULL;
  tn_op_apply(s,
              &(tn_application_t){.struct_size = sizeof(tn_application_t),
                                  .name = name,
                                  .operand_count = 1,
                                  .operands = &x,
                                  .result_count = 1},
              &y);
  return y;
}

// Polls are at least 20 ms apart.
enum { POLL_INTERVAL_NS = 20 * 1000 * 1000 };

static void let_the_poll_be_due(void) {
  usleep(50 * 1000);
}

// So many polls there may have been since then.
static int most_polls_since(int64_t start_ns) {
  return (int)((tn__clock_ns() - start_ns) / POLL_INTERVAL_NS);
}

static void arrays_are_pending_as_before(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_cancellation_t* cancellation = create(NULL, NULL);
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  tn_array_t* y = tn_array_add(s, tn_array_multiply(s, x, x), x);
  tn_cancellation_cancel(cancellation);
  for (int round = 0; round < 3; ++round) {  // step by step, compiled, from the cache
    TN_ASSERT_REPORT("the run was cancelled", tn_array_eval_until(1, &y, cancellation));
    assert_false(tn_array_is_evaluated(y));
    TN_ASSERT_OK(tn_array_status(y));
  }
  TN_ASSERT_F32(y, TN_LIST(4), 0, 2, 6, 12);
  TN_ASSERT_OK(tn_array_eval_until(1, &y, cancellation));  // there is nothing to give up
  tn_cancellation_release(cancellation);
  tn_scope_destroy(s);
}

static void a_poll_decides(void** state) {
  (void)state;
  int count = 0;
  tn_scope_t* s = tn__testing_scope();
  tn_cancellation_t *yes = create(say_yes, &count), *no = create(say_no, &count);
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  tn_array_t* y = tn_array_negative(s, x);
  let_the_poll_be_due();
  TN_ASSERT_REPORT("the run was cancelled", tn_array_eval_until(1, &y, yes));
  assert_int_equal(count, 1);
  const int64_t start_ns = tn__clock_ns();
  TN_ASSERT_OK(tn_array_eval_until(1, &y, no));
  assert_true(count >= 2 && count <= 2 + most_polls_since(start_ns));
  tn_array_t* z = tn_array_negative(s, y);
  TN_ASSERT_OK(tn_array_eval_until(1, &z, no));  // too early for the next, unless the machine slept
  assert_true(count <= 2 + most_polls_since(start_ns));
  tn_cancellation_release(yes);
  tn_cancellation_release(no);
  tn_scope_destroy(s);
}

// The operand of the step that is given up had no other user, and was the step's to free.
static void operands_that_were_not_overwritten_are_still_there(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *x = tn_array_negative(s, tn__testing_range(s, TN_LIST(4))), *y = NULL;
  y = tn_array_retain(apply(s, "last", x));
  tn_scope_clear(s);
  cancelled_by_last = create(NULL, NULL);
  TN_ASSERT_REPORT("the run was cancelled", tn_array_eval_until(1, &y, cancelled_by_last));
  TN_ASSERT_OK(tn_array_status(y));
  TN_ASSERT_F32(y, TN_LIST(4), 0, -1, -2, -3);
  tn_cancellation_release(cancelled_by_last);
  tn_array_release(y);
  tn_scope_destroy(s);
}

static void a_wait_for_a_stream_is_given_up(void** state) {
  (void)state;
  int count = 0;
  tn_scope_t* s = tn__testing_scope();
  tn_stream_t* stream = NULL;
  tn_event_t* gate = NULL;
  tn_cancellation_t* cancellation = create(say_yes, &count);
  TN_ASSERT_OK(tn_stream_create(tn_scope_device(s), &stream));
  TN_ASSERT_OK(tn_event_create(tn_scope_device(s), &gate));
  TN_ASSERT_OK(tn_stream_wait_event(stream, gate));
  TN_ASSERT_OK(tn_scope_set_stream(s, stream));
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  tn_array_t* y = tn_array_negative(s, x);
  TN_ASSERT_OK(tn_array_async_eval(1, &y));
  TN_ASSERT_REPORT("the run was cancelled", tn_array_eval_until(1, &y, cancellation));
  assert_int_equal(count, 1);
  TN_ASSERT_REPORT("the run was cancelled", tn_stream_synchronize_until(stream, cancellation));
  TN_ASSERT_REPORT("the run was cancelled", tn_scope_synchronize_until(s, cancellation));
  TN_ASSERT_OK(tn_event_set(gate, TN_OK));
  TN_ASSERT_F32(y, TN_LIST(4), 0, -1, -2, -3);  // the work itself was not given up
  TN_ASSERT_OK(tn_scope_synchronize(s));
  TN_ASSERT_OK(tn_scope_synchronize_until(s, cancellation));  // there is nothing to wait for
  tn_cancellation_release(cancellation);
  tn_event_release(gate);
  tn_stream_release(stream);
  tn_scope_destroy(s);
}

static void* evaluate(void* array) {
  tn_array_t* y = array;
  TN_ASSERT_OK(tn_array_eval(1, &y));
  return NULL;
}

static void a_wait_for_another_thread_is_given_up(void** state) {
  (void)state;
  int count = 0;
  pthread_t other;
  tn_scope_t* s = tn__testing_scope();
  tn_cancellation_t* cancellation = create(say_yes, &count);
  tn_array_t* y = apply(s, "slow", tn__testing_range(s, TN_LIST(4)));
  assert_int_equal(pthread_create(&other, NULL, evaluate, y), 0);
  while (!atomic_load(&has_begun)) usleep(1000);
  TN_ASSERT_REPORT("the run was cancelled", tn_array_async_eval_until(1, &y, cancellation));
  TN_ASSERT_REPORT("the run was cancelled", tn_array_eval_until(1, &y, cancellation));
  atomic_store(&may_end, true);
  assert_int_equal(pthread_join(other, NULL), 0);
  TN_ASSERT_OK(tn_array_async_eval_until(1, &y, cancellation));  // it is computed
  TN_ASSERT_F32(y, TN_LIST(4), 0, 1, 2, 3);
  tn_array_t* z = tn_array_negative(s, y);
  TN_ASSERT_OK(tn_array_async_eval_until(1, &z, cancellation));  // nothing is waited for
  TN_ASSERT_F32(z, TN_LIST(4), 0, -1, -2, -3);
  tn_cancellation_release(cancellation);
  tn_scope_destroy(s);
}

int main(void) {
  TN_ASSERT_OK(tn_op_register(tn_definition_of(last)));
  TN_ASSERT_OK(tn_op_register(tn_definition_of(slow)));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_are_pending_as_before),
      cmocka_unit_test(a_poll_decides),
      cmocka_unit_test(operands_that_were_not_overwritten_are_still_there),
      cmocka_unit_test(a_wait_for_a_stream_is_given_up),
      cmocka_unit_test(a_wait_for_another_thread_is_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
