// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Graphs whose operations are on two streams of one device, of every kind.
#include "device/device.h"
#include "lazy/array.h"
#include "lazy/testing_lazy.h"
#include "program/testing_run.h"

enum { STEPS = 12, ROUNDS = 6 };

static tn_stream_t* streams[2];
static tn_scope_t* s;

static int setup(void** state) {
  return tn__testing_device_setup(state);
}

static int begin(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_scope_create(tn__testing_device(), &s));
  for (int i = 0; i < 2; ++i) TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &streams[i]));
  return 0;
}

static int end(void** state) {
  (void)state;
  tn_scope_destroy(s);
  for (int i = 0; i < 2; ++i) tn_stream_release(streams[i]);
  return 0;
}

// Both streams by turns: one adds x, the other doubles.
static tn_array_t* compute(tn_array_t* x) {
  tn_array_t* y = x;
  for (int i = 0; i < STEPS; ++i) {
    TN_ASSERT_OK(tn_scope_set_stream(s, streams[i % 2]));
    y = i % 2 ? tn_array_add(s, y, y) : tn_array_add(s, y, x);
  }
  TN_ASSERT_OK(tn_scope_set_stream(s, NULL));
  return y;
}

static float expected(float x) {
  float y = x;
  for (int i = 0; i < STEPS; ++i) y += i % 2 ? y : x;
  return y;
}

static void a_graph_goes_from_stream_to_stream(void** state) {
  (void)state;
  tn_array_t* x = tn_array_retain(tn__testing_range(s, TN_LIST(3)));
  for (int round = 0; round < ROUNDS; ++round) {  // at first step by step, later by programs
    tn_array_t* y = compute(x);
    TN_ASSERT_OK(round % 2 ? tn_array_async_eval(1, &y) : tn_array_eval(1, &y));
    TN_ASSERT_F32(y, TN_LIST(3), expected(0), expected(1), expected(2));
    tn_scope_clear(s);
  }
  tn_array_release(x);
}

// Many under way at once, each of which waits for the one before.
static void graphs_follow_each_other(void** state) {
  (void)state;
  tn_array_t *x = tn_array_retain(tn__testing_range(s, TN_LIST(3))), *y = tn_array_retain(x);
  for (int round = 0; round < ROUNDS * 4; ++round) {
    TN_ASSERT_OK(tn_scope_set_stream(s, streams[round % 2]));
    tn_array_t* next = tn_array_retain(tn_array_add(s, y, x));
    TN_ASSERT_OK(tn_array_async_eval(1, &next));
    tn_array_release(y);
    y = next;
  }
  TN_ASSERT_OK(tn_scope_set_stream(s, NULL));
  TN_ASSERT_F32(y, TN_LIST(3), 0, ROUNDS * 4 + 1, 2 * (ROUNDS * 4 + 1));
  tn_array_release(x);
  tn_array_release(y);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_graph_goes_from_stream_to_stream, begin, end),
      cmocka_unit_test_setup_teardown(graphs_follow_each_other, begin, end),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, setup, tn__testing_device_teardown);
}
