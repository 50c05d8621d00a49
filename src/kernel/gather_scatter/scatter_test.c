// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdlib.h>

#include "kernel/testing_kernel.h"

typedef struct numbers {
  size_t window_count, inserted_count, batching_count, map_count;
  const int64_t *window, *inserted, *batching, *index_batching, *map;
  int64_t index_vector_dim;
} numbers_t;

static void add_numbers(tn_case_t* c, const numbers_t* n) {
  const size_t first = c->attr_count;
  tn__case_list(c, "update_window_dims", n->window_count, n->window);
  tn__case_list(c, "inserted_window_dims", n->inserted_count, n->inserted);
  tn__case_list(c, "input_batching_dims", n->batching_count, n->batching);
  tn__case_list(c, "scatter_indices_batching_dims", n->batching_count, n->index_batching);
  tn__case_list(c, "scatter_dims_to_operand_dims", n->map_count, n->map);
  tn__case_integer(c, "index_vector_dim", n->index_vector_dim);
  tn__case_struct(c, "scatter_dimension_numbers", "scatter", first);
}

static const int64_t zero = 0, one = 1, both[] = {0, 1};
static const numbers_t elements = {
    .inserted_count = 1, .inserted = &zero, .map_count = 1, .map = &zero, .index_vector_dim = 1};
static const numbers_t rows = {.window_count = 1,
                               .window = &one,
                               .inserted_count = 1,
                               .inserted = &zero,
                               .map_count = 1,
                               .map = &zero,
                               .index_vector_dim = 1};

static void scatter_adds_repeated_elements(void** state) {
  (void)state;
  for (int in_place = 0; in_place < 2; ++in_place) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.scatter");
    tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(4), (float[]){1, 2, 3, 4});
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(5), (int32_t[]){1, 3, 1, -1, 4});
    tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(5), (float[]){10, 20, 30, 40, 50});
    add_numbers(&c, &elements);
    tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(4));
    tn__case_binary_body(&c, "stablehlo.add");
    c.in_place = in_place;
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, float, 1, 42, 3, 24);
    tn__case_end(&c);
  }
}

static void the_last_update_is_the_one_that_stays(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(3, 2), (int16_t[]){0, 0, 0, 0, 0, 0});
  tn__case_operand(&c, TN_DTYPE_U64, TN_DIMS(4, 1), (uint64_t[]){2, 0, 2, UINT64_MAX});
  tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(4, 2), (int16_t[]){1, 2, 3, 4, 5, 6, 7, 8});
  add_numbers(&c, &rows);
  tn__case_result(&c, TN_DTYPE_S16, TN_DIMS(3, 2));
  tn__case_forwarding_body(&c, 1);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int16_t, 3, 4, 0, 0, 5, 6);
  tn__case_end(&c);
}

static void bodies_that_return_the_old_value_change_nothing(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(2), (int16_t[]){1, 2});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(1, 1), (int32_t[]){0});
  tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(1), (int16_t[]){9});
  add_numbers(&c, &elements);
  tn__case_result(&c, TN_DTYPE_S16, TN_DIMS(2));
  tn__case_forwarding_body(&c, 0);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int16_t, 1, 2);
  tn__case_end(&c);
}

// A 2x2 window into 3x3 zeros, at (row, column).
static void scatter_window(int64_t row, int64_t column, const char* op, const int32_t* wanted) {
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3, 3), (int32_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0});
  tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(2), (int64_t[]){column, row});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2), (int32_t[]){1, 2, 3, 4});
  add_numbers(&c, &(numbers_t){.window_count = 2,
                               .window = both,
                               .map_count = 2,
                               .map = (int64_t[]){1, 0},
                               .index_vector_dim = 0});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(3, 3));
  if (op) {
    tn__case_binary_body(&c, op);
  } else {
    tn__case_forwarding_body(&c, 1);
  }
  TN_ASSERT_OK(tn__case_run(&c));
  assert_memory_equal(c.results[0], wanted, 36);
  tn__case_end(&c);
}

static void windows_are_cut_at_the_edges(void** state) {
  (void)state;
  static const char* const ops[] = {NULL, "stablehlo.add", "stablehlo.maximum"};
  for (size_t i = 0; i < 3; ++i) {
    scatter_window(0, 1, ops[i], (int32_t[]){0, 1, 2, 0, 3, 4, 0, 0, 0});
    scatter_window(2, 1, ops[i], (int32_t[]){0, 0, 0, 0, 0, 0, 0, 1, 2});
    scatter_window(-1, -1, ops[i], (int32_t[]){4, 0, 0, 0, 0, 0, 0, 0, 0});
    scatter_window(1, 2, ops[i], (int32_t[]){0, 0, 0, 0, 0, 1, 0, 0, 3});
    scatter_window(3, 0, ops[i], (int32_t[9]){0});
    scatter_window(INT64_MIN, 0, ops[i], (int32_t[9]){0});
    scatter_window(0, INT64_MAX, ops[i], (int32_t[9]){0});
  }
}

