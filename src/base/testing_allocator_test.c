// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing_allocator.h"

#include "base/allocator.h"
#include "base/testing.h"

static void testing_allocator_counts_what_is_live(void** state) {
  (void)state;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  void *one, *two;
  TN_ASSERT_OK(tn__allocate(&testing.allocator, 100, &one));
  TN_ASSERT_OK(tn__allocate(&testing.allocator, 20, &two));
  assert_int_equal(atomic_load(&testing.live_block_count), 2);
  assert_int_equal(atomic_load(&testing.live_byte_size), 120);
  tn__free(&testing.allocator, one, 100);
  assert_int_equal(atomic_load(&testing.live_byte_size), 20);
  tn__free(&testing.allocator, two, 20);
  tn__testing_allocator_assert_empty(&testing);
}

static void testing_allocator_notices_wrong_sizes(void** state) {
  (void)state;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  void* memory;
  TN_ASSERT_OK(tn__allocate(&testing.allocator, 100, &memory));
  tn__free(&testing.allocator, memory, 99);
  assert_int_equal(atomic_load(&testing.wrong_size_count), 1);
}

static void testing_allocator_refuses_the_one_asked_for(void** state) {
  (void)state;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  for (int all_after = 0; all_after <= 1; ++all_after) {
    void* memory[4];
    tn_status_t status[4];
    tn__testing_refuse_allocations(2, all_after);
    for (int i = 0; i < 4; ++i) status[i] = tn__allocate(&testing.allocator, 8, &memory[i]);
    assert_int_equal(tn__testing_refused_allocation_count(), all_after ? 3 : 1);
    tn__testing_refuse_allocations(0, false);
    for (int i = 0; i < 4; ++i) {
      bool refused = i == 1 || (i > 1 && all_after);
      assert_int_equal(tn_status_code(status[i]), refused ? TN_CODE_RESOURCE_EXHAUSTED : 0);
      tn__free(&testing.allocator, memory[i], 8);
    }
  }
  tn__testing_allocator_assert_empty(&testing);
}

typedef struct tally {
  size_t attempts;
  size_t failures;
} tally_t;

static tn_status_t need_three_blocks(const tn_allocator_t* allocator, void* context) {
  tally_t* tally = context;
  void* memory[3] = {NULL, NULL, NULL};
  tn_status_t status = TN_OK;
  ++tally->attempts;
  for (int i = 0; i < 3; ++i) TN_DONE_IF_ERROR(tn__allocate(allocator, 64, &memory[i]));
done:
  if (status) ++tally->failures;
  for (int i = 0; i < 3; ++i) tn__free(allocator, memory[i], 64);
  return status;
}

static void sweep_refuses_each_allocation_in_turn(void** state) {
  (void)state;
  tally_t tally = {0, 0};
  tn__testing_sweep_allocations(need_three_blocks, &tally);
  assert_int_equal(tally.attempts, 8);
  assert_int_equal(tally.failures, 6);
}

static void refusal_reaches_the_system_allocator(void** state) {
  (void)state;
  void* memory;
  tn__testing_refuse_allocations(1, false);
  tn_status_t status = tn__allocate(tn_allocator_system(), 8, &memory);
  tn__testing_refuse_allocations(0, false);
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(testing_allocator_counts_what_is_live),
      cmocka_unit_test(testing_allocator_notices_wrong_sizes),
      cmocka_unit_test(testing_allocator_refuses_the_one_asked_for),
      cmocka_unit_test(sweep_refuses_each_allocation_in_turn),
      cmocka_unit_test(refusal_reaches_the_system_allocator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
