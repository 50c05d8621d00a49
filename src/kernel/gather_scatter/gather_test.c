// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/testing_kernel.h"

typedef struct numbers {
  size_t offset_count, collapsed_count, batching_count, map_count;
  const int64_t *offset, *collapsed, *batching, *index_batching, *map;
  int64_t index_vector_dim;
} numbers_t;

static void add_numbers(tn_case_t* c, const numbers_t* n, size_t rank, const int64_t* sizes) {
  const size_t first = c->attr_count;
  tn__case_list(c, "offset_dims", n->offset_count, n->offset);
  tn__case_list(c, "collapsed_slice_dims", n->collapsed_count, n->collapsed);
  tn__case_list(c, "operand_batching_dims", n->batching_count, n->batching);
  tn__case_list(c, "start_indices_batching_dims", n->batching_count, n->index_batching);
  tn__case_list(c, "start_index_map", n->map_count, n->map);
  tn__case_integer(c, "index_vector_dim", n->index_vector_dim);
  tn__case_struct(c, "dimension_numbers", "gather", first);
  tn__case_list(c, "slice_sizes", rank, sizes);
}

static void gather_takes_rows_and_clamps(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.gather");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3, 2), (int32_t[]){0, 1, 10, 11, 20, 21});
  tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(4, 1), (int64_t[]){2, -5, 1, INT64_MAX});
  add_numbers(&c,
              &(numbers_t){.offset_count = 1,
                           .offset = (int64_t[]){1},
                           .collapsed_count = 1,
                           .collapsed = (int64_t[]){0},
                           .map_count = 1,
                           .map = (int64_t[]){0},
                           .index_vector_dim = 1},
              2, (int64_t[]){1, 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(4, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 20, 21, 0, 1, 10, 11, 20, 21);
  tn__case_end(&c);
}

static void gather_takes_columns(void** state) {
  (void)state;
  // 40 positions: enough to be done column by column.
  int32_t operand[3 * 50];
  int64_t indices[40];
  for (int i = 0; i < 150; ++i) operand[i] = i;
  for (int i = 0; i < 40; ++i) indices[i] = (i * 7) % 50;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.gather");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3, 50), operand);
  tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(40), indices);
  add_numbers(&c,
              &(numbers_t){.offset_count = 1,
                           .offset = (int64_t[]){0},
                           .collapsed_count = 1,
                           .collapsed = (int64_t[]){1},
                           .map_count = 1,
                           .map = (int64_t[]){1},
                           .index_vector_dim = 1},
              2, (int64_t[]){3, 1});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(3, 40));
  TN_ASSERT_OK(tn__case_run(&c));
  const int32_t* result = c.results[0];
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < 40; ++i) assert_int_equal(result[r * 40 + i], r * 50 + indices[i]);
  }
  tn__case_end(&c);
}

static void gather_starts_the_window_where_the_map_says(void** state) {
  (void)state;
  // Two coordinates in the order (column, row), windows of 2x2, the vector in dimension 0.
  int32_t operand[12];
  for (int i = 0; i < 12; ++i) operand[i] = i;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.gather");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3, 4), operand);
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2), (int32_t[]){1, 9, 0, 1});
  add_numbers(&c,
              &(numbers_t){.offset_count = 2,
                           .offset = (int64_t[]){0, 2},
                           .map_count = 2,
                           .map = (int64_t[]){1, 0},
                           .index_vector_dim = 0},
              2, (int64_t[]){2, 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 2, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  // Window 0 at row 0, column 1; window 1 at row 1, column 9 -> 2.
  TN_ASSERT_RESULT(&c, int32_t, 1, 2, 6, 7, 5, 6, 10, 11);
  tn__case_end(&c);
}

static void gather_follows_batching_dimensions(void** state) {
  (void)state;
  // Batching: operand dimension 1 goes with dimension 0 of the indices.
  int32_t operand[2 * 3 * 2];
  for (int i = 0; i < 12; ++i) operand[i] = i;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.gather");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3, 2), operand);
  tn__case_operand(&c, TN_DTYPE_U8, TN_DIMS(3, 2, 1), (uint8_t[]){0, 1, 1, 200, 0, 0});
  add_numbers(&c,
              &(numbers_t){.offset_count = 1,
                           .offset = (int64_t[]){2},
                           .collapsed_count = 1,
                           .collapsed = (int64_t[]){0},
                           .batching_count = 1,
                           .batching = (int64_t[]){1},
                           .index_batching = (int64_t[]){0},
                           .map_count = 1,
                           .map = (int64_t[]){0},
                           .index_vector_dim = 2},
              3, (int64_t[]){1, 1, 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(3, 2, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 0, 1, 6, 7, 8, 9, 8, 9, 4, 5, 4, 5);
  tn__case_end(&c);
}

// take_along_axis: runs of single elements, each in a row of its own.
static void gather_takes_elements_along_an_axis(void** state) {
  (void)state;
  int32_t operand[2 * 2 * 5];
  for (int i = 0; i < 20; ++i) operand[i] = i;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.gather");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2, 5), operand);
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2, 3, 1),
                   (int32_t[]){0, 4, 2, -7, 9, 1, 3, 3, 3, 4, 0, 0});
  add_numbers(&c,
              &(numbers_t){.collapsed_count = 1,
                           .collapsed = (int64_t[]){2},
                           .batching_count = 2,
                           .batching = (int64_t[]){0, 1},
                           .index_batching = (int64_t[]){0, 1},
                           .map_count = 1,
                           .map = (int64_t[]){2},
                           .index_vector_dim = 3},
              3, (int64_t[]){1, 1, 1});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 2, 3));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 0, 4, 2, 5, 9, 6, 13, 13, 13, 19, 15, 15);
  tn__case_end(&c);
}

