// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/arena.h"

#include "base/testing.h"
#include "base/testing_allocator.h"

static void arena_gives_zeroed_aligned_memory(void** state) {
  (void)state;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  for (size_t size = 0; size < 10000; size = size * 2 + 1) {
    void* memory;
    TN_ASSERT_OK(tn__arena_allocate(&arena, size, &memory));
    assert_int_equal((uintptr_t)memory % 16, 0);
    for (size_t i = 0; i < size; ++i) assert_int_equal(((char*)memory)[i], 0);
    memset(memory, 0xff, size);
  }
  tn__arena_deinit(&arena);
}

static void arena_refuses_impossible_sizes(void** state) {
  (void)state;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  void* memory;
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__arena_allocate(&arena, SIZE_MAX, &memory));
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__arena_allocate_array(&arena, SIZE_MAX / 2, 4, &memory));
  tn__arena_deinit(&arena);
}

static void arena_gives_pieces_that_do_not_overlap(void** state) {
  (void)state;
  enum { COUNT = 500 };
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  unsigned char* pieces[COUNT];
  size_t sizes[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    void* memory;
    sizes[i] = i % 50 == 49 ? 20000 : i * 7 % 300;  // now and then one that gets its own block
    TN_ASSERT_OK(tn__arena_allocate(&arena, sizes[i], &memory));
    pieces[i] = memory;
    memset(pieces[i], (int)(i % 251), sizes[i]);
  }
  for (size_t i = 0; i < COUNT; ++i) {
    for (size_t k = 0; k < sizes[i]; ++k) assert_int_equal(pieces[i][k], i % 251);
  }
  tn__arena_deinit(&arena);
}

static void arena_gives_the_alignment_asked_for(void** state) {
  (void)state;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void* memory;
    TN_ASSERT_OK(tn__arena_allocate_aligned(&arena, 100, alignment, &memory));
    assert_int_equal((uintptr_t)memory % alignment, 0);
    memset(memory, 0xff, 100);
  }
  tn__arena_deinit(&arena);
}

static void arena_copies_strings_with_an_end(void** state) {
  (void)state;
  tn_arena_t arena;
  tn_string_view_t copy;
  tn__arena_init(&arena, tn_allocator_system());
  TN_ASSERT_OK(tn__arena_copy_string(&arena, (tn_string_view_t){"tenon and mortise", 5}, &copy));
  assert_int_equal(copy.length, 5);
  assert_string_equal(copy.data, "tenon");
  TN_ASSERT_OK(tn__arena_copy_string(&arena, (tn_string_view_t){NULL, 0}, &copy));
  assert_string_equal(copy.data, "");
  tn__arena_deinit(&arena);
}

static void arena_reset_keeps_one_zeroed_block(void** state) {
  (void)state;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  tn_arena_t arena;
  tn__arena_init(&arena, &testing.allocator);
  void* memory;
  for (int i = 0; i < 100; ++i) {
    TN_ASSERT_OK(tn__arena_allocate(&arena, 1000, &memory));
    memset(memory, 0xff, 1000);
  }
  tn__arena_reset(&arena);
  assert_int_equal(atomic_load(&testing.live_block_count), 1);
  assert_int_equal(atomic_load(&testing.live_byte_size), arena.byte_size);
  TN_ASSERT_OK(tn__arena_allocate(&arena, 1000, &memory));
  for (int i = 0; i < 1000; ++i) assert_int_equal(((char*)memory)[i], 0);
  tn__arena_deinit(&arena);
  tn__testing_allocator_assert_empty(&testing);
}

static void arena_begins_in_the_room_of_its_caller(void** state) {
  (void)state;
  tn_arena_t arena;
  tn_arena_room_t room;
  void *first = NULL, *large = NULL;
  memset(&room, 0xff, sizeof room);
  tn__arena_init_in(&arena, tn_allocator_system(), &room);
  TN_ASSERT_OK(tn__arena_allocate(&arena, 100, &first));
  TN_ASSERT_OK(tn__arena_allocate(&arena, sizeof room, &large));
  assert_true((char*)first >= room.bytes && (char*)first + 100 <= room.bytes + sizeof room);
  assert_false((char*)large >= room.bytes && (char*)large < room.bytes + sizeof room);
  for (size_t i = 0; i < 100; ++i) assert_int_equal(((char*)first)[i], 0);
  tn__arena_deinit(&arena);
}

static void arena_takes_without_zeroing(void** state) {
  (void)state;
  tn_arena_t arena;
  void *a, *b;
  tn__arena_init(&arena, tn_allocator_system());
  TN_ASSERT_OK(tn__arena_take(&arena, 24, &a));
  memset(a, 0xff, 24);
  TN_ASSERT_OK(tn__arena_allocate(&arena, 24, &b));
  assert_int_equal((uintptr_t)b % 16, 0);
  for (int i = 0; i < 24; ++i) {
    assert_int_equal(((uint8_t*)a)[i], 0xff);
    assert_int_equal(((uint8_t*)b)[i], 0);
  }
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__arena_take(&arena, SIZE_MAX, &a));
  assert_null(a);
  tn__arena_deinit(&arena);
}

