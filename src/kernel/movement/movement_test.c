// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/testing_kernel.h"

// --- one strided copy each

static void reshape_copies_or_leaves_in_place(void** state) {
  (void)state;
  for (int in_place = 0; in_place < 2; ++in_place) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.reshape");
    tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(2, 2), (int16_t[]){1, 2, 3, 4});
    tn__case_result(&c, TN_DTYPE_S16, TN_DIMS(4));
    c.in_place = in_place;
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, int16_t, 1, 2, 3, 4);
    tn__case_end(&c);
  }
}

static void broadcast_in_dim_repeats_dimensions_of_one(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.broadcast_in_dim");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(1, 3), (int32_t[]){1, 2, 3});
  tn__case_list(&c, "broadcast_dimensions", 2, (int64_t[]){2, 1});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3);
  tn__case_end(&c);
}

static void broadcast_in_dim_spreads_scalars_of_every_size(void** state) {
  (void)state;
  const struct {
    tn_dtype_t dtype;
    const char* bytes;
  } rows[] = {{TN_DTYPE_S8, "a"},
              {TN_DTYPE_BF16, "ab"},
              {TN_DTYPE_F32, "abcd"},
              {TN_DTYPE_C64, "abcdefgh"},
              {TN_DTYPE_C128, "abcdefghijklmnop"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.broadcast_in_dim");
    tn__case_operand(&c, rows[i].dtype, TN_SCALAR, rows[i].bytes);
    tn__case_list(&c, "broadcast_dimensions", 0, NULL);
    tn__case_result(&c, rows[i].dtype, TN_DIMS(5, 7));
    TN_ASSERT_OK(tn__case_run(&c));
    const size_t size = tn_dtype_byte_size(rows[i].dtype);
    for (size_t k = 0; k < 35; ++k) {
      assert_memory_equal((char*)c.results[0] + k * size, rows[i].bytes, size);
    }
    tn__case_end(&c);
  }
}

static void broadcast_puts_new_dimensions_first(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.broadcast");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2), (int32_t[]){1, 2});
  tn__case_list(&c, "broadcast_sizes", 1, (int64_t[]){3});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(3, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 1, 2, 1, 2, 1, 2);
  tn__case_end(&c);
}

static void transpose_permutes_dimensions(void** state) {
  (void)state;
  int32_t source[24], wanted[24];
  for (int i = 0; i < 24; ++i) source[i] = i;
  // result[k][i][j] = operand[i][j][k]
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) wanted[k * 6 + i * 3 + j] = source[i * 12 + j * 4 + k];
    }
  }
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.transpose");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3, 4), source);
  tn__case_list(&c, "permutation", 3, (int64_t[]){2, 0, 1});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(4, 2, 3));
  TN_ASSERT_OK(tn__case_run(&c));
  assert_memory_equal(c.results[0], wanted, sizeof wanted);
  tn__case_end(&c);
}

static void reverse_turns_each_listed_dimension(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.reverse");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3), (int32_t[]){1, 2, 3, 4, 5, 6});
  tn__case_list(&c, "dimensions", 2, (int64_t[]){1, 0});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 6, 5, 4, 3, 2, 1);
  tn__case_end(&c);
}

static void slice_takes_steps(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.slice");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 6),
                   (int32_t[]){0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
  tn__case_list(&c, "start_indices", 2, (int64_t[]){1, 1});
  tn__case_list(&c, "limit_indices", 2, (int64_t[]){2, 6});
  tn__case_list(&c, "strides", 2, (int64_t[]){INT64_MAX, 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(1, 3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 11, 13, 15);
  tn__case_end(&c);
}

static void slice_of_nothing_is_nothing(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.slice");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3), (int32_t[]){0, 1, 2});
  tn__case_list(&c, "start_indices", 1, (int64_t[]){3});
  tn__case_list(&c, "limit_indices", 1, (int64_t[]){3});
  tn__case_list(&c, "strides", 1, (int64_t[]){1});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(0));
  TN_ASSERT_OK(tn__case_run(&c));
  tn__case_end(&c);
}

// --- concatenate

static void concatenate_joins_along_an_inner_dimension(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.concatenate");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 1), (int32_t[]){1, 2});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 0), NULL);
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2), (int32_t[]){3, 4, 5, 6});
  tn__case_integer(&c, "dimension", 1);
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 1, 3, 4, 2, 5, 6);
  tn__case_end(&c);
}

