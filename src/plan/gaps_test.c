// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "plan/gaps.h"

#include "base/testing.h"

typedef struct fixture {
  tn_arena_t arena;
  tn_gaps_t gaps;
} fixture_t;

static void begin(fixture_t* fixture, size_t most) {
  tn__arena_init(&fixture->arena, tn_allocator_system());
  TN_ASSERT_OK(tn__gaps_init(&fixture->gaps, &fixture->arena, most));
}

static void end(fixture_t* fixture) {
  tn__arena_deinit(&fixture->arena);
}

static size_t offset_of(const fixture_t* fixture, uint32_t block) {
  return fixture->gaps.blocks[block].offset;
}

static void gaps_take_the_smallest_that_is_large_enough(void** state) {
  (void)state;
  fixture_t f;
  uint32_t blocks[6];
  begin(&f, 10);
  for (int i = 0; i < 6; ++i) blocks[i] = tn__gaps_take(&f.gaps, i == 1 ? 300 : i == 3 ? 200 : 100);
  assert_int_equal(f.gaps.byte_size, 900);
  tn__gaps_give(&f.gaps, blocks[1]);
  tn__gaps_give(&f.gaps, blocks[3]);
  assert_int_equal(offset_of(&f, tn__gaps_take(&f.gaps, 150)), 500);
  assert_int_equal(offset_of(&f, tn__gaps_take(&f.gaps, 50)), 650);
  assert_int_equal(offset_of(&f, tn__gaps_take(&f.gaps, 200)), 100);
  assert_int_equal(offset_of(&f, tn__gaps_take(&f.gaps, 101)), 900);
  end(&f);
}

static void gaps_of_one_size_are_taken_from_the_lowest(void** state) {
  (void)state;
  fixture_t f;
  uint32_t blocks[9];
  begin(&f, 20);
  for (int i = 0; i < 9; ++i) blocks[i] = tn__gaps_take(&f.gaps, 64);
  for (int i = 7; i > 0; i -= 2) tn__gaps_give(&f.gaps, blocks[i]);
  for (size_t i = 1; i < 8; i += 2) {
    assert_int_equal(offset_of(&f, tn__gaps_take(&f.gaps, 64)), 64 * i);
  }
  end(&f);
}

static void neighbouring_gaps_become_one(void** state) {
  (void)state;
  static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
  for (int k = 0; k < 4; ++k) {
    fixture_t f;
    uint32_t blocks[4];
    begin(&f, 10);
    for (int i = 0; i < 4; ++i) blocks[i] = tn__gaps_take(&f.gaps, 64);
    for (int i = 0; i < 3; ++i) tn__gaps_give(&f.gaps, blocks[orders[k][i]]);
    assert_int_equal(offset_of(&f, tn__gaps_take(&f.gaps, 192)), 0);
    assert_int_equal(f.gaps.byte_size, 256);
    end(&f);
  }
}

static void a_gap_at_the_top_grows(void** state) {
  (void)state;
  fixture_t f;
  begin(&f, 10);
  tn__gaps_take(&f.gaps, 64);
  tn__gaps_give(&f.gaps, tn__gaps_take(&f.gaps, 64));
  assert_int_equal(offset_of(&f, tn__gaps_take(&f.gaps, 640)), 64);
  assert_int_equal(f.gaps.byte_size, 704);
  end(&f);
}

// What is in use never overlaps, and nothing beside it is lost.
static void random_takings_never_overlap(void** state) {
  (void)state;
  enum { MOST = 200, STEPS = 20000 };
  fixture_t f;
  uint32_t used[MOST], count = 0, random = 1;
  begin(&f, MOST);
  for (int step = 0; step < STEPS; ++step) {
    random = random * 1664525u + 1013904223u;
    bool takes = count == 0 || (count < MOST && (random >> 16) % 5 < 3);
    if (takes) {
      used[count++] = tn__gaps_take(&f.gaps, 64 * (1 + (random >> 20) % 40));
    } else {
      uint32_t i = (random >> 16) % count;
      tn__gaps_give(&f.gaps, used[i]);
      used[i] = used[--count];
    }
    if (step % 100) continue;
    size_t offset = 0, in_use = 0;
    uint32_t index = f.gaps.last;
    while (f.gaps.blocks[index].before) index = f.gaps.blocks[index].before;
    for (bool was_gap = false; index; index = f.gaps.blocks[index].after) {
      const tn_block_t* block = &f.gaps.blocks[index];
      assert_int_equal(block->offset, offset);
      assert_false(was_gap && block->is_gap);
      was_gap = block->is_gap;
      in_use += !was_gap;
      offset += block->size;
    }
    assert_int_equal(offset, f.gaps.byte_size);
    assert_int_equal(in_use, count);
  }
  end(&f);
}

// A sweep that leaves a gap beside every second block, all of different sizes, and fills them.
static size_t looked_at_by(uint32_t count) {
  fixture_t f;
  begin(&f, count);
  void* memory = NULL;
  TN_ASSERT_OK(tn__arena_allocate_array(&f.arena, count, sizeof(uint32_t), &memory));
  uint32_t* blocks = memory;
  for (uint32_t i = 0; i < count; ++i) blocks[i] = tn__gaps_take(&f.gaps, 64 * (1 + i % 1009));
  for (uint32_t i = 0; i < count; i += 2) tn__gaps_give(&f.gaps, blocks[i]);
  for (uint32_t i = 0; i < count; i += 2) tn__gaps_take(&f.gaps, 64 * (1 + i % 997));
  size_t looked_at = f.gaps.looked_at;
  end(&f);
  return looked_at;
}

static void a_hundred_thousand_buffers_are_packed_in_n_log_n_steps(void** state) {
  (void)state;
  size_t few = looked_at_by(1000), many = looked_at_by(100000);
  // log2 of 100,000 is 16.6; four descents for each buffer, in trees twice as deep as the best.
  assert_in_range(many, 100000, (size_t)100000 * 17 * 4 * 2);
  assert_in_range(many, 100 * few / 2, 100 * few * 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_take_the_smallest_that_is_large_enough),
      cmocka_unit_test(gaps_of_one_size_are_taken_from_the_lowest),
      cmocka_unit_test(neighbouring_gaps_become_one),
      cmocka_unit_test(a_gap_at_the_top_grows),
      cmocka_unit_test(random_takings_never_overlap),
      cmocka_unit_test(a_hundred_thousand_buffers_are_packed_in_n_log_n_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
