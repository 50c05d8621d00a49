// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Views against brute force: the elements of a view, one by one, are those that the operation would
// have copied.
#include "ops/view.h"

#include "ops/testing_use.h"

enum { MOST_ELEMENTS = 4096 };

// Byte offsets of all elements of a view, in row-major order.
typedef struct listed {
  size_t count;
  int64_t offsets[MOST_ELEMENTS];
} listed_t;

static void list_elements(const tn_view_t* view, const tn_type_t* type, listed_t* out) {
  int64_t strides[TN_MAX_RANK], index[TN_MAX_RANK] = {0};
  tn__view_strides(view, type, strides);
  out->count = (size_t)tn__type_size(type);
  assert_true(out->count <= MOST_ELEMENTS);
  for (size_t i = 0; i < out->count; ++i) {
    out->offsets[i] = view->byte_offset;
    for (size_t d = 0; d < type->rank; ++d) out->offsets[i] += index[d] * strides[d];
    for (size_t d = type->rank; d-- > 0;) {
      if (++index[d] < type->dims[d]) break;
      index[d] = 0;
    }
  }
}

typedef struct chain {
  tn_arena_t arena;
  tn_view_t view;
} chain_t;

static bool view_by(chain_t* chain, const char* text) {
  tn_op_use_t use;
  tn_view_t next;
  bool is_view = false;
  tn__test_read_use(text, &chain->arena, &use);
  use.arena = &chain->arena;
  TN_ASSERT_OK(tn__view_of_result(&use, &chain->view, &next, &is_view));
  if (is_view) {
    chain->view = next;
  } else {
    assert_true(next.byte_offset == 0 && !next.strides);
  }
  return is_view;
}

static void expect_view(const chain_t* chain, int64_t byte_offset, size_t rank,
                        const int64_t* strides) {
  assert_int_equal(chain->view.byte_offset, byte_offset);
  if (!strides) {
    assert_null(chain->view.strides);
    return;
  }
  assert_non_null(chain->view.strides);
  assert_memory_equal(chain->view.strides, strides, rank * sizeof *strides);
}
#define EXPECT(offset, ...)                                                       \
  expect_view(&chain, offset, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
              (const int64_t[]){__VA_ARGS__})

static void each_operation_has_its_strides(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int64_t byte_offset;
    size_t rank;
    int64_t strides[3];
  } cases[] = {
      {"transpose(2x3x4xf32) permutation = [2, 0, 1] -> 4x2x3xf32", 0, 3, {4, 48, 16}},
      {"reverse(2x3xf64) dimensions = [0, 1] -> 2x3xf64", 40, 2, {-24, -8}},
      {"slice(5x4xf32) start_indices = [1, 1], limit_indices = [5, 4], strides = [3, 2] -> 2x2xf32",
       20,
       2,
       {48, 8}},
      {"broadcast_in_dim(3xf32) broadcast_dimensions = [1] -> 2x3x4xf32", 0, 3, {0, 4, 0}},
      {"broadcast_in_dim(1x3xf32) broadcast_dimensions = [0, 1] -> 2x3xf32", 0, 2, {0, 4}},
      {"broadcast(3xf32) broadcast_sizes = [2] -> 2x3xf32", 0, 2, {0, 4}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    chain_t chain = {0};
    tn__arena_init(&chain.arena, tn_allocator_system());
    assert_true(view_by(&chain, cases[i].text));
    expect_view(&chain, cases[i].byte_offset, strchr(cases[i].text, '3') ? 2 : 0, cases[i].strides);
    tn__arena_deinit(&chain.arena);
  }
}

static void what_is_contiguous_is_dense(void** state) {
  (void)state;
  chain_t chain = {0};
  tn__arena_init(&chain.arena, tn_allocator_system());
  assert_true(view_by(&chain,
                      "slice(5x4xf32) start_indices = [1, 0], limit_indices = [3, 4], "
                      "strides = [1, 1] -> 2x4xf32"));
  expect_view(&chain, 16, 2, NULL);
  assert_true(view_by(&chain, "transpose(2x4xf32) permutation = [1, 0] -> 4x2xf32"));
  EXPECT(16, 4, 16);
  assert_true(view_by(&chain, "transpose(4x2xf32) permutation = [1, 0] -> 2x4xf32"));
  expect_view(&chain, 16, 2, NULL);
  assert_true(view_by(&chain, "reshape(2x4xf32) -> 2x1x4xf32"));
  assert_true(view_by(&chain, "transpose(2x1x4xf32) permutation = [1, 0, 2] -> 1x2x4xf32"));
  expect_view(&chain, 16, 3, NULL);
  tn__arena_deinit(&chain.arena);
}