// As indices are made, of rows and of columns.
static void concatenate_takes_two_columns_by_turns(void** state) {
  (void)state;
  enum { COUNT = 37 };
  const tn_dtype_t dtypes[] = {TN_DTYPE_S8, TN_DTYPE_BF16, TN_DTYPE_S32, TN_DTYPE_S64,
                               TN_DTYPE_C128};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
    const size_t size = tn_dtype_byte_size(dtypes[d]);
    uint8_t a[COUNT * 16], b[COUNT * 16];
    for (size_t i = 0; i < sizeof a; ++i) a[i] = (uint8_t)(i % 127);
    for (size_t i = 0; i < sizeof b; ++i) b[i] = (uint8_t)(i % 121 + 128);
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.concatenate");
    tn__case_operand(&c, dtypes[d], TN_DIMS(COUNT, 1, 1), a);
    tn__case_operand(&c, dtypes[d], TN_DIMS(COUNT, 1, 1), b);
    tn__case_integer(&c, "dimension", 1);
    tn__case_result(&c, dtypes[d], TN_DIMS(COUNT, 2, 1));
    TN_ASSERT_OK(tn__case_run(&c));
    const char* got = c.results[0];
    for (size_t i = 0; i < COUNT; ++i) {
      assert_memory_equal(got + 2 * i * size, a + i * size, size);
      assert_memory_equal(got + (2 * i + 1) * size, b + i * size, size);
    }
    tn__case_end(&c);
  }
}

// --- pad

static void run_pad(int64_t count, int64_t low, int64_t high, int64_t interior, int64_t result,
                    const int32_t* wanted) {
  int32_t source[8];
  for (int i = 0; i < 8; ++i) source[i] = i + 1;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.pad");
  tn__case_operand(&c, TN_DTYPE_S32, 1, &count, source);
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){-1});
  tn__case_list(&c, "edge_padding_low", 1, &low);
  tn__case_list(&c, "edge_padding_high", 1, &high);
  tn__case_list(&c, "interior_padding", 1, &interior);
  tn__case_result(&c, TN_DTYPE_S32, 1, &result);
  TN_ASSERT_OK(tn__case_run(&c));
  assert_memory_equal(c.results[0], wanted, (size_t)result * sizeof *wanted);
  tn__case_end(&c);
}

static void pad_puts_the_value_around_and_between(void** state) {
  (void)state;
  run_pad(3, 1, 2, 0, 6, (int32_t[]){-1, 1, 2, 3, -1, -1});
  run_pad(3, 1, 0, 2, 8, (int32_t[]){-1, 1, -1, -1, 2, -1, -1, 3});
}

static void pad_with_negative_edges_cuts(void** state) {
  (void)state;
  run_pad(4, -1, -1, 0, 2, (int32_t[]){2, 3});
  // The cut goes through what interior padding has spread: 1 . . 2 . . 3
  run_pad(3, -1, -1, 2, 5, (int32_t[]){-1, -1, 2, -1, -1});
  run_pad(3, -3, -1, 2, 3, (int32_t[]){2, -1, -1});
}

static void pad_may_cut_everything_away(void** state) {
  (void)state;
  run_pad(2, -2, 3, 0, 3, (int32_t[]){-1, -1, -1});
  run_pad(2, -5, 6, 0, 3, (int32_t[]){-1, -1, -1});
  run_pad(2, 5, -4, 0, 3, (int32_t[]){-1, -1, -1});
  run_pad(0, 2, 1, 4, 3, (int32_t[]){-1, -1, -1});
  run_pad(2, -1, -1, 0, 0, NULL);
  run_pad(1, -3, 3, INT64_MAX, 1, (int32_t[]){-1});
}

static void pad_works_in_two_dimensions(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.pad");
  tn__case_operand(&c, TN_DTYPE_S8, TN_DIMS(2, 2), (int8_t[]){1, 2, 3, 4});
  tn__case_operand(&c, TN_DTYPE_S8, TN_SCALAR, (int8_t[]){9});
  tn__case_list(&c, "edge_padding_low", 2, (int64_t[]){-1, 1});
  tn__case_list(&c, "edge_padding_high", 2, (int64_t[]){1, 0});
  tn__case_list(&c, "interior_padding", 2, (int64_t[]){0, 1});
  tn__case_result(&c, TN_DTYPE_S8, TN_DIMS(2, 4));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int8_t, 9, 3, 9, 4, 9, 9, 9, 9);
  tn__case_end(&c);
}

// --- dynamic slices

