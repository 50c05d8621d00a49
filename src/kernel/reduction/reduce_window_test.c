// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "kernel/testing_kernel.h"

static uint64_t seed = 21;
static int64_t below(int64_t limit) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((seed >> 33) % (uint64_t)limit);
}

typedef struct windows {
  size_t rank;
  int64_t input[4], output[4], sizes[4], strides[4], dilations[4], bases[4], padding[8];
} windows_t;

static int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// Fills in the output's dimensions; false when a window does not fit.
static bool infer_output(windows_t* w) {
  for (size_t i = 0; i < w->rank; ++i) {
    const int64_t room = dilated(w->input[i], w->bases[i]) + w->padding[2 * i] +
                         w->padding[2 * i + 1] - dilated(w->sizes[i], w->dilations[i]);
    if (room < 0) return false;
    w->output[i] = room / w->strides[i] + 1;
  }
  return true;
}

static windows_t random_windows(void) {
  windows_t w = {.rank = 1 + (size_t)below(3)};
  do {
    for (size_t i = 0; i < w.rank; ++i) {
      const bool trivial = below(3) == 0;
      w.input[i] = 1 + below(9);
      w.sizes[i] = trivial ? 1 : 1 + below(3);
      w.strides[i] = trivial ? 1 : 1 + below(3);
      w.dilations[i] = 1 + below(2);
      w.bases[i] = trivial || below(3) ? 1 : 1 + below(3);
      w.padding[2 * i] = trivial ? 0 : below(4) - 1;
      w.padding[2 * i + 1] = trivial ? 0 : below(4) - 1;
    }
  } while (!infer_output(&w));
  return w;
}

static int64_t size_of(size_t rank, const int64_t* dims) {
  int64_t size = 1;
  for (size_t i = 0; i < rank; ++i) size *= dims[i];
  return size;
}

static int32_t fold(const char* op, int32_t a, int32_t b) {
  if (strstr(op, "add")) return (int32_t)((uint32_t)a + (uint32_t)b);
  if (strstr(op, "multiply")) return (int32_t)((uint32_t)a * (uint32_t)b);
  return a > b ? a : b;
}

// By the definition: pad and dilate the base, then fold each window.
static void fold_plainly(const windows_t* w, const char* op, const int32_t* data, int32_t init,
                         int32_t* out) {
  const int64_t outputs = size_of(w->rank, w->output), window = size_of(w->rank, w->sizes);
  for (int64_t o = 0; o < outputs; ++o) {
    int32_t sum = init;
    for (int64_t k = 0; k < window; ++k) {
      int64_t rest_o = o, rest_k = k, offset = 0, stride = 1;
      bool inside = true;
      for (size_t i = w->rank; i-- > 0;) {
        const int64_t at = rest_o % w->output[i] * w->strides[i] +
                           rest_k % w->sizes[i] * w->dilations[i] - w->padding[2 * i];
        rest_o /= w->output[i];
        rest_k /= w->sizes[i];
        if (at < 0 || at % w->bases[i] || at / w->bases[i] >= w->input[i]) inside = false;
        offset += at / w->bases[i] * stride;
        stride *= w->input[i];
      }
      sum = fold(op, sum, inside ? data[offset] : init);
    }
    out[o] = sum;
  }
}

static int32_t arguments[2], result;
static tn_status_t run_add(const tn_body_t* body) {
  (void)body;
  result = fold("add", arguments[0], arguments[1]);
  return TN_OK;
}

static void begin_case(tn_case_t* c, const windows_t* w, tn_dtype_t dtype, const void* data,
                       const void* init, const char* op) {
  tn__case_begin(c, "stablehlo.reduce_window");
  tn__case_operand(c, dtype, w->rank, w->input, data);
  tn__case_operand(c, dtype, TN_SCALAR, init);
  tn__case_list(c, "window_dimensions", w->rank, w->sizes);
  tn__case_list(c, "window_strides", w->rank, w->strides);
  tn__case_list(c, "window_dilations", w->rank, w->dilations);
  tn__case_list(c, "base_dilations", w->rank, w->bases);
  tn__case_pairs(c, "padding", w->rank, w->padding);
  tn__case_result(c, dtype, w->rank, w->output);
  if (op) tn__case_binary_body(c, op);
}

