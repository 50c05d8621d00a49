// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// An operation that takes long ends within itself once its run is interrupted.
#include "base/linux/clock.h"
#include "kernel/testing_kernel.h"

enum { SIDE = 512, LENGTH = 1 << 20 };

static float zeros[SIDE * SIDE];

static void begin_fft(tn_case_t* c) {
  static const int64_t length = LENGTH / 8;
  tn__case_begin(c, "stablehlo.fft");
  tn__case_operand(c, TN_DTYPE_C64, TN_DIMS(length), NULL);
  tn__case_result(c, TN_DTYPE_C64, TN_DIMS(length));
  tn__case_enum(c, "fft_type", "fft_type", "FFT");
  tn__case_list(c, "fft_length", 1, &length);
}

static void begin_sort(tn_case_t* c) {
  static const tn_sort_key_t key = {.operand = 0};
  tn__case_begin(c, "stablehlo.sort");
  tn__case_operand(c, TN_DTYPE_F32, TN_DIMS(LENGTH), NULL);
  tn__case_result(c, TN_DTYPE_F32, TN_DIMS(LENGTH));
  tn__case_integer(c, "dimension", 0);
  tn__case_order_body(c, 1, &key);
}

static void begin_dot(tn_case_t* c) {
  tn__case_begin(c, "stablehlo.dot");
  for (int i = 0; i < 2; ++i) tn__case_operand(c, TN_DTYPE_F32, TN_DIMS(SIDE, SIDE), zeros);
  tn__case_result(c, TN_DTYPE_F32, TN_DIMS(SIDE, SIDE));
}

static void begin_cholesky(tn_case_t* c) {
  static float identity[SIDE * SIDE];
  for (int i = 0; i < SIDE; ++i) identity[i * SIDE + i] = 1;
  tn__case_begin(c, "stablehlo.cholesky");
  tn__case_operand(c, TN_DTYPE_F32, TN_DIMS(SIDE, SIDE), identity);
  tn__case_result(c, TN_DTYPE_F32, TN_DIMS(SIDE, SIDE));
  tn__case_bool(c, "lower", true);
}

static void begin_reduce(tn_case_t* c) {
  static const int64_t dimension = 1;
  tn__case_begin(c, "stablehlo.reduce");
  tn__case_operand(c, TN_DTYPE_F32, TN_DIMS(SIDE, SIDE), zeros);
  tn__case_operand(c, TN_DTYPE_F32, TN_SCALAR, zeros);
  tn__case_result(c, TN_DTYPE_F32, TN_DIMS(SIDE));
  tn__case_list(c, "dimensions", 1, &dimension);
  tn__case_binary_body(c, "stablehlo.add");
}

static void begin_exponential(tn_case_t* c) {
  tn__case_begin(c, "stablehlo.exponential");
  tn__case_operand(c, TN_DTYPE_F32, TN_DIMS(LENGTH), NULL);
  tn__case_result(c, TN_DTYPE_F32, TN_DIMS(LENGTH));
}

static void (*const begins[])(tn_case_t* c) = {begin_fft,      begin_sort,   begin_dot,
                                               begin_cholesky, begin_reduce, begin_exponential};

static void long_operations_end_when_their_run_is_interrupted(void** state) {
  (void)state;
  const tn_interrupt_t due = {.timeout_ns = 1, .deadline_ns = tn__clock_ns()};
  for (int threads = 1; threads <= 3; threads += 2) {
    const tn_pool_config_t config = {.thread_count = threads};
    tn_pool_t* pool;
    TN_ASSERT_OK(tn__pool_create(&config, tn_allocator_system(), &pool));
    tn_pool_t interrupted = tn__pool_for(pool, &due);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; ++i) {
      tn_case_t c;
      begins[i](&c);
      c.pool = pool;
      TN_ASSERT_OK(tn__case_run(&c));
      tn__case_end(&c);
      begins[i](&c);
      c.pool = &interrupted;
      TN_ASSERT_CODE(DEADLINE_EXCEEDED, tn__case_run(&c));
      tn__case_end(&c);
    }
    tn__pool_release(pool);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_operations_end_when_their_run_is_interrupted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
