// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// <tenon/detail/strided.h> against indices that are counted one by one.
#include <string.h>
#include <tenon/detail/strided.h>
#include <tenon/detail/type.h>

#include "base/testing.h"

_Static_assert((int)TN_NEST_RANK_LIMIT == (int)TN_MAX_RANK, "every array fits into a nest");

enum { RANK_LIMIT = 5, ARRAY_COUNT = 3, SIZE_LIMIT = 4096 };

typedef struct arrays {
  size_t rank;
  int64_t dims[RANK_LIMIT];
  int64_t strides[ARRAY_COUNT][RANK_LIMIT];
} arrays_t;

static uint64_t next_random(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

// Dense in a random order of dimensions, with dimensions reversed, stepped over or repeated.
static void choose_strides(arrays_t* a, int64_t* strides, uint64_t* seed) {
  size_t order[RANK_LIMIT];
  int64_t stride = 1;
  for (size_t i = 0; i < a->rank; ++i) order[i] = i;
  for (size_t i = a->rank; i > 1; --i) {
    const size_t j = next_random(seed) % i, kept = order[i - 1];
    if (next_random(seed) % 2) continue;
    order[i - 1] = order[j];
    order[j] = kept;
  }
  for (size_t i = a->rank; i-- > 0;) {
    const int64_t dim = a->dims[order[i]];
    const uint64_t kind = next_random(seed) % 8;
    strides[order[i]] = kind == 0 ? 0 : kind == 1 ? -stride : kind == 2 ? 2 * stride : stride;
    stride *= (dim ? dim : 1) * (kind == 2 ? 2 : 1);
  }
}

static arrays_t random_arrays(uint64_t* seed) {
  arrays_t a = {.rank = next_random(seed) % (RANK_LIMIT + 1)};
  for (size_t i = 0; i < a.rank; ++i) {
    const uint64_t kind = next_random(seed) % 40;
    a.dims[i] = kind == 0 ? 0 : kind < 10 ? 1 : (int64_t)(1 + next_random(seed) % 5);
  }
  for (size_t k = 0; k < ARRAY_COUNT; ++k) choose_strides(&a, a.strides[k], seed);
  return a;
}

static int64_t location(const arrays_t* a, size_t k, int64_t elem) {
  int64_t index[RANK_LIMIT], sum = 0;
  for (size_t i = a->rank; i-- > 0; elem /= a->dims[i]) index[i] = elem % a->dims[i];
  for (size_t i = 0; i < a->rank; ++i) sum += index[i] * a->strides[k][i];
  return sum;
}

static int compare_triples(const void* x, const void* y) {
  return memcmp(x, y, sizeof(int64_t[ARRAY_COUNT]));
}

// The pieces [begin, end), as places of their elements in all arrays.
static size_t list_elements(const tn_loop_nest_t* nest, int64_t begin, int64_t end,
                            int64_t (*out)[ARRAY_COUNT]) {
  size_t count = 0;
  TN_FOR_CHUNKS(nest, piece, begin, end) {
    assert_true(piece.count > 0 && piece.count <= nest->piece_length);
    for (int64_t i = 0; i < piece.count; ++i, ++count) {
      assert_true(count < SIZE_LIMIT);
      for (size_t k = 0; k < ARRAY_COUNT; ++k) {
        out[count][k] = piece.offsets[k] + i * nest->strides[k];
      }
    }
  }
  return count;
}

static void every_element_is_in_one_piece(void** state) {
  (void)state;
  static int64_t wanted[SIZE_LIMIT][ARRAY_COUNT], got[SIZE_LIMIT][ARRAY_COUNT];
  uint64_t seed = 1;
  for (int round = 0; round < 3000; ++round) {
    const arrays_t a = random_arrays(&seed);
    const int64_t* strides[] = {a.strides[0], a.strides[1], a.strides[2]};
    const int64_t size = tn_element_count(a.rank, a.dims);
    tn_loop_nest_t nest;
    assert_true(tn_loop_nest_init(&nest, a.rank, a.dims, ARRAY_COUNT, strides));
    assert_int_equal(nest.element_count, size);
    if (round % 2) tn_loop_nest_set_chunk_length(&nest, 1 + (int64_t)(next_random(&seed) % 4));
    // In two ranges, as two threads would.
    const int64_t middle = nest.piece_count ? (int64_t)next_random(&seed) % nest.piece_count : 0;
    size_t count = list_elements(&nest, 0, middle, got);
    count += list_elements(&nest, middle, nest.piece_count, got + count);
    assert_int_equal(count, size);
    for (int64_t e = 0; e < size; ++e) {
      for (size_t k = 0; k < ARRAY_COUNT; ++k) wanted[e][k] = location(&a, k, e);
    }
    qsort(wanted, count, sizeof *wanted, compare_triples);
    qsort(got, count, sizeof *got, compare_triples);
    assert_memory_equal(wanted, got, count * sizeof *got);
  }
}

static void dimensions_that_lie_together_are_one_loop(void** state) {
  (void)state;
  const int64_t dims[] = {2, 1, 3, 4}, dense[] = {12, 99, 4, 1}, columns[] = {12, 7, 1, 3};
  const int64_t row[] = {0, 0, 0, 1}, back[] = {-12, 5, -4, -1};
  tn_loop_nest_t nest;
  assert_true(tn_loop_nest_init(&nest, 4, dims, 2, (const int64_t*[]){dense, back}));
  assert_int_equal(nest.loop_count, 0);
  assert_int_equal(nest.row_length, 24);
  assert_int_equal(nest.strides[1], -1);
  assert_true(tn_loop_nest_init(&nest, 4, dims, 2, (const int64_t*[]){dense, row}));
  assert_int_equal(nest.loop_count, 1);
  assert_int_equal(nest.loop_counts[0], 6);
  assert_int_equal(nest.row_length, 4);
  // The first array decides which loop is the innermost.
  assert_true(tn_loop_nest_init(&nest, 4, dims, 2, (const int64_t*[]){columns, dense}));
  assert_int_equal(nest.strides[0], 1);
  assert_int_equal(nest.strides[1], 4);
  assert_true(tn_loop_nest_init(&nest, 4, dims, 2, (const int64_t*[]){dense, columns}));
  assert_int_equal(nest.strides[0], 1);
  assert_int_equal(nest.strides[1], 3);
}

// A transposed array, in tiles of which the last ones are smaller.
static void tiles_cover_every_element(void** state) {
  (void)state;
  static int64_t got[SIZE_LIMIT][ARRAY_COUNT];
  static bool is_seen[SIZE_LIMIT];
  const int64_t dims[] = {2, 67, 30}, dense[] = {2010, 30, 1}, turned[] = {2010, 1, 67};
  for (int64_t length = 1; length < 200; length *= 3) {
    tn_loop_nest_t nest;
    assert_true(tn_loop_nest_init(&nest, 3, dims, 3, (const int64_t*[]){dense, turned, dense}));
    assert_int_equal(nest.rows_per_tile, TN_NEST_TILE);
    tn_loop_nest_set_chunk_length(&nest, length);
    const int64_t middle = nest.piece_count / 3;
    size_t count = list_elements(&nest, 0, middle, got);
    count += list_elements(&nest, middle, nest.piece_count, got + count);
    assert_int_equal(count, 4020);
    memset(is_seen, 0, sizeof is_seen);
    for (size_t e = 0; e < count; ++e) {
      const int64_t place = got[e][0];
      assert_false(is_seen[place]);
      is_seen[place] = true;
      assert_int_equal(got[e][2], place);
      assert_int_equal(got[e][1], place / 2010 * 2010 + place % 30 * 67 + place % 2010 / 30);
    }
  }
}

static void dimensions_are_collapsed_in_place(void** state) {
  (void)state;
  int64_t dims[] = {1, 2, 3, 1, 4}, dense[] = {24, 12, 4, 4, 1}, rows[] = {7, 0, 0, 9, 1};
  int64_t* const both[] = {dense, rows};
  assert_int_equal(tn_collapse_contiguous_dims(5, dims, 2, both), 2);
  assert_int_equal(dims[0], 6);
  assert_int_equal(dims[1], 4);
  assert_int_equal(dense[0], 4);
  assert_int_equal(rows[0], 0);
  assert_int_equal(tn_collapse_contiguous_dims(2, dims, 1, both), 1);
  assert_int_equal(dims[0], 24);
  assert_int_equal(dense[0], 1);
  int64_t one = 1;
  assert_int_equal(tn_collapse_contiguous_dims(1, &one, 1, both), 0);
}

static void scalars_have_one_piece_and_empty_arrays_none(void** state) {
  (void)state;
  tn_loop_nest_t nest;
  assert_true(tn_loop_nest_init(&nest, 0, NULL, 1, (const int64_t*[]){NULL}));
  assert_int_equal(nest.piece_count, 1);
  assert_int_equal(tn_chunk_at(&nest, 0).count, 1);
  const int64_t dims[] = {3, 0, 2}, strides[] = {0, 2, 1};
  assert_true(tn_loop_nest_init(&nest, 3, dims, 1, (const int64_t*[]){strides}));
  assert_int_equal(nest.piece_count, 0);
  tn_loop_nest_set_chunk_length(&nest, 8);
  assert_int_equal(nest.piece_count, 0);
  assert_int_equal(tn_chunk_at(&nest, 0).count, 0);
}

static void nests_have_a_limit(void** state) {
  (void)state;
  tn_loop_nest_t nest;
  const int64_t one = 1, dims = 3;
  const int64_t* strides[TN_LOOP_NEST_ARRAY_LIMIT + 1];
  for (size_t k = 0; k <= TN_LOOP_NEST_ARRAY_LIMIT; ++k) strides[k] = &one;
  assert_true(tn_loop_nest_init(&nest, 1, &dims, TN_LOOP_NEST_ARRAY_LIMIT, strides));
  assert_false(tn_loop_nest_init(&nest, 1, &dims, TN_LOOP_NEST_ARRAY_LIMIT + 1, strides));
  assert_int_equal(nest.piece_count, 0);
}

static void iterators_go_in_row_major_order(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int round = 0; round < 3000; ++round) {
    const arrays_t a = random_arrays(&seed);
    const int64_t* strides = a.strides[0];
    const int64_t size = tn_element_count(a.rank, a.dims);
    tn_contiguous_iterator_t iterator;
    if (size == 0) continue;
    tn_contiguous_iterator_init(&iterator, a.rank, a.dims, strides);
    for (int64_t e = 0; e < size; ++e) {
      assert_int_equal(iterator.location, location(&a, 0, e));
      assert_int_equal(tn_elem_to_loc(e, a.rank, a.dims, strides), location(&a, 0, e));
      tn_contiguous_iterator_step(&iterator);
    }
    assert_int_equal(iterator.location, 0);
    const int64_t elem = (int64_t)next_random(&seed) % size;
    tn_contiguous_iterator_seek(&iterator, elem);
    assert_int_equal(iterator.location, location(&a, 0, elem));
    if (elem + 1 == size) continue;
    tn_contiguous_iterator_step(&iterator);
    assert_int_equal(iterator.location, location(&a, 0, elem + 1));
  }
}

static void contiguity_is_seen(void** state) {
  (void)state;
  int64_t strides[3];
  const int64_t dims[] = {4, 1, 3}, empty[] = {4, 0, 3}, columns[] = {1, 50, 4};
  tn_row_major_strides(3, dims, strides);
  assert_true(tn_is_row_contiguous(3, dims, strides));
  assert_false(tn_is_column_contiguous(3, dims, strides));
  assert_true(tn_is_column_contiguous(3, dims, columns));
  assert_false(tn_is_row_contiguous(3, dims, columns));
  assert_true(tn_is_row_contiguous(3, empty, columns));
  assert_true(tn_is_row_contiguous(0, NULL, NULL) && tn_is_column_contiguous(0, NULL, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_element_is_in_one_piece),
      cmocka_unit_test(dimensions_that_lie_together_are_one_loop),
      cmocka_unit_test(tiles_cover_every_element),
      cmocka_unit_test(dimensions_are_collapsed_in_place),
      cmocka_unit_test(scalars_have_one_piece_and_empty_arrays_none),
      cmocka_unit_test(nests_have_a_limit),
      cmocka_unit_test(iterators_go_in_row_major_order),
      cmocka_unit_test(contiguity_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
