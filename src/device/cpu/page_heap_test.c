// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/page_heap.h"

#include "base/testing.h"

static unsigned random_state = 1;
static unsigned next_random(unsigned limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % limit;
}

// What must hold between any two calls.
static void check(const tn_page_heap_t* heap) {
  size_t allocated = 0, used = 0, free_pages = 0;
  for (size_t i = 0; i < heap->arena_count; ++i) {
    const tn_page_arena_t* arena = heap->arenas[i];
    assert_true(i == 0 || heap->arenas[i - 1]->base < arena->base);
    bool was_free = false;
    size_t allocated_here = 0;
    for (uint32_t page = 0; page < arena->used_page_count;) {
      const tn_span_t* span = arena->spans[page];
      assert_int_equal(span->first_page, page);
      assert_true(span->page_count > 0);
      assert_ptr_equal(arena->spans[page + span->page_count - 1], span);
      assert_false(was_free && span->is_free);  // neighbours are merged
      was_free = span->is_free;
      if (span->is_free) {
        free_pages += span->page_count;
      } else {
        allocated_here += span->page_count;
      }
      if (!span->is_purged) used += span->page_count;
      page += span->page_count;
    }
    assert_int_equal(allocated_here, arena->allocated_page_count);
    allocated += allocated_here;
  }
  assert_int_equal(allocated, heap->allocated_page_count);
  assert_int_equal(used, heap->used_page_count);
  size_t in_bins = 0;
  for (size_t bin = 0; bin <= TN_ARENA_PAGE_LIMIT; ++bin) {
    bool has_bit = heap->bin_bits[bin / 64] >> bin % 64 & 1;
    assert_int_equal(has_bit, heap->bins[bin] != NULL);
    for (const tn_span_t* span = heap->bins[bin]; span; span = span->next) {
      assert_int_equal(span->page_count, bin);
      in_bins += bin;
    }
  }
  assert_int_equal(in_bins, free_pages);
}

static void heap_stays_sound_under_random_use(void** state) {
  (void)state;
  tn_records_t records = {0};
  tn_page_heap_t* heap = calloc(1, sizeof *heap);
  tn__page_heap_init(heap, &records, false, 128);
  enum { LIVE = 200 };
  tn_span_t* spans[LIVE] = {0};
  for (int step = 0; step < 20000; ++step) {
    unsigned at = next_random(LIVE);
    if (spans[at]) {
      unsigned* words = (unsigned*)tn__span_base(spans[at]);
      assert_int_equal(words[0], at);
      assert_ptr_equal(tn__page_heap_find(heap, words), spans[at]);
      tn__page_heap_free(heap, spans[at]);
      spans[at] = NULL;
    } else {
      uint32_t page_count = 1 + next_random(next_random(20) == 0 ? 1000 : 30);
      spans[at] = tn__page_heap_allocate(heap, page_count);
      assert_non_null(spans[at]);
      assert_int_equal(spans[at]->page_count, page_count);
      *(unsigned*)tn__span_base(spans[at]) = at;
    }
    if (step % 1000 == 999) tn__page_heap_trim(heap, next_random(500));
    if (step % 100 == 0) check(heap);
  }
  for (int i = 0; i < LIVE; ++i) {
    if (spans[i]) tn__page_heap_free(heap, spans[i]);
  }
  check(heap);
  tn__page_heap_trim(heap, 0);
  check(heap);
  assert_int_equal(heap->reserved_page_count, 0);
  tn__page_heap_deinit(heap);
  tn__records_deinit(&records);
  free(heap);
}

static void freed_pages_are_used_again_before_fresh_ones(void** state) {
  (void)state;
  tn_records_t records = {0};
  tn_page_heap_t* heap = calloc(1, sizeof *heap);
  tn__page_heap_init(heap, &records, false, 128);
  tn_span_t* first = tn__page_heap_allocate(heap, 10);
  tn_span_t* guard = tn__page_heap_allocate(heap, 1);
  char* base = tn__span_base(first);
  tn__page_heap_free(heap, first);
  // 10 pages serve 4 and 6, in whatever order.
  tn_span_t* second = tn__page_heap_allocate(heap, 4);
  tn_span_t* third = tn__page_heap_allocate(heap, 6);
  assert_ptr_equal(tn__span_base(second), base);
  assert_ptr_equal(tn__span_base(third), base + 4 * TN_PAGE_SIZE);
  assert_int_equal(heap->used_page_count, 11);
  tn__page_heap_free(heap, second);
  tn__page_heap_free(heap, third);
  tn__page_heap_free(heap, guard);
  tn__page_heap_deinit(heap);
  tn__records_deinit(&records);
  free(heap);
}

static void lookups_of_foreign_addresses_find_nothing(void** state) {
  (void)state;
  tn_records_t records = {0};
  tn_page_heap_t* heap = calloc(1, sizeof *heap);
  tn__page_heap_init(heap, &records, false, 128);
  int local;
  assert_null(tn__page_heap_find(heap, &local));
  tn_span_t* span = tn__page_heap_allocate(heap, 3);
  char* base = tn__span_base(span);
  assert_ptr_equal(tn__page_heap_find(heap, base), span);
  assert_null(tn__page_heap_find(heap, base + 3 * TN_PAGE_SIZE));
  assert_null(tn__page_heap_find(heap, &local));
  tn__page_heap_free(heap, span);
  assert_null(tn__page_heap_find(heap, base));
  tn__page_heap_deinit(heap);
  tn__records_deinit(&records);
  free(heap);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heap_stays_sound_under_random_use),
      cmocka_unit_test(freed_pages_are_used_again_before_fresh_ones),
      cmocka_unit_test(lookups_of_foreign_addresses_find_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