static void gather_takes_elements_at_indices_of_any_type(void** state) {
  (void)state;
  enum { COUNT = 5 };
  const struct {
    tn_dtype_t dtype;
    const void* indices;
  } cases[] = {
      {TN_DTYPE_S8, (int8_t[]){2, -1, 3, 127, INT8_MIN}},
      {TN_DTYPE_U16, (uint16_t[]){2, 0, 3, UINT16_MAX, 0}},
      {TN_DTYPE_S32, (int32_t[]){2, -1, 3, INT32_MAX, INT32_MIN}},
      {TN_DTYPE_U32, (uint32_t[]){2, 0, 3, UINT32_MAX, 0}},
      {TN_DTYPE_S64, (int64_t[]){2, -1, 3, INT64_MAX, INT64_MIN}},
      {TN_DTYPE_U64, (uint64_t[]){2, 0, 3, UINT64_MAX, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.gather");
    tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(4), (int16_t[]){10, 11, 12, 13});
    tn__case_operand(&c, cases[i].dtype, TN_DIMS(COUNT, 1), cases[i].indices);
    add_numbers(&c,
                &(numbers_t){.offset_count = 1,
                             .offset = (int64_t[]){1},
                             .map_count = 1,
                             .map = (int64_t[]){0},
                             .index_vector_dim = 1},
                1, (int64_t[]){1});
    tn__case_result(&c, TN_DTYPE_S16, TN_DIMS(COUNT, 1));
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, int16_t, 12, 10, 13, 13, 10);
    tn__case_end(&c);
  }
}

// Of a row of each of three matrices, or down their columns.
static void gather_takes_many_elements_of_every_size(void** state) {
  (void)state;
  enum { BATCH = 3, LIMIT = 37, COUNT = 601 };
  const tn_dtype_t dtypes[] = {TN_DTYPE_S8, TN_DTYPE_BF16, TN_DTYPE_F32, TN_DTYPE_S64,
                               TN_DTYPE_C128};
  const int64_t zero = 0, one = 1;
  static char operand[BATCH * LIMIT * 16];
  static int32_t indices[BATCH * COUNT];
  for (size_t i = 0; i < sizeof operand; ++i) operand[i] = (char)(i * 7919 % 251);
  for (int i = 0; i < BATCH * COUNT; ++i) indices[i] = i * 104729 % (LIMIT + 8) - 4;
  for (size_t k = 0; k < 2 * sizeof dtypes / sizeof *dtypes; ++k) {
    const tn_dtype_t dtype = dtypes[k / 2];
    const bool is_column = k % 2;
    const size_t size = tn_dtype_byte_size(dtype);
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.gather");
    if (is_column) {
      tn__case_operand(&c, dtype, TN_DIMS(LIMIT, BATCH), operand);
    } else {
      tn__case_operand(&c, dtype, TN_DIMS(BATCH, LIMIT), operand);
    }
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(BATCH, COUNT, 1), indices);
    add_numbers(&c,
                &(numbers_t){.collapsed_count = 1,
                             .collapsed = is_column ? &zero : &one,
                             .batching_count = 1,
                             .batching = is_column ? &one : &zero,
                             .index_batching = &zero,
                             .map_count = 1,
                             .map = is_column ? &zero : &one,
                             .index_vector_dim = 2},
                2, (int64_t[]){1, 1});
    tn__case_result(&c, dtype, TN_DIMS(BATCH, COUNT));
    TN_ASSERT_OK(
        tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &c.pool));
    TN_ASSERT_OK(tn__case_run(&c));
    for (int64_t i = 0; i < BATCH * COUNT; ++i) {
      const int64_t row = i / COUNT;
      const int64_t start = indices[i] < 0 ? 0 : indices[i] >= LIMIT ? LIMIT - 1 : indices[i];
      const int64_t place = is_column ? start * BATCH + row : row * LIMIT + start;
      assert_memory_equal((const char*)c.results[0] + (size_t)i * size,
                          operand + (size_t)place * size, size);
    }
    tn__pool_release(c.pool);
    tn__case_end(&c);
  }
}

static void gather_without_batch_is_a_dynamic_slice(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.gather");
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(4), (double[]){1, 2, 3, 4});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(1), (int32_t[]){1});
  add_numbers(&c,
              &(numbers_t){.offset_count = 1,
                           .offset = (int64_t[]){0},
                           .map_count = 1,
                           .map = (int64_t[]){0},
                           .index_vector_dim = 0},
              1, (int64_t[]){2});
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(2));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, double, 2, 3);
  tn__case_end(&c);
}

static void gather_of_empty_slices_reads_nothing(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.gather");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(0, 2), NULL);
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 1), (int32_t[]){1, 0});
  add_numbers(&c,
              &(numbers_t){.offset_count = 2,
                           .offset = (int64_t[]){1, 2},
                           .map_count = 1,
                           .map = (int64_t[]){0},
                           .index_vector_dim = 1},
              2, (int64_t[]){0, 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 0, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gather_takes_rows_and_clamps),
      cmocka_unit_test(gather_takes_columns),
      cmocka_unit_test(gather_starts_the_window_where_the_map_says),
      cmocka_unit_test(gather_follows_batching_dimensions),
      cmocka_unit_test(gather_takes_elements_along_an_axis),
      cmocka_unit_test(gather_takes_elements_at_indices_of_any_type),
      cmocka_unit_test(gather_takes_many_elements_of_every_size),
      cmocka_unit_test(gather_without_batch_is_a_dynamic_slice),
      cmocka_unit_test(gather_of_empty_slices_reads_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