static void check_windows(const windows_t* w, tn_pool_t* pool) {
  static const char* const ops[] = {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
                                    NULL};
  static void* const argument_list[] = {&arguments[0], &arguments[1]};
  static void* const result_list[] = {&result};
  const int64_t size = size_of(w->rank, w->input), outputs = size_of(w->rank, w->output);
  int32_t* data = malloc(sizeof *data * (size_t)size + 4);
  int32_t* wanted = malloc(sizeof *wanted * (size_t)outputs + 4);
  for (int64_t i = 0; i < size; ++i) data[i] = (int32_t)below(1000) - 500;
  for (size_t o = 0; o < sizeof ops / sizeof *ops; ++o) {
    // Initial values that change nothing, and others.
    for (int32_t init = 0; init < 4; ++init) {
      tn_case_t c;
      begin_case(&c, w, TN_DTYPE_S32, data, &init, ops[o]);
      if (!ops[o]) tn__case_callback_body(&c, argument_list, result_list, run_add);
      c.pool = pool;
      TN_ASSERT_OK(tn__case_run(&c));
      fold_plainly(w, ops[o] ? ops[o] : "add", data, init, wanted);
      if (outputs && memcmp(c.results[0], wanted, sizeof *wanted * (size_t)outputs) != 0) {
        fail_msg("%s with %d", ops[o] ? ops[o] : "a body", (int)init);
      }
      tn__case_end(&c);
    }
  }
  free(data), free(wanted);
}

static void reduce_window_agrees_with_its_definition(void** state) {
  (void)state;
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (int round = 0; round < 500; ++round) {
    const windows_t w = random_windows();
    check_windows(&w, round % 2 ? pool : NULL);
  }
  tn__pool_release(pool);
}

static void long_rows_are_cut_into_blocks(void** state) {
  (void)state;
  windows_t w = {.rank = 2,
                 .input = {3, 2000},
                 .sizes = {2, 5},
                 .strides = {1, 1},
                 .dilations = {1, 2},
                 .bases = {1, 1},
                 .padding = {1, 0, 3, 3}};
  assert_true(infer_output(&w));
  check_windows(&w, NULL);
  w.strides[1] = 3;
  assert_true(infer_output(&w));
  check_windows(&w, NULL);
}

static void channels_that_come_last_are_folded_side_by_side(void** state) {
  (void)state;
  static const int64_t channels[] = {2, 7, 64, 150, 700};  // of the last no two windows fit
  for (size_t i = 0; i < sizeof channels / sizeof *channels; ++i) {
    windows_t w = {.rank = 4,
                   .input = {2, 5, 41, channels[i]},
                   .sizes = {1, 3, 3, 1},
                   .strides = {1, 2, 1, 1},
                   .dilations = {1, 1, 2, 1},
                   .bases = {1, 1, 1, 1},
                   .padding = {0, 0, 1, 1, 3, 2, 0, 0}};
    assert_true(infer_output(&w));
    check_windows(&w, NULL);
    w.strides[2] = 3;
    assert_true(infer_output(&w));
    check_windows(&w, NULL);
    w.sizes[1] = w.strides[1] = 1;  // one row a window
    assert_true(infer_output(&w));
    check_windows(&w, NULL);
  }
}

static void cumulative_windows_are_scans(void** state) {
  (void)state;
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    for (int reversed = 0; reversed < 2; ++reversed) {
      windows_t w = {.rank = 3,
                     .input = {11, 13, 17},
                     .sizes = {1, 1, 1},
                     .strides = {1, 1, 1},
                     .dilations = {1, 1, 1},
                     .bases = {1, 1, 1}};
      w.sizes[dimension] = w.input[dimension];
      w.padding[2 * dimension + (size_t)reversed] = w.input[dimension] - 1;
      assert_true(infer_output(&w));
      check_windows(&w, NULL);
    }
  }
}