static void window_dimensions_may_come_first(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3), (int32_t[]){0, 0, 0, 0, 0, 0});
  tn__case_operand(&c, TN_DTYPE_U8, TN_DIMS(2), (uint8_t[]){2, 0});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2), (int32_t[]){1, 2, 3, 4});
  add_numbers(&c, &(numbers_t){.window_count = 1,
                               .window = &zero,
                               .inserted_count = 1,
                               .inserted = &one,
                               .map_count = 1,
                               .map = &one,
                               .index_vector_dim = 1});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
  tn__case_forwarding_body(&c, 1);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 2, 0, 1, 4, 0, 3);
  tn__case_end(&c);
}

static void scatter_follows_batching_dimensions(void** state) {
  (void)state;
  // Dimension 0 of the input goes with dimension 1 of the indices.
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 3), (int32_t[]){0, 0, 0, 0, 0, 0});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2, 1), (int32_t[]){0, 1, 2, 1});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2, 2), (int32_t[]){1, 2, 3, 4});
  add_numbers(&c, &(numbers_t){.inserted_count = 1,
                               .inserted = &one,
                               .batching_count = 1,
                               .batching = &zero,
                               .index_batching = &one,
                               .map_count = 1,
                               .map = &one,
                               .index_vector_dim = 2});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2, 3));
  tn__case_binary_body(&c, "stablehlo.add");
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 1, 0, 3, 0, 6, 0);
  tn__case_end(&c);
}

static void dimensions_behind_batching_ones_are_one(void** state) {
  (void)state;
  // Of [2, 2, 2] updates, the first dimension goes along the input's and the others are merged.
  for (int batching_size = 1; batching_size <= 2; ++batching_size) {
    tn_case_t c;
    tn__case_begin(&c, "stablehlo.scatter");
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(batching_size, 3), (int32_t[]){0, 0, 0, 0, 0, 0});
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(batching_size, 2, 2, 1),
                     (int32_t[]){0, 1, 2, 1, 2, 2, 0, 3});
    tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(batching_size, 2, 2),
                     (int32_t[]){1, 2, 3, 4, 5, 6, 7, 8});
    add_numbers(&c, &(numbers_t){.inserted_count = 1,
                                 .inserted = &one,
                                 .batching_count = 1,
                                 .batching = &zero,
                                 .index_batching = &zero,
                                 .map_count = 1,
                                 .map = &one,
                                 .index_vector_dim = 3});
    tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(batching_size, 3));
    tn__case_binary_body(&c, "stablehlo.add");
    TN_ASSERT_OK(tn__case_run(&c));
    if (batching_size == 1) {
      TN_ASSERT_RESULT(&c, int32_t, 1, 6, 3);
    } else {
      TN_ASSERT_RESULT(&c, int32_t, 1, 6, 3, 7, 0, 11);
    }
    tn__case_end(&c);
  }
}

static void narrow_floats_are_combined_and_rounded(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_BF16, TN_DIMS(2), (uint16_t[]){0x3F80, 0x3F80});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(1, 1), (int32_t[]){1});
  tn__case_operand(&c, TN_DTYPE_BF16, TN_DIMS(1), (uint16_t[]){0x4000});
  add_numbers(&c, &elements);
  tn__case_result(&c, TN_DTYPE_BF16, TN_DIMS(2));
  tn__case_binary_body(&c, "stablehlo.multiply");
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint16_t, 0x3F80, 0x4000);
  tn__case_end(&c);
}

static int32_t old_values[2], updates[2], new_values[2];
static bool fails;

// (a, b), (u, v) -> (a * 10 + u, b - v)
static tn_status_t run_pair(const tn_body_t* body) {
  (void)body;
  if (fails) return tn_status_create(TN_CODE_ABORTED, "enough");
  new_values[0] = old_values[0] * 10 + updates[0];
  new_values[1] = old_values[1] - updates[1];
  return TN_OK;
}

static tn_status_t scatter_pairs(int32_t* out) {
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2), (int32_t[]){1, 2});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(2), (int32_t[]){100, 200});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3, 1), (int32_t[]){1, 1, 0});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(3), (int32_t[]){3, 4, 5});
  tn__case_operand(&c, TN_DTYPE_S8, TN_DIMS(3), (int8_t[]){1, 2, -3});
  add_numbers(&c, &elements);
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2));
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(2));
  void* arguments[] = {&old_values[0], &old_values[1], &updates[0], &updates[1]};
  void* results[] = {&new_values[0], &new_values[1]};
  tn__case_callback_body(&c, arguments, results, run_pair);
  tn_status_t status = tn__case_run(&c);
  memcpy(out, c.results[0], 8);
  memcpy(out + 2, c.results[1], 8);
  tn__case_end(&c);
  return status;
}

static void several_inputs_go_through_the_body(void** state) {
  (void)state;
  int32_t got[4];
  fails = false;
  TN_ASSERT_OK(scatter_pairs(got));
  const int32_t wanted[] = {15, 234, 103, 197};
  assert_memory_equal(got, wanted, sizeof wanted);
  fails = true;
  TN_ASSERT_CODE(ABORTED, scatter_pairs(got));
}

