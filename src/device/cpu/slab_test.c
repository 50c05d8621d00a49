// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/slab.h"

#include "base/testing.h"

typedef struct fixture {
  tn_records_t records;
  tn_page_heap_t heap;
  tn_slab_set_t set;
} fixture_t;

static fixture_t* create(void) {
  fixture_t* fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  tn__page_heap_init(&fixture->heap, &fixture->records, false, 256);
  tn__slab_set_init(&fixture->set, &fixture->records, &fixture->heap);
  return fixture;
}

static void destroy(fixture_t* fixture) {
  tn__page_heap_deinit(&fixture->heap);
  tn__records_deinit(&fixture->records);
  free(fixture);
}

static void size_classes_waste_an_eighth_at_most(void** state) {
  (void)state;
  uint32_t last = 0;
  for (size_t length = 1; length <= TN_SLAB_BLOCK_LIMIT; ++length) {
    uint32_t block = tn__slab_block_length(length, 64);
    assert_true(block >= length && block >= last && block % 64 == 0);
    assert_true(block - length < 64 || block - length <= length / 8);
    assert_int_equal(tn__slab_block_length(block, 64), block);
    last = block;
  }
  assert_int_equal(last, TN_SLAB_BLOCK_LIMIT);
}

static void blocks_are_aligned_as_asked(void** state) {
  (void)state;
  fixture_t* fixture = create();
  for (size_t alignment = 64; alignment <= TN_PAGE_SIZE; alignment *= 2) {
    for (size_t length = 1; length <= TN_SLAB_BLOCK_LIMIT; length = length * 3 + 1) {
      uint32_t block_length = tn__slab_block_length(length, alignment);
      assert_true(block_length >= length);
      for (int i = 0; i < 3; ++i) {
        void* block = tn__slab_allocate(&fixture->set, block_length);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
      }
    }
  }
  destroy(fixture);
}

static void a_slab_knows_its_blocks(void** state) {
  (void)state;
  fixture_t* fixture = create();
  enum { COUNT = 1000 };
  char* blocks[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    blocks[i] = tn__slab_allocate(&fixture->set, 192);
    memset(blocks[i], i, 192);
  }
  for (int i = 0; i < COUNT; ++i) {
    for (int k = 0; k < 192; ++k) assert_int_equal(blocks[i][k], (char)i);
    tn_span_t* span = tn__page_heap_find(&fixture->heap, blocks[i] + 191);
    assert_non_null(span);
    assert_true(tn__slab_has(span->slab, blocks[i]));
    assert_false(tn__slab_has(span->slab, blocks[i] + 64));
  }
  for (int i = 0; i < COUNT; ++i) {
    tn_span_t* span = tn__page_heap_find(&fixture->heap, blocks[i]);
    tn__slab_free(&fixture->set, span->slab, blocks[i]);
  }
  tn__slab_set_trim(&fixture->set);
  assert_int_equal(fixture->set.free_byte_size, 0);
  assert_int_equal(fixture->heap.allocated_page_count, 0);
  destroy(fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(size_classes_waste_an_eighth_at_most),
      cmocka_unit_test(blocks_are_aligned_as_asked),
      cmocka_unit_test(a_slab_knows_its_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
