// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "kernel/testing_kernel.h"

enum { A = 3, FEATURES = 4, B = 5, COUNT = A * FEATURES * B };
static const double epsilon = 0.01;

static double operand[COUNT], scale[FEATURES], offset[FEATURES], gradient[COUNT];

static int fill(void** state) {
  (void)state;
  for (int i = 0; i < COUNT; ++i) {
    operand[i] = sin(i * 1.7) + 0.1 * i;
    gradient[i] = cos(i * 0.9);
  }
  for (int f = 0; f < FEATURES; ++f) {
    scale[f] = 1 + f;
    offset[f] = f - 2;
  }
  return 0;
}

static double at(int a, int f, int b) {
  return operand[(a * FEATURES + f) * B + b];
}
static void moments(int f, double* mean, double* variance) {
  *mean = *variance = 0;
  for (int a = 0; a < A; ++a) {
    for (int b = 0; b < B; ++b) *mean += at(a, f, b) / (A * B);
  }
  for (int a = 0; a < A; ++a) {
    for (int b = 0; b < B; ++b) *variance += pow(at(a, f, b) - *mean, 2) / (A * B);
  }
}

static void add_attrs(tn_case_t* c) {
  tn__case_float(c, "epsilon", epsilon);
  tn__case_integer(c, "feature_index", 1);
}
static void add_features(tn_case_t* c, const double* values) {
  tn__case_operand(c, TN_DTYPE_F64, TN_DIMS(FEATURES), values);
}

static void training_gives_moments_and_what_is_normalized(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.batch_norm_training");
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(A, FEATURES, B), operand);
  add_features(&c, scale);
  add_features(&c, offset);
  add_attrs(&c);
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(A, FEATURES, B));
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(FEATURES));
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(FEATURES));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int f = 0; f < FEATURES; ++f) {
    double mean, variance;
    moments(f, &mean, &variance);
    assert_true(fabs(((double*)c.results[1])[f] - mean) < 1e-12);
    assert_true(fabs(((double*)c.results[2])[f] - variance) < 1e-12);
    for (int i = 0; i < A * B; ++i) {
      const int place = (i / B * FEATURES + f) * B + i % B;
      const double wanted =
          (operand[place] - mean) / sqrt(variance + epsilon) * scale[f] + offset[f];
      assert_true(fabs(((double*)c.results[0])[place] - wanted) < 1e-12);
    }
  }
  tn__case_end(&c);
}

static void inference_uses_the_moments_it_is_given(void** state) {
  (void)state;
  const double mean[] = {1, 2, 3, 4}, variance[] = {4, 1, 9, 16};
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.batch_norm_inference");
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(A, FEATURES, B), operand);
  add_features(&c, scale);
  add_features(&c, offset);
  add_features(&c, mean);
  add_features(&c, variance);
  add_attrs(&c);
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(A, FEATURES, B));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int i = 0; i < COUNT; ++i) {
    const int f = i / B % FEATURES;
    const double wanted =
        (operand[i] - mean[f]) / sqrt(variance[f] + epsilon) * scale[f] + offset[f];
    assert_true(fabs(((double*)c.results[0])[i] - wanted) < 1e-12);
  }
  tn__case_end(&c);
}

// sum(gradient * training(operand, scale, offset))
static double loss(void) {
  double sum = 0;
  for (int f = 0; f < FEATURES; ++f) {
    double mean, variance;
    moments(f, &mean, &variance);
    for (int i = 0; i < A * B; ++i) {
      const int place = (i / B * FEATURES + f) * B + i % B;
      sum += gradient[place] *
             ((operand[place] - mean) / sqrt(variance + epsilon) * scale[f] + offset[f]);
    }
  }
  return sum;
}

static double slope(double* variable) {
  const double kept = *variable, step = 1e-5;
  *variable = kept + step;
  const double above = loss();
  *variable = kept - step;
  const double below = loss();
  *variable = kept;
  return (above - below) / (2 * step);
}

static void gradients_are_those_of_training(void** state) {
  (void)state;
  double mean[FEATURES], variance[FEATURES];
  for (int f = 0; f < FEATURES; ++f) moments(f, &mean[f], &variance[f]);
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.batch_norm_grad");
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(A, FEATURES, B), operand);
  add_features(&c, scale);
  add_features(&c, mean);
  add_features(&c, variance);
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(A, FEATURES, B), gradient);
  add_attrs(&c);
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(A, FEATURES, B));
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(FEATURES));
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(FEATURES));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int i = 0; i < COUNT; ++i) {
    assert_true(fabs(((double*)c.results[0])[i] - slope(&operand[i])) < 1e-7);
  }
  for (int f = 0; f < FEATURES; ++f) {
    assert_true(fabs(((double*)c.results[1])[f] - slope(&scale[f])) < 1e-7);
    assert_true(fabs(((double*)c.results[2])[f] - slope(&offset[f])) < 1e-7);
  }
  tn__case_end(&c);
}

static void features_may_be_the_last_dimension(void** state) {
  (void)state;
  // 2000 rows of 3 features: in groups, and on several threads.
  enum { ROWS = 20000 };
  float* data = malloc(sizeof *data * ROWS * 3);
  for (int i = 0; i < ROWS * 3; ++i) data[i] = (float)(i % 3 + (i / 3 % 2 ? 1 : -1));
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.batch_norm_training");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(ROWS, 3), data);
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(3), (float[]){1, 1, 1});
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(3), (float[]){0, 0, 0});
  tn__case_float(&c, "epsilon", 0);
  tn__case_integer(&c, "feature_index", 1);
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(ROWS, 3));
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(3));
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(3));
  TN_ASSERT_OK(tn__pool_create(NULL, tn_allocator_system(), &c.pool));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int f = 0; f < 3; ++f) {
    assert_true(((float*)c.results[1])[f] == (float)f);
    assert_true(((float*)c.results[2])[f] == 1);
  }
  for (int i = 0; i < ROWS * 3; ++i) {
    assert_true(((float*)c.results[0])[i] == (i / 3 % 2 ? 1.0f : -1.0f));
  }
  tn__pool_release(c.pool);
  tn__case_end(&c);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(training_gives_moments_and_what_is_normalized),
      cmocka_unit_test(inference_uses_the_moments_it_is_given),
      cmocka_unit_test(gradients_are_those_of_training),
      cmocka_unit_test(features_may_be_the_last_dimension),
  };
  return cmocka_run_group_tests(tests, fill, NULL);
}
