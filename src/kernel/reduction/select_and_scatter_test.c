// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/testing_kernel.h"

static float select_arguments[2], scatter_arguments[2], scatter_result;
static uint8_t select_result;

static tn_status_t run_select(const tn_body_t* body) {
  (void)body;
  select_result = select_arguments[0] >= select_arguments[1];
  return TN_OK;
}
static tn_status_t run_scatter(const tn_body_t* body) {
  (void)body;
  scatter_result = scatter_arguments[0] + scatter_arguments[1];
  return TN_OK;
}
static tn_status_t fail_to_select(const tn_body_t* body) {
  (void)body;
  return tn_status_create(TN_CODE_ABORTED, "no choice");
}

static void* const select_argument_list[] = {&select_arguments[0], &select_arguments[1]};
static void* const select_result_list[] = {&select_result};
static void* const scatter_argument_list[] = {&scatter_arguments[0], &scatter_arguments[1]};
static void* const scatter_result_list[] = {&scatter_result};

// `known`: the bodies are recognised.
static void begin_case(tn_case_t* c, bool known, size_t rank, const int64_t* dims,
                       const float* operand, const int64_t* source_dims, const float* source,
                       const int64_t* sizes, const int64_t* strides, const int64_t* padding,
                       tn_attr_dictionary_t* attrs) {
  tn__case_begin(c, "stablehlo.select_and_scatter");
  tn__case_operand(c, TN_DTYPE_F32, rank, dims, operand);
  tn__case_operand(c, TN_DTYPE_F32, rank, source_dims, source);
  tn__case_operand(c, TN_DTYPE_F32, TN_SCALAR, (float[]){0.5f});
  tn__case_list(c, "window_dimensions", rank, sizes);
  tn__case_list(c, "window_strides", rank, strides);
  tn__case_pairs(c, "padding", rank, padding);
  tn__case_result(c, TN_DTYPE_F32, rank, dims);
  if (known) {
    static tn_named_attr_t direction;
    TN_ASSERT_OK(tn__attr_enum(&c->arena, "comparison_direction", tn__sv("GE"), &direction.attr));
    direction.name = tn__sv("comparison_direction");
    *attrs = (tn_attr_dictionary_t){1, &direction};
    c->body_shapes[0].binary_attrs = attrs;
    tn__case_binary_body(c, "stablehlo.compare");
    tn__case_binary_body(c, "stablehlo.add");
  } else {
    tn__case_callback_body(c, select_argument_list, select_result_list, run_select);
    tn__case_callback_body(c, scatter_argument_list, scatter_result_list, run_scatter);
  }
}

static void sources_go_to_what_their_windows_select(void** state) {
  (void)state;
  // Overlapping windows of 3 over 5 elements with padding of 1 on the left.
  for (int known = 0; known < 2; ++known) {
    tn_case_t c;
    tn_attr_dictionary_t attrs;
    begin_case(&c, known, 1, (int64_t[]){5}, (float[]){1, 5, 2, 2, 1}, (int64_t[]){4},
               (float[]){10, 20, 30, 40}, (int64_t[]){3}, (int64_t[]){1}, (int64_t[]){1, 0},
               &attrs);
    TN_ASSERT_OK(tn__case_run(&c));
    // Of equal ones the first stays.
    TN_ASSERT_RESULT(&c, float, 0.5f, 60.5f, 40.5f, 0.5f, 0.5f);
    tn__case_end(&c);
  }
}

