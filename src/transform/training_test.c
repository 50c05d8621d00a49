// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A small network, trained: it learns, and memory stays what it was.
#include <stdlib.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

enum { SAMPLE_COUNT = 64, INPUT_COUNT = 16, HIDDEN_COUNT = 32, PARAMETER_COUNT = 3 };

typedef struct tn_samples {
  tn_array_t *x, *y;
} tn_samples_t;

// The mean square of tanh(x @ w1 + b) @ w2 - y.
static tn_status_t loss(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  const tn_samples_t* samples = user;
  (void)input_count, (void)output_count;
  tn_array_t* hidden = tn_array_add(s, tn_array_matmul(s, samples->x, inputs[0]), inputs[1]);
  tn_array_t* guess = tn_array_matmul(s, tn_array_tanh(s, hidden), inputs[2]);
  tn_array_t* away = tn_array_subtract(s, guess, samples->y);
  out[0] = tn_array_mean(s, tn_array_square(s, away), 0, NULL, false);
  return TN_OK;
}

// Numbers between -0.5 and 0.5 that look like noise.
static tn_array_t* noise(tn_scope_t* s, int64_t rows, int64_t columns, int seed) {
  float data[SAMPLE_COUNT * HIDDEN_COUNT];
  const int64_t dims[] = {rows, columns};
  for (int64_t i = 0; i < rows * columns; ++i) {
    data[i] = (float)((i * (2 * seed + 35) + seed) % 101) / 101 - 0.5f;
  }
  return tn_array_retain(tn__testing_f32(s, 2, dims, data));
}

static double step(tn_scope_t* s, const tn_closure_t* function, tn_array_t** parameters) {
  static const size_t argnums[PARAMETER_COUNT] = {0, 1, 2};
  tn_array_t *value = NULL, *gradients[PARAMETER_COUNT], *wanted[PARAMETER_COUNT + 1];
  double loss_value = 0;
  TN_ASSERT_OK(tn_value_and_grad(s, function, PARAMETER_COUNT, parameters, PARAMETER_COUNT, argnums,
                                 1, &value, gradients));
  tn_array_t* rate = tn_array_scalar(s, TN_DTYPE_F32, 0.05);
  for (int i = 0; i < PARAMETER_COUNT; ++i) {
    tn_array_t* change = tn_array_multiply(s, rate, gradients[i]);
    wanted[i] = tn_array_retain(tn_array_subtract(s, parameters[i], change));
  }
  wanted[PARAMETER_COUNT] = tn_array_retain(value);
  tn_scope_clear(s);
  for (int i = 0; i < PARAMETER_COUNT; ++i) tn_array_release(parameters[i]);
  TN_ASSERT_OK(tn_array_eval(PARAMETER_COUNT + 1, wanted));
  TN_ASSERT_OK(tn_array_item(wanted[PARAMETER_COUNT], &loss_value));
  tn_array_release(wanted[PARAMETER_COUNT]);
  memcpy(parameters, wanted, PARAMETER_COUNT * sizeof *parameters);
  return loss_value;
}

static uint64_t memory_in_use(tn_scope_t* s) {
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_device_memory_statistics(tn_scope_device(s), &statistics);
  return statistics.in_use_byte_size;
}

static void training_takes_no_more_memory_with_time(void** state) {
  (void)state;
  const int step_count = getenv("TENON_LONG_TESTS") ? 10000 : 1000;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* truth = noise(s, INPUT_COUNT, 1, 2);
  tn_samples_t samples = {.x = noise(s, SAMPLE_COUNT, INPUT_COUNT, 1)};
  samples.y = tn_array_retain(tn_array_matmul(s, samples.x, truth));
  TN_ASSERT_OK(tn_array_eval(1, &samples.y));
  tn_array_release(truth);
  tn_array_t* parameters[] = {noise(s, INPUT_COUNT, HIDDEN_COUNT, 3), noise(s, 1, HIDDEN_COUNT, 4),
                              noise(s, HIDDEN_COUNT, 1, 5)};
  const tn_closure_t function = {loss, &samples};
  tn_scope_clear(s);
  const double first = step(s, &function, parameters);
  for (int i = 0; i < 10; ++i) step(s, &function, parameters);
  const uint64_t before = memory_in_use(s);
  double last = first;
  for (int i = 0; i < step_count; ++i) last = step(s, &function, parameters);
  assert_int_equal(memory_in_use(s), before);
  assert_true(last < first / 2);
  for (int i = 0; i < PARAMETER_COUNT; ++i) tn_array_release(parameters[i]);
  tn_array_release(samples.x);
  tn_array_release(samples.y);
  tn_scope_clear_cache(s);
  assert_int_equal(memory_in_use(s), 0);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(training_takes_no_more_memory_with_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
