// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/allocator.h"

#include "base/testing.h"
#include "base/testing_allocator.h"

static void allocate_zeroes_memory(void** state) {
  (void)state;
  const tn_allocator_t* allocator = tn_allocator_system();
  for (int round = 0; round < 4; ++round) {
    void* memory;
    TN_ASSERT_OK(tn__allocate_array(allocator, 100, 8, &memory));
    assert_int_equal((uintptr_t)memory % 16, 0);
    for (int i = 0; i < 800; ++i) assert_int_equal(((char*)memory)[i], 0);
    memset(memory, 0xff, 800);
    tn__free(allocator, memory, 800);
  }
}

static void allocate_nothing_gives_null(void** state) {
  (void)state;
  void* memory = &memory;
  TN_ASSERT_OK(tn__allocate(tn_allocator_system(), 0, &memory));
  assert_null(memory);
  tn__free(tn_allocator_system(), NULL, 0);
}

static void allocate_array_refuses_products_that_overflow(void** state) {
  (void)state;
  void* memory = &memory;
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED,
                 tn__allocate_array(tn_allocator_system(), SIZE_MAX / 4 + 1, 4, &memory));
  assert_null(memory);
}

static void grow_keeps_the_elements_and_zeroes_the_rest(void** state) {
  (void)state;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  void* memory = NULL;
  size_t capacity = 0;
  for (size_t count = 0; count < 1000; ++count) {
    TN_ASSERT_OK(tn__grow(&testing.allocator, &memory, &capacity, count + 1, sizeof(int)));
    assert_true(capacity > count);
    int* numbers = memory;
    for (size_t i = 0; i < count; ++i) assert_int_equal(numbers[i], i + 1);
    for (size_t i = count; i < capacity; ++i) assert_int_equal(numbers[i], 0);
    numbers[count] = (int)count + 1;
  }
  assert_true(capacity <= 2048);
  tn__free(&testing.allocator, memory, capacity * sizeof(int));
  tn__testing_allocator_assert_empty(&testing);
}

static void large_blocks_grow_shrink_and_keep_their_contents(void** state) {
  (void)state;
  const tn_allocator_t* allocator = tn_allocator_system();
  static const size_t sizes[] = {3 << 20, (5 << 20) + 1, 100, 4 << 20};
  size_t size = 0, kept = 100;
  unsigned char* memory = NULL;
  for (int i = 0; i < 4; ++i) {
    memory = allocator->reallocate(allocator->user, memory, size, sizes[i]);
    assert_non_null(memory);
    for (size_t k = 0; size && k < kept; ++k) assert_int_equal(memory[k], k);
    size = sizes[i];
    for (size_t k = 0; k < kept; ++k) memory[k] = (unsigned char)k;
    memory[size - 1] = 99;
  }
  assert_null(allocator->reallocate(allocator->user, memory, size, 0));
#ifndef TN_SANITIZED  // which end the program instead
  assert_null(allocator->reallocate(allocator->user, NULL, 0, SIZE_MAX / 2));
  assert_null(allocator->reallocate(allocator->user, NULL, 0, SIZE_MAX));
#endif
}

static void grow_refuses_impossible_sizes(void** state) {
  (void)state;
  void* memory = NULL;
  size_t capacity = 0;
  const tn_allocator_t* allocator = tn_allocator_system();
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__grow(allocator, &memory, &capacity, SIZE_MAX, 1));
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__grow(allocator, &memory, &capacity, SIZE_MAX / 4, 16));
  assert_null(memory);
  assert_int_equal(capacity, 0);
}

static tn_status_t grow_in_steps(const tn_allocator_t* allocator, void* context) {
  (void)context;
  void* memory = NULL;
  size_t capacity = 0;
  tn_status_t status = TN_OK;
  for (size_t count = 1; count < 1000; count *= 3) {
    TN_DONE_IF_ERROR(tn__grow(allocator, &memory, &capacity, count, 8));
    memset(memory, 1, capacity * 8);
  }
done:
  tn__free(allocator, memory, capacity * 8);
  return status;
}

static void grow_leaves_the_old_array_when_memory_is_short(void** state) {
  (void)state;
  tn__testing_sweep_allocations(grow_in_steps, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(allocate_zeroes_memory),
      cmocka_unit_test(allocate_nothing_gives_null),
      cmocka_unit_test(allocate_array_refuses_products_that_overflow),
      cmocka_unit_test(grow_keeps_the_elements_and_zeroes_the_rest),
      cmocka_unit_test(large_blocks_grow_shrink_and_keep_their_contents),
      cmocka_unit_test(grow_refuses_impossible_sizes),
      cmocka_unit_test(grow_leaves_the_old_array_when_memory_is_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
