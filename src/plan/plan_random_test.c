// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Plans of random programs against the checker, which knows nothing of how they were made.
#include "plan/testing_plan.h"
#include "plan/testing_random.h"

static uint64_t seed;

static int name_last_seed(void** state) {
  (void)state;
  print_message("last seed: %llu\n", (unsigned long long)seed);
  return 0;
}

static void check_random(uint64_t first_seed, uint64_t count, size_t operation_count,
                         size_t function_count, size_t region_depth) {
  for (seed = first_seed; seed < first_seed + count; ++seed) {
    char* text = tn__testing_random_program(
        &(tn_testing_random_t){seed, operation_count, function_count, region_depth});
    assert_non_null(text);
    for (int passes = TN_TESTING_NEEDED_PASSES; passes <= TN_TESTING_ALL_PASSES_OF_ANY_SIZE;
         ++passes) {
      tn_testing_plan_t plan;
      tn__testing_plan(text, (tn_testing_passes_t)passes, &plan);
      tn__testing_plan_release(&plan);
    }
    free(text);
  }
}

static void straight_programs_find_every_value(void** state) {
  (void)state;
  check_random(1, 100, 60, 0, 0);
}

static void loops_and_branches_find_every_value(void** state) {
  (void)state;
  check_random(1000, 300, 40, 0, 3);
}

static void programs_with_calls_find_every_value(void** state) {
  (void)state;
  check_random(2000, 100, 40, 4, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(straight_programs_find_every_value, name_last_seed),
      cmocka_unit_test_teardown(loops_and_branches_find_every_value, name_last_seed),
      cmocka_unit_test_teardown(programs_with_calls_find_every_value, name_last_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
