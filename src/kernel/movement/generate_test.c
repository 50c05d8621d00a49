// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/testing_kernel.h"

static void iota_counts_along_its_dimension(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.iota");
  tn__case_integer(&c, "iota_dimension", 0);
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(3, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, float, 0, 0, 1, 1, 2, 2);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.iota");
  tn__case_integer(&c, "iota_dimension", 1);
  tn__case_result(&c, TN_DTYPE_S64, TN_DIMS(2, 3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int64_t, 0, 1, 2, 0, 1, 2);
  tn__case_end(&c);
}

static void iota_of_complex_numbers_is_real(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.iota");
  tn__case_integer(&c, "iota_dimension", 0);
  tn__case_result(&c, TN_DTYPE_C64, TN_DIMS(3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, float, 0, 0, 1, 0, 2, 0);
  tn__case_end(&c);
}

static void iota_wraps_in_narrow_integers(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.iota");
  tn__case_integer(&c, "iota_dimension", 0);
  tn__case_result(&c, TN_DTYPE_S8, TN_DIMS(300));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int i = 0; i < 300; ++i) assert_int_equal(((int8_t*)c.results[0])[i], (int8_t)i);
  tn__case_end(&c);
}

static void iota_is_whole_across_chunks_and_threads(void** state) {
  (void)state;
  enum { COUNT = 100003 };
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.iota");
  tn__case_integer(&c, "iota_dimension", 0);
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(COUNT));
  TN_ASSERT_OK(tn__pool_create(NULL, tn_allocator_system(), &c.pool));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int i = 0; i < COUNT; ++i) assert_int_equal(((int32_t*)c.results[0])[i], i);
  tn__pool_release(c.pool);
  tn__case_end(&c);
}

static void iota_of_nothing_writes_nothing(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.iota");
  tn__case_integer(&c, "iota_dimension", 1);
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(0, 4));
  TN_ASSERT_OK(tn__case_run(&c));
  tn__case_end(&c);
}

static void dimension_sizes_are_numbers(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.get_dimension_size");
  tn__case_operand(&c, TN_DTYPE_S8, TN_DIMS(2, 0), NULL);
  tn__case_integer(&c, "dimension", 0);
  tn__case_result(&c, TN_DTYPE_S32, TN_SCALAR);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 2);
  tn__case_end(&c);
}

static void this_process_is_number_0(void** state) {
  (void)state;
  const char* const names[] = {"stablehlo.replica_id", "stablehlo.partition_id"};
  for (size_t i = 0; i < 2; ++i) {
    tn_case_t c;
    tn__case_begin(&c, names[i]);
    tn__case_result(&c, TN_DTYPE_U32, TN_SCALAR);
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, uint32_t, 0);
    tn__case_end(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iota_counts_along_its_dimension),
      cmocka_unit_test(iota_of_complex_numbers_is_real),
      cmocka_unit_test(iota_wraps_in_narrow_integers),
      cmocka_unit_test(iota_is_whole_across_chunks_and_threads),
      cmocka_unit_test(iota_of_nothing_writes_nothing),
      cmocka_unit_test(dimension_sizes_are_numbers),
      cmocka_unit_test(this_process_is_number_0),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