static void slices_are_independent(void** state) {
  (void)state;
  enum { BATCH = 6, SIDE = 10 };
  float operand[BATCH * SIDE * SIDE], source[BATCH * 25], results[2][BATCH * SIDE * SIDE];
  for (int i = 0; i < BATCH * SIDE * SIDE; ++i) operand[i] = (float)((i * 37) % 101);
  for (int i = 0; i < BATCH * 25; ++i) source[i] = (float)i;
  for (int known = 0; known < 2; ++known) {
    tn_case_t c;
    tn_attr_dictionary_t attrs;
    begin_case(&c, known, 3, (int64_t[]){BATCH, SIDE, SIDE}, operand, (int64_t[]){BATCH, 5, 5},
               source, (int64_t[]){1, 2, 2}, (int64_t[]){1, 2, 2}, (int64_t[]){0, 0, 0, 0, 0, 0},
               &attrs);
    TN_ASSERT_OK(tn__pool_create(NULL, tn_allocator_system(), &c.pool));
    TN_ASSERT_OK(tn__case_run(&c));
    memcpy(results[known], c.results[0], sizeof results[0]);
    tn__pool_release(c.pool);
    tn__case_end(&c);
  }
  assert_memory_equal(results[0], results[1], sizeof results[0]);
  // Each source element arrived once.
  double sum = 0;
  for (int i = 0; i < BATCH * SIDE * SIDE; ++i) sum += (double)results[0][i] - 0.5;
  assert_true(2 * sum == BATCH * 25 * (BATCH * 25 - 1));
}

// Rows longer than what is chosen at a time, strides, padding on both sides, channels last or not.
static void rows_of_windows_select_as_single_windows_do(void** state) {
  (void)state;
  enum { COUNT = 3 * 7 * 600 };
  static float operand[COUNT], source[COUNT], results[2][COUNT];
  static const struct {
    int64_t dims[3], source[3], sizes[3], strides[3], padding[6];
  } shapes[] = {
      {{3, 7, 600}, {3, 4, 601}, {1, 3, 2}, {1, 2, 1}, {0, 0, 1, 1, 1, 1}},
      {{3, 7, 600}, {3, 5, 200}, {1, 3, 3}, {1, 1, 3}, {0, 0, 0, 0, 0, 0}},
      {{7, 3, 600}, {4, 3, 600}, {3, 1, 1}, {2, 1, 1}, {1, 1, 0, 0, 0, 0}},
      {{3, 7, 600}, {2, 7, 600}, {2, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
      {{1, 1, 600}, {1, 1, 149}, {1, 1, 9}, {1, 1, 4}, {0, 0, 0, 0, 0, 1}},
  };
  for (int i = 0; i < COUNT; ++i) operand[i] = (float)((i * 37) % 101);
  for (int i = 0; i < COUNT; ++i) source[i] = 1.0f / (float)(i % 97 + 1);
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
    const int64_t* dims = shapes[k].dims;
    const size_t bytes = (size_t)(dims[0] * dims[1] * dims[2]) * sizeof(float);
    for (int known = 0; known < 2; ++known) {
      tn_case_t c;
      tn_attr_dictionary_t attrs;
      begin_case(&c, known, 3, dims, operand, shapes[k].source, source, shapes[k].sizes,
                 shapes[k].strides, shapes[k].padding, &attrs);
      TN_ASSERT_OK(tn__case_run(&c));
      memcpy(results[known], c.results[0], bytes);
      tn__case_end(&c);
    }
    assert_memory_equal(results[0], results[1], bytes);
  }
}

static void windows_of_padding_select_nothing(void** state) {
  (void)state;
  tn_case_t c;
  tn_attr_dictionary_t attrs;
  begin_case(&c, true, 1, (int64_t[]){1}, (float[]){7}, (int64_t[]){3}, (float[]){1, 2, 4},
             (int64_t[]){1}, (int64_t[]){1}, (int64_t[]){1, 1}, &attrs);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, float, 2.5f);
  tn__case_end(&c);
}

static void errors_of_a_body_are_returned(void** state) {
  (void)state;
  tn_case_t c;
  tn_attr_dictionary_t attrs;
  begin_case(&c, false, 1, (int64_t[]){2}, (float[]){7, 8}, (int64_t[]){1}, (float[]){1},
             (int64_t[]){2}, (int64_t[]){1}, (int64_t[]){0, 0}, &attrs);
  c.bodies[0].run = fail_to_select;
  TN_ASSERT_CODE(ABORTED, tn__case_run(&c));
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sources_go_to_what_their_windows_select),
      cmocka_unit_test(slices_are_independent),
      cmocka_unit_test(rows_of_windows_select_as_single_windows_do),
      cmocka_unit_test(windows_of_padding_select_nothing),
      cmocka_unit_test(errors_of_a_body_are_returned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
