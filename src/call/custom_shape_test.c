// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tn_shape_parse of <tenon/custom.h>: serialised types in opaque bytes, and bytes that are none.
#include "base/testing.h"

#include <tenon/custom.h>

static tn_shape_t parts[8];

// A copy of just these bytes, so that the sanitizers see a read behind their end.
static int64_t parse(const char* bytes, size_t size, int64_t capacity) {
  char* copy = malloc(size ? size : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  int64_t count = tn_shape_parse(copy, size, capacity ? parts : NULL, capacity);
  free(copy);
  return count;
}
#define PARSE(bytes) parse(bytes, sizeof(bytes) - 1, 8)

// f32[2,300], f32[2], token: as XLA's Shape.to_serialized_proto() gives them.
#define MATRIX "\x10\x0b\x1a\x03\x02\xac\x02\x2a\x07\x0a\x02\x01\x00\x80\x01\x01\x32\x02\x00\x00"
#define VECTOR "\x10\x0b\x1a\x01\x02\x2a\x06\x0a\x01\x00\x80\x01\x01\x32\x01\x00"

static void an_array_has_its_dimensions(void** state) {
  (void)state;
  assert_int_equal(PARSE(MATRIX), 1);
  assert_int_equal(parts[0].dtype, TN_FFI_F32);
  assert_int_equal(parts[0].rank, 2);
  assert_int_equal(parts[0].dims[0], 2);
  assert_int_equal(parts[0].dims[1], 300);
  assert_int_equal(parts[0].dynamic, 0);
  assert_true(parts[0].has_layout);
  assert_int_equal(parts[0].minor_to_major[0], 1);
}

static void lists_may_come_number_by_number(void** state) {
  (void)state;
  assert_int_equal(PARSE("\x18\x02\x10\x0b\x18\x03\x9a\x06\x01\x00\x18\x04"), 1);
  assert_int_equal(parts[0].rank, 3);
  assert_int_equal(parts[0].dims[2], 4);
  assert_false(parts[0].has_layout);
}

static void the_elements_of_a_tuple_follow_it(void** state) {
  (void)state;
  const char bytes[] = "\x10\x0d\x22\x10" VECTOR "\x22\x08\x10\x0d\x22\x02\x10\x11\x22\x00";
  // (f32[2], (token, ?)): the last element has no element type.
  assert_int_equal(parse(bytes, sizeof bytes - 1, 8), -1);
  const char good[] = "\x10\x0d\x22\x10" VECTOR "\x22\x06\x10\x0d\x22\x02\x10\x11";
  assert_int_equal(parse(good, sizeof good - 1, 8), 4);
  assert_int_equal(parts[0].dtype, TN_FFI_TUPLE);
  assert_int_equal(parts[0].element_count, 2);
  assert_int_equal(parts[1].dims[0], 2);
  assert_int_equal(parts[2].element_count, 1);
  assert_int_equal(parts[3].dtype, TN_FFI_TOKEN);
}

static void parts_behind_the_capacity_are_counted_and_not_written(void** state) {
  (void)state;
  const char bytes[] = "\x10\x0d\x22\x10" VECTOR "\x22\x10" VECTOR;
  memset(parts, 0x5A, sizeof parts);
  assert_int_equal(parse(bytes, sizeof bytes - 1, 2), 3);
  assert_int_equal(parts[1].rank, 1);
  assert_int_equal(parts[2].rank, 0x5A5A5A5A5A5A5A5A);
  assert_int_equal(parse(bytes, sizeof bytes - 1, 0), 3);
}

static void a_dynamic_dimension_has_its_bound(void** state) {
  (void)state;
  assert_int_equal(PARSE("\x10\x0b\x1a\x02\x05\x07\x32\x02\x00\x01"), 1);
  assert_int_equal(parts[0].dynamic, 2);
  assert_int_equal(parts[0].dims[1], 7);
  // INT64_MIN: no bound.
  assert_int_equal(PARSE("\x10\x0b\x1a\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x32\x01\x01"),
                   1);
  assert_true(parts[0].dims[0] == INT64_MIN);
}

static void bytes_that_are_no_type_are_refused(void** state) {
  (void)state;
#define CASE(why, bytes) \
  { why, bytes, sizeof(bytes) - 1 }
  static const struct {
    const char *why, *bytes;
    size_t size;
  } cases[] = {
      CASE("nothing", ""),
      CASE("text", "f32[2,300]"),
      CASE("a key without a value", "\x10"),
      CASE("a number without an end", "\x10\xff"),
      CASE("a number of more than 64 bits", "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
      CASE("no element type", "\x1a\x01\x02"),
      CASE("element type 0", "\x10\x00"),
      CASE("an element type that there is not", "\x10\x63"),
      CASE("an element type that does not fit 32 bits", "\x10\x8b\x80\x80\x80\x80\x20"),
      CASE("dimensions longer than the bytes", "\x10\x0b\x1a\x05\x01"),
      CASE("a length of 2^64 - 1", "\x10\x0b\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
      CASE("a dimension cut off in its list", "\x10\x0b\x1a\x01\xff"),
      CASE("a negative dimension", "\x10\x0b\x1a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
      CASE("a bound of -1", "\x10\x0b\x1a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x32\x01\x01"),
      CASE("dimensions of fixed width", "\x10\x0b\x1d\x01\x00\x00\x00"),
      CASE("a group, which is not a field of today", "\x10\x0b\x13"),
      CASE("an unknown field that is cut off", "\x10\x0b\x9a\x06\x05\x00"),
      CASE("more marks than dimensions", "\x10\x0b\x1a\x01\x05\x32\x02\x00\x00"),
      CASE("fewer marks than dimensions", "\x10\x0b\x1a\x02\x05\x07\x32\x01\x00"),
      CASE("a layout of another rank", "\x10\x0b\x1a\x02\x05\x07\x2a\x03\x0a\x01\x00"),
      CASE("a layout with a dimension twice", "\x10\x0b\x1a\x02\x05\x07\x2a\x04\x0a\x02\x01\x01"),
      CASE("a layout with a dimension too high",
           "\x10\x0b\x1a\x02\x05\x07\x2a\x04\x0a\x02\x02\x00"),
      CASE("a layout that is cut off", "\x10\x0b\x1a\x01\x05\x2a\x04\x0a\x01\x00"),
      CASE("a tuple with dimensions", "\x10\x0d\x1a\x01\x02"),
      CASE("a token with dimensions", "\x10\x11\x1a\x01\x02"),
      CASE("an array with elements of a tuple", "\x10\x0b\x22\x02\x10\x0b"),
      CASE("an element that is no type", "\x10\x0d\x22\x00"),
      CASE("an element longer than the tuple", "\x10\x0d\x22\x05\x10\x0b"),
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (parse(cases[i].bytes, cases[i].size, 8) == -1) continue;
    fail_msg("taken for a type: %s", cases[i].why);
  }
}

static void every_beginning_of_a_type_is_read_within_its_end(void** state) {
  (void)state;
  const char bytes[] = "\x10\x0d\x22\x10" VECTOR "\x22\x14" MATRIX;
  for (size_t size = 0; size < sizeof bytes; ++size) {
    int64_t count = parse(bytes, size, 8);
    // A tuple may end behind each of its elements.
    bool is_whole = size == 2 || size == 20 || size == sizeof bytes - 1;
    assert_int_equal(count > 0, is_whole);
  }
}

static void more_dimensions_than_there_is_room_for_are_refused(void** state) {
  (void)state;
  char bytes[80] = "\x10\x0b\x1a";
  for (int rank = 63; rank <= 65; ++rank) {
    bytes[3] = (char)rank;
    memset(bytes + 4, 1, (size_t)rank);
    assert_int_equal(parse(bytes, (size_t)(4 + rank), 8), rank <= 64 ? 1 : -1);
  }
}

static void nesting_without_end_is_refused(void** state) {
  (void)state;
  char bytes[1024];
  size_t length = 0;
  for (int depth = 1; depth <= 100; ++depth) {
    const char head[] = {0x10, 0x0D, 0x22, (char)(0x80 | (length & 0x7F)), (char)(length >> 7)};
    // The innermost tuple is empty.
    size_t size = depth == 1 ? 2 : sizeof head;
    memmove(bytes + size, bytes, length);
    memcpy(bytes, head, size);
    length += size;
    assert_int_equal(parse(bytes, length, 8), depth <= TN_SHAPE_RANK_LIMIT ? depth : -1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_array_has_its_dimensions),
      cmocka_unit_test(lists_may_come_number_by_number),
      cmocka_unit_test(the_elements_of_a_tuple_follow_it),
      cmocka_unit_test(parts_behind_the_capacity_are_counted_and_not_written),
      cmocka_unit_test(a_dynamic_dimension_has_its_bound),
      cmocka_unit_test(bytes_that_are_no_type_are_refused),
      cmocka_unit_test(every_beginning_of_a_type_is_read_within_its_end),
      cmocka_unit_test(more_dimensions_than_there_is_room_for_are_refused),
      cmocka_unit_test(nesting_without_end_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