static void reshapes_split_and_merge_where_strides_allow_it(void** state) {
  (void)state;
  static const struct {
    const char* reshape;  // of 4x6x5, transposed from 5x4x6: strides 24 4 96
    bool is_view;
  } cases[] = {
      {"reshape(4x6x5xf32) -> 2x2x6x5xf32", true},     {"reshape(4x6x5xf32) -> 24x5xf32", true},
      {"reshape(4x6x5xf32) -> 1x3x8x1x5x1xf32", true}, {"reshape(4x6x5xf32) -> 4x30xf32", false},
      {"reshape(4x6x5xf32) -> 120xf32", false},        {"reshape(4x6x5xf32) -> 24x5x1xf32", true},
      {"reshape(4x6x5xf32) -> 12x2x5xf32", true},      {"reshape(4x6x5xf32) -> 8x15xf32", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    chain_t chain = {0};
    tn__arena_init(&chain.arena, tn_allocator_system());
    assert_true(view_by(&chain, "transpose(5x4x6xf32) permutation = [1, 2, 0] -> 4x6x5xf32"));
    assert_int_equal(view_by(&chain, cases[i].reshape), cases[i].is_view);
    if (!cases[i].is_view) EXPECT(0, 24, 4, 96);
    tn__arena_deinit(&chain.arena);
  }
}

// --- random chains

typedef struct walk {
  uint64_t random;
  tn_arena_t arena;
  const tn_type_t* type;
  tn_view_t view;
} walk_t;

static int64_t draw(walk_t* walk, int64_t count) {
  walk->random = walk->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((walk->random >> 33) % (uint64_t)count);
}

static const tn_attr_t* list_of(walk_t* walk, size_t count, const int64_t* values) {
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_i64_array(&walk->arena, count, values, &attr));
  return attr;
}

// Other dimensions with as many elements.
static size_t redraw_dims(walk_t* walk, int64_t* dims) {
  int64_t left = tn__type_size(walk->type);
  size_t rank = 0;
  while (left > 1 || (rank < 4 && draw(walk, 3) == 0)) {
    int64_t dim = 1 + draw(walk, 6);
    if (left % dim || rank >= 6) dim = rank >= 6 ? left : 1;
    if (rank >= 5) dim = left;
    dims[rank++] = dim;
    left /= dim;
    if (rank == 7) break;
  }
  return rank;
}

static void reshape_at_random(walk_t* walk) {
  int64_t dims[TN_MAX_RANK];
  const tn_type_t* type = NULL;
  const size_t rank = redraw_dims(walk, dims);
  tn_view_t next;
  bool is_view = false;
  TN_ASSERT_OK(tn__type_tensor(&walk->arena, TN_DTYPE_F32, rank, dims, &type));
  if (tn__type_size(type) != tn__type_size(walk->type)) return;
  const tn_op_use_t use = {.op = TN__OP(reshape),
                           .operand_count = 1,
                           .operand_types = &walk->type,
                           .result_count = 1,
                           .result_types = &type,
                           .arena = &walk->arena};
  static listed_t before, after;
  TN_ASSERT_OK(tn__view_of_result(&use, &walk->view, &next, &is_view));
  if (!is_view) return;
  list_elements(&walk->view, walk->type, &before);
  list_elements(&next, type, &after);
  assert_memory_equal(before.offsets, after.offsets, before.count * sizeof *before.offsets);
  walk->type = type;
  walk->view = next;
}

static void transpose_at_random(walk_t* walk) {
  const size_t rank = walk->type->rank;
  int64_t permutation[TN_MAX_RANK] = {0}, dims[TN_MAX_RANK];
  const tn_type_t* type = NULL;
  tn_view_t next;
  bool is_view = false;
  for (size_t i = 0; i < rank; ++i) {
    const size_t k = (size_t)draw(walk, (int64_t)i + 1);
    permutation[i] = permutation[k];
    permutation[k] = (int64_t)i;
  }
  for (size_t i = 0; i < rank; ++i) dims[i] = walk->type->dims[permutation[i]];
  TN_ASSERT_OK(tn__type_tensor(&walk->arena, TN_DTYPE_F32, rank, dims, &type));
  const tn_named_attr_t entry = {TN_SV_LITERAL("permutation"), list_of(walk, rank, permutation)};
  const tn_op_use_t use = {.op = TN__OP(transpose),
                           .operand_count = 1,
                           .operand_types = &walk->type,
                           .result_count = 1,
                           .result_types = &type,
                           .attrs = {1, &entry},
                           .arena = &walk->arena};
  TN_ASSERT_OK(tn__view_of_result(&use, &walk->view, &next, &is_view));
  assert_true(is_view);
  walk->type = type;
  walk->view = next;
}

static void reshapes_keep_the_order_of_elements(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    walk_t walk = {.random = seed};
    tn__arena_init(&walk.arena, tn_allocator_system());
    const int64_t dims[] = {1 + draw(&walk, 4), 1 + draw(&walk, 4), 1 + draw(&walk, 6)};
    TN_ASSERT_OK(tn__type_tensor(&walk.arena, TN_DTYPE_F32, 3, dims, &walk.type));
    for (int i = 0; i < 8; ++i) {
      if (draw(&walk, 2)) {
        transpose_at_random(&walk);
      } else {
        reshape_at_random(&walk);
      }
    }
    tn__arena_deinit(&walk.arena);
  }
}

static void arrays_without_elements_are_no_views(void** state) {
  (void)state;
  chain_t chain = {0};
  tn__arena_init(&chain.arena, tn_allocator_system());
  assert_false(view_by(&chain, "transpose(0x3xf32) permutation = [1, 0] -> 3x0xf32"));
  assert_false(view_by(&chain,
                       "slice(5xf32) start_indices = [5], limit_indices = [5], "
                       "strides = [9223372036854775807] -> 0xf32"));
  assert_true(view_by(&chain,
                      "slice(5xf32) start_indices = [0], limit_indices = [5], "
                      "strides = [9223372036854775807] -> 1xf32"));
  tn__arena_deinit(&chain.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_operation_has_its_strides),
      cmocka_unit_test(what_is_contiguous_is_dense),
      cmocka_unit_test(reshapes_split_and_merge_where_strides_allow_it),
      cmocka_unit_test(reshapes_keep_the_order_of_elements),
      cmocka_unit_test(arrays_without_elements_are_no_views),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
