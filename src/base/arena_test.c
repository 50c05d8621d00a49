#include "base/arena.h"

#include "base/testing.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_gives_zeroed_aligned_memory),
      cmocka_unit_test(arena_refuses_impossible_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
