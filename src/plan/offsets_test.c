// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Offsets of temporaries: those that live at once do not overlap, and the peak is near the bound.
#include "kernel/target.h"
#include "plan/testing_plan.h"

enum { LENGTH = 7 };

typedef struct span {
  uint32_t begin, end;
  size_t units;  // of TN_PLAN_ALIGNMENT bytes
} span_t;

// *out_bound: what is live at once. Both in units.
static size_t pack(const span_t spans[LENGTH], size_t* out_bound) {
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  tn_module_t module = {.target = &tn__compile_target_host};
  const tn_function_t function = {.module = &module};
  tn_plan_buffer_t buffers[LENGTH] = {{0}};
  tn_plan_t plan = {
      .function = &function, .arena = &arena, .buffer_count = LENGTH, .buffers = buffers};
  for (size_t i = 0; i < LENGTH; ++i) {
    buffers[i] = (tn_plan_buffer_t){.kind = TN_PLAN_TEMPORARY,
                                    .begin = spans[i].begin,
                                    .end = spans[i].end,
                                    .byte_size = spans[i].units * TN_PLAN_ALIGNMENT};
    if (spans[i].end > plan.position_count) plan.position_count = spans[i].end;
  }
  TN_ASSERT_OK(tn__plan_pack(&plan));
  for (size_t i = 0; i < LENGTH; ++i) {
    for (size_t k = 0; k < i; ++k) {
      assert_true(buffers[i].begin > buffers[k].end || buffers[k].begin > buffers[i].end ||
                  buffers[i].offset >= buffers[k].offset + buffers[k].byte_size ||
                  buffers[k].offset >= buffers[i].offset + buffers[i].byte_size);
    }
  }
  tn__arena_deinit(&arena);
  *out_bound = plan.lower_bound_byte_size / TN_PLAN_ALIGNMENT;
  return plan.arena_byte_size / TN_PLAN_ALIGNMENT;
}

// Neither in order of time nor of size do these fit into what is live at once.
static void a_plan_that_size_alone_does_not_pack_is_packed(void** state) {
  (void)state;
  static const span_t plans[][LENGTH] = {
      {{6, 8, 5}, {5, 7, 3}, {2, 6, 1}, {2, 5, 3}, {2, 2, 5}, {3, 7, 2}, {2, 7, 5}},
      {{3, 3, 4}, {4, 9, 4}, {6, 6, 6}, {2, 5, 3}, {7, 9, 4}, {3, 4, 3}, {3, 6, 5}},
      {{4, 6, 5}, {3, 8, 4}, {5, 5, 2}, {1, 4, 5}, {6, 7, 6}, {6, 10, 5}, {3, 5, 5}},
  };
  for (size_t i = 0; i < sizeof plans / sizeof *plans; ++i) {
    size_t bound = 0;
    const size_t peak = pack(plans[i], &bound);
    assert_int_equal(peak, bound);
  }
}

static void random_plans_are_at_most_a_tenth_above_the_bound_as_a_rule(void** state) {
  (void)state;
  enum { COUNT = 5000 };
  uint32_t random = 1;
  size_t above = 0;
  for (size_t n = 0; n < COUNT; ++n) {
    span_t spans[LENGTH];
    size_t bound = 0;
    for (size_t i = 0; i < LENGTH; ++i) {
      uint32_t numbers[3];
      for (size_t k = 0; k < 3; ++k) {
        random = random * 1664525U + 1013904223U;
        numbers[k] = random >> 24;
      }
      const uint32_t begin = 1 + numbers[0] % 7;
      spans[i] = (span_t){begin, begin + numbers[1] % 6, 1 + numbers[2] % 6};
    }
    const size_t peak = pack(spans, &bound);
    above += 10 * peak > 11 * bound;
  }
  assert_true(above < COUNT / 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_that_size_alone_does_not_pack_is_packed),
      cmocka_unit_test(random_plans_are_at_most_a_tenth_above_the_bound_as_a_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