static void scatter_of_nothing_copies(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.scatter");
  tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(2), (int16_t[]){1, 2});
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(0, 1), NULL);
  tn__case_operand(&c, TN_DTYPE_S16, TN_DIMS(0), NULL);
  add_numbers(&c, &elements);
  tn__case_result(&c, TN_DTYPE_S16, TN_DIMS(2));
  tn__case_binary_body(&c, "stablehlo.add");
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int16_t, 1, 2);
  tn__case_end(&c);
}

// Updates that come again and again to the same elements, in an order that shows.
typedef struct repeated {
  const numbers_t* numbers;
  size_t index_count;  // of a vector
  int32_t span[2];     // indices go from -1 to one past the end
  size_t update_rank;  // of a window, and its dimensions
  int64_t update_dims[2];
  size_t window_count;  // elements
} repeated_t;

static void repeated_updates_do_not_depend_on_threads(void** state) {
  (void)state;
  enum { ROWS = 50, WIDTH = 40, UPDATES = 3000, RUNS = 5 };
  static const numbers_t pairs = {
      .inserted_count = 2, .inserted = both, .map_count = 2, .map = both, .index_vector_dim = 1};
  static const int64_t last_two[] = {1, 2};
  static const numbers_t windows = {
      .window_count = 2, .window = last_two, .map_count = 2, .map = both, .index_vector_dim = 1};
  const repeated_t cases[] = {
      {&rows, 1, {ROWS + 2}, 1, {WIDTH}, WIDTH},
      {&pairs, 2, {ROWS + 2, WIDTH + 2}, 0, {0}, 1},
      {&windows, 2, {ROWS - 1, WIDTH}, 2, {5, 6}, 30},  // cut, and overlapping
      {&windows, 2, {ROWS + 2, WIDTH}, 2, {1, 20}, 20},
  };
  float* changes = malloc(UPDATES * WIDTH * sizeof *changes);
  int32_t* indices = malloc(UPDATES * 2 * sizeof *indices);
  float input[ROWS * WIDTH], wanted[ROWS * WIDTH], got[ROWS * WIDTH];
  assert_true(changes && indices);
  for (int i = 0; i < ROWS * WIDTH; ++i) input[i] = (float)i;
  for (int i = 0; i < UPDATES * WIDTH; ++i) changes[i] = 1.0f / (float)(i % 1013 + 1);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const repeated_t* r = &cases[k];
    const int64_t width = r->update_rank ? r->update_dims[r->update_rank - 1] : 1;
    memcpy(wanted, input, sizeof input);
    for (int i = 0; i < UPDATES; ++i) {
      int32_t* vector = &indices[(size_t)i * r->index_count];
      vector[0] = (i * 7919) % r->span[0] - 1;
      if (r->index_count > 1) vector[1] = (i * 104729) % r->span[1] - 1;
      for (int64_t j = 0; j < (int64_t)r->window_count; ++j) {
        const int64_t row = vector[0] + j / width;
        const int64_t column = (r->index_count > 1 ? vector[1] : 0) + j % width;
        if (row < 0 || row >= ROWS || column < 0 || column >= WIDTH) continue;
        wanted[row * WIDTH + column] += changes[i * (int64_t)r->window_count + j];
      }
    }
    for (int run = 0; run < RUNS; ++run) {
      tn_case_t c;
      tn__case_begin(&c, "stablehlo.scatter");
      tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(ROWS, WIDTH), input);
      tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(UPDATES, (int64_t)r->index_count), indices);
      const int64_t dims[] = {UPDATES, r->update_dims[0], r->update_dims[1]};
      tn__case_operand(&c, TN_DTYPE_F32, 1 + r->update_rank, dims, changes);
      add_numbers(&c, r->numbers);
      tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(ROWS, WIDTH));
      tn__case_binary_body(&c, "stablehlo.add");
      if (run) {
        tn_pool_config_t config = {.thread_count = run + 1};
        TN_ASSERT_OK(tn__pool_create(&config, tn_allocator_system(), &c.pool));
      }
      TN_ASSERT_OK(tn__case_run(&c));
      memcpy(got, c.results[0], sizeof got);
      tn__pool_release(c.pool);
      tn__case_end(&c);
      assert_memory_equal(got, wanted, sizeof wanted);
    }
  }
  free(changes);
  free(indices);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repeated_updates_do_not_depend_on_threads),
      cmocka_unit_test(scatter_adds_repeated_elements),
      cmocka_unit_test(the_last_update_is_the_one_that_stays),
      cmocka_unit_test(bodies_that_return_the_old_value_change_nothing),
      cmocka_unit_test(windows_are_cut_at_the_edges),
      cmocka_unit_test(window_dimensions_may_come_first),
      cmocka_unit_test(scatter_follows_batching_dimensions),
      cmocka_unit_test(dimensions_behind_batching_ones_are_one),
      cmocka_unit_test(narrow_floats_are_combined_and_rounded),
      cmocka_unit_test(several_inputs_go_through_the_body),
      cmocka_unit_test(scatter_of_nothing_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