static void run_dynamic_slice(tn_dtype_t dtype, const void* i, const void* j, int32_t first) {
  int32_t source[12];
  for (int k = 0; k < 12; ++k) source[k] = k;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dynamic_slice");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3, 4), source);
  tn__case_operand(&c, dtype, TN_SCALAR, i);
  tn__case_operand(&c, dtype, TN_SCALAR, j);
  tn__case_list(&c, "slice_sizes", 2, (int64_t[]){2, 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, first, first + 1, first + 4, first + 5);
  tn__case_end(&c);
}

static void dynamic_slice_clamps_indices_of_every_type(void** state) {
  (void)state;
  run_dynamic_slice(TN_DTYPE_S32, (int32_t[]){1}, (int32_t[]){1}, 5);
  run_dynamic_slice(TN_DTYPE_S32, (int32_t[]){-1}, (int32_t[]){INT32_MIN}, 0);
  run_dynamic_slice(TN_DTYPE_S64, (int64_t[]){INT64_MAX}, (int64_t[]){3}, 6);
  run_dynamic_slice(TN_DTYPE_U64, (uint64_t[]){UINT64_MAX}, (uint64_t[]){1u << 31}, 6);
  run_dynamic_slice(TN_DTYPE_U32, (uint32_t[]){UINT32_MAX}, (uint32_t[]){0}, 4);
  run_dynamic_slice(TN_DTYPE_S8, (int8_t[]){-128}, (int8_t[]){127}, 2);
  run_dynamic_slice(TN_DTYPE_U8, (uint8_t[]){255}, (uint8_t[]){1}, 5);
  run_dynamic_slice(TN_DTYPE_S16, (int16_t[]){-2}, (int16_t[]){1}, 1);
  run_dynamic_slice(TN_DTYPE_U16, (uint16_t[]){65535}, (uint16_t[]){0}, 4);
}

static void dynamic_update_slice_writes_a_window(void** state) {
  (void)state;
  for (int in_place = 0; in_place < 2; ++in_place) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.dynamic_update_slice");
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3), (int32_t[]){1, 2, 3, 4, 5, 6});
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 1), (int32_t[]){10, 20});
    tn__case_operand(&c, TN_DTYPE_S64, TN_SCALAR, (int64_t[]){7});
    tn__case_operand(&c, TN_DTYPE_S64, TN_SCALAR, (int64_t[]){1});
    tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
    c.in_place = in_place;
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, int32_t, 1, 10, 3, 4, 20, 6);
    tn__case_end(&c);
  }
}

static void dynamic_update_slice_with_nothing_copies(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dynamic_update_slice");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2), (int32_t[]){1, 2});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(0), NULL);
  tn__case_operand(&c, TN_DTYPE_S64, TN_SCALAR, (int64_t[]){1});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 1, 2);
  tn__case_end(&c);
}

static void dynamic_slices_of_scalars_need_no_indices(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.dynamic_slice");
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){7});
  tn__case_list(&c, "slice_sizes", 0, NULL);
  tn__case_result(&c, TN_DTYPE_S32, TN_SCALAR);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 7);
  tn__case_end(&c);
  tn__case_begin(&c, "stablehlo.dynamic_update_slice");
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){7});
  tn__case_operand(&c, TN_DTYPE_S32, TN_SCALAR, (int32_t[]){8});
  tn__case_result(&c, TN_DTYPE_S32, TN_SCALAR);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 8);
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reshape_copies_or_leaves_in_place),
      cmocka_unit_test(broadcast_in_dim_repeats_dimensions_of_one),
      cmocka_unit_test(broadcast_in_dim_spreads_scalars_of_every_size),
      cmocka_unit_test(broadcast_puts_new_dimensions_first),
      cmocka_unit_test(transpose_permutes_dimensions),
      cmocka_unit_test(reverse_turns_each_listed_dimension),
      cmocka_unit_test(slice_takes_steps),
      cmocka_unit_test(slice_of_nothing_is_nothing),
      cmocka_unit_test(concatenate_joins_along_an_inner_dimension),
      cmocka_unit_test(concatenate_takes_two_columns_by_turns),
      cmocka_unit_test(pad_puts_the_value_around_and_between),
      cmocka_unit_test(pad_with_negative_edges_cuts),
      cmocka_unit_test(pad_may_cut_everything_away),
      cmocka_unit_test(pad_works_in_two_dimensions),
      cmocka_unit_test(dynamic_slice_clamps_indices_of_every_type),
      cmocka_unit_test(dynamic_update_slice_writes_a_window),
      cmocka_unit_test(dynamic_update_slice_with_nothing_copies),
      cmocka_unit_test(dynamic_slices_of_scalars_need_no_indices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
