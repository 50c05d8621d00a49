// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/strided.h"

#include "base/testing.h"

// --- against a plain odometer, on random views

enum { SPAN = 1 << 16, ROUNDS = 4000 };

static uint64_t seed = 1;
static int64_t below(int64_t limit) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((seed >> 33) % (uint64_t)limit);
}

typedef struct view {
  size_t rank;
  int64_t dims[6], target_strides[6], source_strides[6];
  int64_t target_offset, source_offset;
} view_t;

static void copy_plainly(const view_t* view, size_t d, size_t size, char* target,
                         const char* source) {
  if (d == view->rank || d == 6) {
    memcpy(target, source, size);
    return;
  }
  for (int64_t i = 0; i < view->dims[d]; ++i) {
    copy_plainly(view, d + 1, size, target + i * view->target_strides[d],
                 source + i * view->source_strides[d]);
  }
}

// Dense or gapped targets, over sources that are permuted, reversed, stepped or broadcast.
static view_t make_view(size_t size) {
  view_t view = {.rank = (size_t)below(6)};
  int64_t budget = SPAN / 8 / (int64_t)size, target = (int64_t)size, source = (int64_t)size;
  size_t order[6];
  for (size_t i = 0; i < view.rank; ++i) {
    const int64_t most = below(3) ? 5 : 150;
    int64_t dim = 1 + below(most < budget ? most : budget);
    if (below(200) == 0) dim = 0;
    view.dims[i] = dim;
    budget /= dim ? dim : 1;
    order[i] = i;
  }
  for (size_t i = view.rank; i-- > 0;) {
    if (below(6) == 0) target *= 1 + below(2);
    view.target_strides[i] = target;
    target *= view.dims[i] ? view.dims[i] : 1;
  }
  const bool permuted = below(2) == 0;
  for (size_t i = view.rank; permuted && i > 1; --i) {
    const size_t j = (size_t)below((int64_t)i), kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
  }
  for (size_t i = view.rank; i-- > 0;) {
    const size_t d = order[i];
    if (below(6) == 0) source *= 1 + below(2);
    if (below(5) == 0) continue;
    view.source_strides[d] = source;
    source *= view.dims[d] ? view.dims[d] : 1;
    if (below(6) == 0) {
      view.source_offset += (view.dims[d] ? view.dims[d] - 1 : 0) * view.source_strides[d];
      view.source_strides[d] = -view.source_strides[d];
    }
  }
  return view;
}

static void strided_copy_agrees_with_an_odometer(void** state) {
  (void)state;
  static char source[SPAN * 4];
  char *wanted = malloc(SPAN * 4), *got = malloc(SPAN * 4);
  for (size_t i = 0; i < sizeof source; ++i) source[i] = (char)below(256);
  tn_pool_t* pool;
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool));
  for (int round = 0; round < ROUNDS; ++round) {
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    const size_t size = (size_t)1 << below(5);
    const view_t view = make_view(size);
    memset(wanted, 0x77, SPAN * 4);
    memset(got, 0x77, SPAN * 4);
    copy_plainly(&view, 0, size, wanted, source + view.source_offset);
    tn_strided_copy_t copy;
    TN_ASSERT_OK(tn__strided_copy_prepare(&arena, size, view.rank, view.dims, view.target_strides,
                                          view.source_strides, &copy));
    TN_ASSERT_OK(
        tn__strided_copy_run(&copy, below(2) ? pool : NULL, got, source + view.source_offset));
    assert_memory_equal(got, wanted, SPAN * 4);
    tn__arena_deinit(&arena);
  }
  tn__pool_release(pool);
  free(wanted);
  free(got);
}

// --- forms

static tn_strided_form_t form_of(size_t rank, const int64_t* dims, const int64_t* source_strides) {
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  int64_t target_strides[6];
  tn__dense_strides(rank, dims, 4, target_strides);
  tn_strided_copy_t copy;
  TN_ASSERT_OK(
      tn__strided_copy_prepare(&arena, 4, rank, dims, target_strides, source_strides, &copy));
  const tn_strided_form_t form = copy.form;
  tn__arena_deinit(&arena);
  return form;
}

static void strided_copy_sees_through_the_dimensions(void** state) {
  (void)state;
  const int64_t dims[] = {10, 20, 30};
  assert_int_equal(form_of(3, dims, (int64_t[]){2400, 120, 4}), TN_STRIDED_RUN);
  assert_int_equal(form_of(3, dims, (int64_t[]){0, 0, 0}), TN_STRIDED_FILL);
  assert_int_equal(form_of(3, dims, (int64_t[]){120, 0, 4}), TN_STRIDED_REPEAT);
  assert_int_equal(form_of(3, dims, (int64_t[]){4, 40, 800}), TN_STRIDED_TRANSPOSE);
  assert_int_equal(form_of(3, dims, (int64_t[]){2400, 120, -4}), TN_STRIDED_STEP);
  const int64_t empty[] = {10, 0, 30};
  assert_int_equal(form_of(3, empty, (int64_t[]){0, 0, 4}), TN_STRIDED_NOTHING);
}

// --- large ones, which are streamed and cut

static void large_transposes_are_exact(void** state) {
  (void)state;
  enum { ROWS = 2000, COLUMNS = 1808 };  // the target's lines are on cache lines
  uint32_t* source = malloc(sizeof *source * ROWS * COLUMNS);
  uint32_t* target = aligned_alloc(64, sizeof *target * ROWS * COLUMNS);
  for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) source[i] = i;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  tn_strided_copy_t copy;
  TN_ASSERT_OK(tn__strided_copy_prepare(&arena, 4, 2, (int64_t[]){COLUMNS, ROWS},
                                        (int64_t[]){ROWS * 4, 4}, (int64_t[]){4, COLUMNS * 4},
                                        &copy));
  tn_pool_t* pool;
  TN_ASSERT_OK(tn__pool_create(NULL, tn_allocator_system(), &pool));
  TN_ASSERT_OK(tn__strided_copy_run(&copy, pool, target, source));
  for (uint32_t c = 0; c < COLUMNS; ++c) {
    for (uint32_t r = 0; r < ROWS; ++r) {
      if (target[c * ROWS + r] != r * COLUMNS + c) fail_msg("at %u, %u", c, r);
    }
  }
  tn__pool_release(pool);
  tn__arena_deinit(&arena);
  free(source);
  free(target);
}

static void fill_writes_every_element_size(void** state) {
  (void)state;
  const char element[16] = "0123456789abcde";
  for (size_t size = 1; size <= 16; size *= 2) {
    char target[16 * 9];
    memset(target, 0, sizeof target);
    TN_ASSERT_OK(tn__fill(NULL, target, element, size, 8));
    for (size_t i = 0; i < 8; ++i) assert_memory_equal(target + i * size, element, size);
    assert_int_equal(target[8 * size], 0);
    TN_ASSERT_OK(tn__fill(NULL, NULL, element, size, 0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strided_copy_agrees_with_an_odometer),
      cmocka_unit_test(strided_copy_sees_through_the_dimensions),
      cmocka_unit_test(large_transposes_are_exact),
      cmocka_unit_test(fill_writes_every_element_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