static void arena_rewinds_within_a_block(void** state) {
  (void)state;
  tn_arena_t arena;
  void *a, *b, *c;
  tn__arena_init(&arena, tn_allocator_system());
  tn__arena_rewind(&arena, tn__arena_mark(&arena));
  TN_ASSERT_OK(tn__arena_allocate(&arena, 16, &a));
  tn_arena_mark_t mark = tn__arena_mark(&arena);
  TN_ASSERT_OK(tn__arena_allocate(&arena, 16, &b));
  memset(b, 0xff, 16);
  tn__arena_rewind(&arena, mark);
  TN_ASSERT_OK(tn__arena_allocate(&arena, 16, &c));
  assert_ptr_equal(b, c);
  for (int i = 0; i < 16; ++i) assert_int_equal(((char*)c)[i], 0);
  // What has moved on to another block stays.
  TN_ASSERT_OK(tn__arena_allocate(&arena, 5000, &b));
  TN_ASSERT_OK(tn__arena_allocate(&arena, 5000, &b));
  memset(b, 0xff, 5000);
  tn__arena_rewind(&arena, mark);
  TN_ASSERT_OK(tn__arena_allocate(&arena, 16, &c));
  for (int i = 0; i < 5000; ++i) assert_int_equal(((unsigned char*)b)[i], 0xff);
  tn__arena_deinit(&arena);
}

static void arena_reserves_one_piece(void** state) {
  (void)state;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  tn_arena_t arena;
  tn__arena_init(&arena, &testing.allocator);
  void* memory;
  TN_ASSERT_OK(tn__arena_reserve(&arena, 10));
  TN_ASSERT_OK(tn__arena_reserve(&arena, SIZE_MAX));
  assert_int_equal(atomic_load(&testing.live_block_count), 0);
  TN_ASSERT_OK(tn__arena_reserve(&arena, 100000));
  TN_ASSERT_OK(tn__arena_reserve(&arena, 50000));
  for (size_t i = 0; i < 1000; ++i) {
    TN_ASSERT_OK(tn__arena_allocate(&arena, 100 - i % 4, &memory));
  }
  assert_int_equal(atomic_load(&testing.live_block_count), 2);
  tn__arena_deinit(&arena);
  tn__testing_allocator_assert_empty(&testing);
}

static void arena_makes_typed_objects_and_lists(void** state) {
  (void)state;
  tn_arena_t arena;
  double *number = NULL, *list = NULL;
  const char** texts = NULL;
  tn__arena_init(&arena, tn_allocator_system());
  TN_ASSERT_OK(TN_ARENA_NEW(&arena, &number));
  TN_ASSERT_OK(TN_ARENA_ARRAY(&arena, 3, &list));
  TN_ASSERT_OK(TN_ARENA_ARRAY(&arena, 2, &texts));
  assert_float_equal(*number, 0, 0);
  assert_float_equal(list[2], 0, 0);
  assert_null(texts[1]);
  tn_status_t status = TN_ARENA_ARRAY(&arena, SIZE_MAX / 4, &list);
  assert_int_equal(tn_status_code(status), TN_CODE_RESOURCE_EXHAUSTED);
  assert_null(list);
  tn_status_release(status);
  tn__arena_deinit(&arena);
}

static tn_status_t fill_arena(const tn_allocator_t* allocator, void* context) {
  (void)context;
  tn_arena_t arena;
  tn__arena_init(&arena, allocator);
  tn_status_t status = TN_OK;
  for (size_t i = 0; i < 100; ++i) {
    void* memory = &arena;
    tn_string_view_t copy;
    if (i == 50) TN_DONE_IF_ERROR(tn__arena_reserve(&arena, 10000));
    status = tn__arena_allocate(&arena, i * i, &memory);
    if (status) assert_null(memory);
    if (status) goto done;
    TN_DONE_IF_ERROR(tn__arena_copy_string(&arena, tn__sv("name"), &copy));
  }
done:
  tn__arena_deinit(&arena);
  return status;
}

static void arena_gives_everything_back_when_memory_is_short(void** state) {
  (void)state;
  tn__testing_sweep_allocations(fill_arena, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_gives_zeroed_aligned_memory),
      cmocka_unit_test(arena_refuses_impossible_sizes),
      cmocka_unit_test(arena_gives_pieces_that_do_not_overlap),
      cmocka_unit_test(arena_gives_the_alignment_asked_for),
      cmocka_unit_test(arena_copies_strings_with_an_end),
      cmocka_unit_test(arena_reset_keeps_one_zeroed_block),
      cmocka_unit_test(arena_begins_in_the_room_of_its_caller),
      cmocka_unit_test(arena_takes_without_zeroing),
      cmocka_unit_test(arena_reserves_one_piece),
      cmocka_unit_test(arena_rewinds_within_a_block),
      cmocka_unit_test(arena_makes_typed_objects_and_lists),
      cmocka_unit_test(arena_gives_everything_back_when_memory_is_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
