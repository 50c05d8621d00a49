// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/movement/dynamic.h"

#include "kernel/testing_kernel.h"

static const int32_t numbers[] = {1, 2, 3, 4, 5, 6};

static void refuse(tn_case_t* c, const char* message) {
  tn_status_t status = tn__case_run(c);
  assert_int_equal(tn_status_code(status), TN_CODE_INVALID_ARGUMENT);
  assert_string_equal(tn_status_message(status), message);
  tn_status_release(status);
  tn__case_end(c);
}

static void a_shape_other_than_the_results_is_refused(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dynamic_iota");
  tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(2), (const int64_t[]){2, 4});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
  tn__case_integer(&c, "iota_dimension", 1);
  refuse(&c,
         "dynamic_iota: the shape operand has 4 for dimension 1; expected 3, as in the result's "
         "type tensor<2x3xi32>");
  tn__case_begin(&c, "stablehlo.dynamic_reshape");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3), numbers);
  tn__case_operand(&c, TN_DTYPE_U64, TN_DIMS(1), (const uint64_t[]){UINT64_MAX});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(6));
  refuse(&c,
         "dynamic_reshape: the shape operand has 9223372036854775807 for dimension 0; expected 6, "
         "as in the result's type tensor<6xi32>");
}

static void begin_slice(tn_case_t* c, int64_t start, int64_t limit, int64_t stride) {
  tn__case_begin(c, "stablehlo.real_dynamic_slice");
  tn__case_operand(c, TN_DTYPE_S32, TN_DIMS(6), numbers);
  tn__case_operand(c, TN_DTYPE_S64, TN_DIMS(1), &start);
  tn__case_operand(c, TN_DTYPE_S64, TN_DIMS(1), &limit);
  tn__case_operand(c, TN_DTYPE_S64, TN_DIMS(1), &stride);
  tn__case_result(c, TN_DTYPE_S32, TN_DIMS(3));
}

static void slices_are_taken_where_the_operands_say(void** state) {
  (void)state;
  const struct {
    int64_t start, limit, stride;
    int32_t wanted[3];
  } cases[] = {
      {0, 3, 1, {1, 2, 3}}, {3, 6, 1, {4, 5, 6}}, {1, 6, 2, {2, 4, 6}}, {0, 5, 2, {1, 3, 5}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_case_t c;
    begin_slice(&c, cases[i].start, cases[i].limit, cases[i].stride);
    TN_ASSERT_OK(tn__case_run(&c));
    assert_memory_equal(c.results[0], cases[i].wanted, sizeof cases[i].wanted);
    tn__case_end(&c);
  }
}

static void bounds_that_are_out_of_range_are_refused(void** state) {
  (void)state;
  tn_case_t c;
  begin_slice(&c, 4, 7, 1);
  refuse(
      &c,
      "real_dynamic_slice: slice (C3): dimension 0 is cut from 4 to 7; expected a range within 0 "
      "to 6");
  begin_slice(&c, -1, 2, 1);
  refuse(&c,
         "real_dynamic_slice: slice (C3): dimension 0 is cut from -1 to 2; expected a range within "
         "0 to 6");
  begin_slice(&c, 0, 3, 0);
  refuse(&c, "real_dynamic_slice: slice (C4): strides is [0]; expected entries of at least 1");
  begin_slice(&c, 0, 3, -1);
  refuse(&c, "real_dynamic_slice: slice (C4): strides is [-1]; expected entries of at least 1");
  begin_slice(&c, 0, 2, 1);
  refuse(&c,
         "real_dynamic_slice: slice (C5): result has type tensor<3xi32>; expected tensor<2xi32>");
}

static void amounts_of_padding_that_do_not_fit_are_refused(void** state) {
  (void)state;
  const struct {
    int64_t low, high, interior;
  } cases[] = {
      {0, 0, -1}, {1, 0, 0}, {INT64_MAX, 1, 0}, {INT64_MIN, INT64_MIN, 0}, {0, 0, INT64_MAX}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_case_t c;
    const int32_t value = 0;
    tn__case_begin(&c, "stablehlo.dynamic_pad");
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(6), numbers);
    tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, &value);
    tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(1), &cases[i].low);
    tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(1), &cases[i].high);
    tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(1), &cases[i].interior);
    tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(6));
    tn_status_t status = tn__case_run(&c);
    assert_int_equal(tn_status_code(status), TN_CODE_INVALID_ARGUMENT);
    tn_status_release(status);
    tn__case_end(&c);
  }
}

static void sizes_of_slices_that_do_not_fit_are_refused(void** state) {
  (void)state;
  static const struct {
    int64_t sizes[2];
    const char* report;
  } cases[] = {
      {{2, 3}, "dynamic_gather: gather (C9)"},  // the first is collapsed
      {{0, 3}, "dynamic_gather: gather: slice_sizes is [0, 3]; expected 1 for dimension 0"},
      {{1, 4}, "dynamic_gather: gather (C21)"},
      {{1, -1}, "dynamic_gather: gather (C21)"},
      {{1, 2}, "dynamic_gather: gather (C22)"},
  };
  static const int64_t offsets[] = {1}, collapsed[] = {0}, map[] = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_case_t c;
    const int32_t starts[] = {0, 1};
    tn__case_begin(&c, "stablehlo.dynamic_gather");
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3), numbers);
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2), starts);
    tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(2), cases[i].sizes);
    tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
    tn__case_list(&c, "offset_dims", 1, offsets);
    tn__case_list(&c, "collapsed_slice_dims", 1, collapsed);
    tn__case_list(&c, "start_index_map", 1, map);
    tn__case_integer(&c, "index_vector_dim", 1);
    tn__case_struct(&c, "dimension_numbers", "gather", 0);
    tn_status_t status = tn__case_run(&c);
    assert_int_equal(tn_status_code(status), TN_CODE_INVALID_ARGUMENT);
    if (!strstr(tn_status_message(status), cases[i].report)) {
      fail_msg("expected %s: %s", cases[i].report, tn_status_message(status));
    }
    tn_status_release(status);
    tn__case_end(&c);
  }
}

static void a_size_other_than_the_results_is_refused(void** state) {
  (void)state;
  static const int32_t sizes[] = {-1, 0, 3, 7};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.set_dimension_size");
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(6), numbers);
    tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, &sizes[i]);
    tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2));
    tn__case_integer(&c, "dimension", 0);
    tn_status_t status = tn__case_run(&c);
    assert_int_equal(tn_status_code(status), TN_CODE_INVALID_ARGUMENT);
    tn_status_release(status);
    tn__case_end(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shape_other_than_the_results_is_refused),
      cmocka_unit_test(slices_are_taken_where_the_operands_say),
      cmocka_unit_test(bounds_that_are_out_of_range_are_refused),
      cmocka_unit_test(amounts_of_padding_that_do_not_fit_are_refused),
      cmocka_unit_test(sizes_of_slices_that_do_not_fit_are_refused),
      cmocka_unit_test(a_size_other_than_the_results_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