static void cumulative_sums_of_floats_are_accurate(void** state) {
  (void)state;
  enum { COUNT = 100000 };
  windows_t w = {.rank = 1,
                 .input = {COUNT},
                 .sizes = {COUNT},
                 .strides = {1},
                 .dilations = {1},
                 .bases = {1},
                 .padding = {COUNT - 1, 0}};
  assert_true(infer_output(&w));
  float* data = malloc(sizeof *data * COUNT);
  for (int i = 0; i < COUNT; ++i) data[i] = 0.1f;
  tn_case_t c;
  begin_case(&c, &w, TN_DTYPE_F32, data, (float[]){0}, "stablehlo.add");
  TN_ASSERT_OK(tn__case_run(&c));
  assert_true(((float*)c.results[0])[COUNT - 1] == (float)(COUNT * (double)0.1f));
  tn__case_end(&c);
  // f16 by way of f32: 3000 ones, of which 2048 + 1 is 2048 in f16.
  uint16_t* ones = malloc(sizeof *ones * 3000);
  for (int i = 0; i < 3000; ++i) ones[i] = 0x3C00;
  w = (windows_t){.rank = 1,
                  .input = {3000},
                  .sizes = {3000},
                  .strides = {1},
                  .dilations = {1},
                  .bases = {1},
                  .padding = {2999, 0}};
  assert_true(infer_output(&w));
  begin_case(&c, &w, TN_DTYPE_F16, ones, (uint16_t[]){0}, "stablehlo.add");
  TN_ASSERT_OK(tn__case_run(&c));
  assert_int_equal(((uint16_t*)c.results[0])[2999], 0x69DC);
  tn__case_end(&c);
  free(data), free(ones);
}

static void cumulative_sums_may_stand_side_by_side(void** state) {
  (void)state;
  enum { LENGTH = 40 };  // long enough for f32
  uint16_t columns[LENGTH][2];
  for (int i = 0; i < LENGTH; ++i) columns[i][0] = 0x3C00, columns[i][1] = 0x4000;
  windows_t w = {.rank = 2,
                 .input = {LENGTH, 2},
                 .sizes = {LENGTH, 1},
                 .strides = {1, 1},
                 .dilations = {1, 1},
                 .bases = {1, 1},
                 .padding = {LENGTH - 1, 0, 0, 0}};
  assert_true(infer_output(&w));
  tn_case_t c;
  begin_case(&c, &w, TN_DTYPE_F16, columns, (uint16_t[]){0}, "stablehlo.add");
  TN_ASSERT_OK(tn__case_run(&c));
  const uint16_t* got = c.results[0];
  assert_int_equal(got[0], 0x3C00);
  assert_int_equal(got[1], 0x4000);
  assert_int_equal(got[2 * LENGTH - 2], 0x5100);  // 40
  assert_int_equal(got[2 * LENGTH - 1], 0x5500);  // 80
  tn__case_end(&c);
}

static void short_cumulative_sums_are_rounded_at_every_step(void** state) {
  (void)state;
  // 2048 + 1 + 1 in f16: each 1 is lost.
  windows_t w = {.rank = 1,
                 .input = {3},
                 .sizes = {3},
                 .strides = {1},
                 .dilations = {1},
                 .bases = {1},
                 .padding = {2, 0}};
  assert_true(infer_output(&w));
  tn_case_t c;
  begin_case(&c, &w, TN_DTYPE_F16, (uint16_t[]){0x6800, 0x3C00, 0x3C00}, (uint16_t[]){0},
             "stablehlo.add");
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint16_t, 0x6800, 0x6800, 0x6800);
  tn__case_end(&c);
}

static void maximum_over_windows_lets_nan_through(void** state) {
  (void)state;
  windows_t w = {
      .rank = 1, .input = {5}, .sizes = {2}, .strides = {1}, .dilations = {1}, .bases = {1}};
  assert_true(infer_output(&w));
  tn_case_t c;
  begin_case(&c, &w, TN_DTYPE_F32, (float[]){1, NAN, 3, -0.0f, 0}, (float[]){-INFINITY},
             "stablehlo.maximum");
  TN_ASSERT_OK(tn__case_run(&c));
  const float* got = c.results[0];
  assert_true(isnan(got[0]) && isnan(got[1]) && got[2] == 3 && !signbit(got[3]));
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduce_window_agrees_with_its_definition),
      cmocka_unit_test(long_rows_are_cut_into_blocks),
      cmocka_unit_test(channels_that_come_last_are_folded_side_by_side),
      cmocka_unit_test(cumulative_windows_are_scans),
      cmocka_unit_test(cumulative_sums_of_floats_are_accurate),
      cmocka_unit_test(cumulative_sums_may_stand_side_by_side),
      cmocka_unit_test(short_cumulative_sums_are_rounded_at_every_step),
      cmocka_unit_test(maximum_over_windows_lets_nan_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
