// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/type_wire.h"

#include "base/testing.h"

static tn_arena_t arena;

static int make_arena(void** state) {
  (void)state;
  tn__arena_init(&arena, tn_allocator_system());
  return 0;
}
static int drop_arena(void** state) {
  (void)state;
  tn__arena_deinit(&arena);
  return 0;
}

static const tn_type_t* tensor(tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  const tn_type_t* type;
  TN_ASSERT_OK(tn__type_tensor(&arena, dtype, rank, dims, &type));
  return type;
}
static const tn_type_t* tuple(size_t count, const tn_type_t* const* elements) {
  const tn_type_t* type;
  TN_ASSERT_OK(tn__type_tuple(&arena, count, elements, &type));
  return type;
}

// The bytes are those that XLA's own Shape.to_serialized_proto() gives.
static void check(const tn_type_t* type, const char* hex) {
  unsigned char bytes[256];
  char text[513] = "";
  size_t length = tn_type_serialize(type, bytes, sizeof bytes);
  for (size_t i = 0; i < length; ++i) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  assert_string_equal(text, hex);
  const tn_type_t* back = NULL;
  TN_ASSERT_OK(tn__type_parse(&arena, bytes, length, &back));
  assert_true(tn_type_equal(type, back));
}

static void bytes_are_those_of_xla(void** state) {
  (void)state;
  const tn_type_t* pair = tensor(TN_DTYPE_F32, 1, (const int64_t[]){2});
  const tn_type_t* box = tensor(TN_DTYPE_PRED, 3, (const int64_t[]){1, 2, 3});
  const tn_type_t* inner = tuple(2, (const tn_type_t*[]){tn__type_token(), box});
  check(tn__type_scalar(TN_DTYPE_F32), "100b2a03800101");
  check(tensor(TN_DTYPE_F32, 2, (const int64_t[]){2, 300}),
        "100b1a0302ac022a070a02010080010132020000");
  check(tensor(TN_DTYPE_S64, 1, (const int64_t[]){0}), "10051a01002a060a0100800101320100");
  check(tensor(TN_DTYPE_S4, 1, (const int64_t[]){3}), "10151a01032a060a0100800101320100");
  check(tn__type_token(), "1011");
  check(tuple(0, NULL), "100d");
  check(tuple(2, (const tn_type_t*[]){pair, inner}),
        "100d2210100b1a01022a060a0100800101320100221e100d22021011221610011a030102032a080a03020100"
        "8001013203000000");
}

static void a_dynamic_dimension_stays_one(void** state) {
  (void)state;
  const tn_type_t* back = NULL;
  // f32[5,<=7]
  const char bytes[] =
      "\x10\x0b\x1a\x02\x05\x07\x2a\x07\x0a\x02\x01\x00\x80\x01\x01\x32\x02\x00\x01";
  TN_ASSERT_OK(tn__type_parse(&arena, bytes, sizeof bytes - 1, &back));
  assert_int_equal(back->dims[0], 5);
  assert_true(back->dims[1] == TN_DIM_DYNAMIC);
  assert_int_equal(back->bounds[1], 7);
  char again[sizeof bytes];
  assert_int_equal(tn_type_serialize(back, again, sizeof again), sizeof bytes - 1);
  assert_memory_equal(again, bytes, sizeof bytes - 1);
}

static void lists_may_come_number_by_number(void** state) {
  (void)state;
  const tn_type_t* back = NULL;
  const char bytes[] = "\x18\x02\x10\x0b\x18\x03\x9a\x06\x01\x00\x18\x04";  // and a field 99
  TN_ASSERT_OK(tn__type_parse(&arena, bytes, sizeof bytes - 1, &back));
  assert_true(tn_type_equal(back, tensor(TN_DTYPE_F32, 3, (const int64_t[]){2, 3, 4})));
}

static void what_is_no_type_is_an_error(void** state) {
  (void)state;
  static const struct {
    const char* bytes;
    size_t length;
    const char* message;
  } cases[] = {
      {"", 0, "0 is not an element type"},
      {"\x10", 1, "byte 1: a number is cut off"},
      {"\x1a\x05\x01", 3, "a field is cut off"},
      {"\x13", 1, "there is no such kind of field"},
      {"\x10\x63", 2, "99 is not an element type"},
      {"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, "longer than 64 bits"},
      {"\x10\x0b\x1a\x02\x05\x07\x32\x01\x00", 9, "2 dimensions, but 1 marks"},
      {"\x10\x0b\x1a\x02\x05\x07\x2a\x04\x0a\x02\x00\x01", 12, "its layout is not row-major"},
      {"\x10\x0b\x1a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14, "dimension"},
      {"\x10\x0b\x1a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x32\x01\x01", 17,
       "dimension 0 is at most -1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const tn_type_t* type = NULL;
    TN_ASSERT_REPORT(cases[i].message,
                     tn__type_parse(&arena, cases[i].bytes, cases[i].length, &type));
    assert_null(type);
  }
}

static void nesting_without_end_is_an_error(void** state) {
  (void)state;
  unsigned char bytes[1024];
  size_t length = 0;
  // Each tuple holds the one before; a length of two bytes is enough for all.
  for (int i = 0; i < 100; ++i) {
    unsigned char head[] = {0x10, 0x0D, 0x22, (unsigned char)(0x80 | (length & 0x7F)),
                            (unsigned char)(length >> 7)};
    memmove(bytes + sizeof head, bytes, length);
    memcpy(bytes, head, sizeof head);
    length += sizeof head;
  }
  const tn_type_t* type = NULL;
  TN_ASSERT_REPORT("tuples nest deeper than 64", tn__type_parse(&arena, bytes, length, &type));
}

static void types_without_numbers_have_no_bytes(void** state) {
  (void)state;
  assert_int_equal(tn_type_serialize(tn__type_scalar(TN_DTYPE_INDEX), NULL, 0), 0);
  const tn_type_t* index = tn__type_scalar(TN_DTYPE_INDEX);
  assert_int_equal(tn_type_serialize(tuple(1, &index), NULL, 0), 0);
  assert_int_equal(tn_type_serialize(tn__type_token(), NULL, 0), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_are_those_of_xla),
      cmocka_unit_test(a_dynamic_dimension_stays_one),
      cmocka_unit_test(lists_may_come_number_by_number),
      cmocka_unit_test(what_is_no_type_is_an_error),
      cmocka_unit_test(nesting_without_end_is_an_error),
      cmocka_unit_test(types_without_numbers_have_no_bytes),
  };
  return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
