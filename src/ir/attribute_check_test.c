// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes written in C are checked as those of a text are.
#include <math.h>

#include "base/testing.h"
#include "ir/builder.h"

static void numbers_outside_of_their_dtype_are_rejected(void** state) {
  (void)state;
  tn_attribute_t attribute = tn_attribute_integer("k", TN_DTYPE_S32, INT64_C(4294967301));
  TN_ASSERT_REPORT("attribute \"k\" is 4294967301; expected an integer in the range of i32",
                   tn__attribute_check(&attribute));
  attribute = tn_attribute_integer("k", TN_DTYPE_U8, -1);
  TN_ASSERT_REPORT("attribute \"k\" is -1; expected an integer in the range of ui8",
                   tn__attribute_check(&attribute));
  attribute = tn_attribute_float("k", TN_DTYPE_F32, 1e300);
  TN_ASSERT_REPORT("expected a float in the range of f32", tn__attribute_check(&attribute));
}

static void numbers_of_another_kind_than_their_dtype_are_rejected(void** state) {
  (void)state;
  tn_attribute_t attribute = tn_attribute_float("k", TN_DTYPE_S32, 1.5);
  TN_ASSERT_REPORT("attribute \"k\" is a float of dtype i32; expected a float dtype",
                   tn__attribute_check(&attribute));
  attribute = tn_attribute_integer("k", TN_DTYPE_F32, 1);
  TN_ASSERT_REPORT("attribute \"k\" is an integer of dtype f32; expected an integer dtype",
                   tn__attribute_check(&attribute));
  attribute.dtype = (tn_dtype_t)1000;
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__attribute_check(&attribute));
}

static tn_attribute_t array_of(tn_dtype_t dtype, size_t count, const void* data) {
  return (tn_attribute_t){
      .name = "k", .kind = TN_ATTRIBUTE_ARRAY, .dtype = dtype, .count = count, .data = data};
}

static void elements_that_are_no_values_of_their_dtype_are_rejected(void** state) {
  (void)state;
  tn_attribute_t attribute = array_of(TN_DTYPE_S4, 3, (const int8_t[]){-8, 7, 9});
  TN_ASSERT_REPORT("attribute \"k\": element 2 is the byte 9; expected a value of i4",
                   tn__attribute_check(&attribute));
  attribute = array_of(TN_DTYPE_PRED, 3, (const int8_t[]){1, 77, 0});
  TN_ASSERT_REPORT("attribute \"k\": element 1 is the byte 77; expected a value of i1",
                   tn__attribute_check(&attribute));
  attribute = array_of(TN_DTYPE_F4E2M1FN, 1, (const int8_t[]){16});
  TN_ASSERT_REPORT("attribute \"k\": element 0 is the byte 16; expected a value of f4E2M1FN",
                   tn__attribute_check(&attribute));
  attribute = array_of(TN_DTYPE_C64, 1, (const float[]){1, 2});
  TN_ASSERT_REPORT(
      "attribute \"k\" is an array of dtype complex<f32>; expected integers, floats or booleans",
      tn__attribute_check(&attribute));
}

static void infinities_and_nans_need_a_dtype_that_has_them(void** state) {
  (void)state;
  tn_attribute_t attribute = tn_attribute_float("k", TN_DTYPE_F8E4M3FN, (double)INFINITY);
  TN_ASSERT_REPORT("attribute \"k\" is inf; expected a float in the range of f8E4M3FN",
                   tn__attribute_check(&attribute));
  attribute = tn_attribute_float("k", TN_DTYPE_F8E4M3FN, (double)NAN);
  TN_ASSERT_OK(tn__attribute_check(&attribute));
  attribute = tn_attribute_float("k", TN_DTYPE_F4E2M1FN, (double)NAN);
  TN_ASSERT_REPORT("attribute \"k\" is nan; expected a float in the range of f4E2M1FN",
                   tn__attribute_check(&attribute));
}

static void the_ends_of_each_range_are_accepted(void** state) {
  (void)state;
  const tn_attribute_t attributes[] = {
      tn_attribute_integer("k", TN_DTYPE_S8, -128),
      tn_attribute_integer("k", TN_DTYPE_S8, 127),
      tn_attribute_integer("k", TN_DTYPE_U32, UINT32_MAX),
      tn_attribute_integer("k", TN_DTYPE_S64, INT64_MIN),
      tn_attribute_integer("k", TN_DTYPE_U64, -1),
      tn_attribute_float("k", TN_DTYPE_F16, 65504),
      tn_attribute_float("k", TN_DTYPE_F32, (double)INFINITY),
      tn_attribute_float("k", TN_DTYPE_F64, 1e300),
  };
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i) {
    TN_ASSERT_OK(tn__attribute_check(&attributes[i]));
  }
}

// 60 dictionaries of two entries each, both of which are the one before.
static void shared_dictionaries_are_limited_by_their_parts(void** state) {
  (void)state;
  enum { LEVELS = 60 };
  tn_attribute_t entries[LEVELS][2];
  entries[0][0] = tn_attribute_integer("l", TN_DTYPE_S32, 1);
  entries[0][1] = tn_attribute_integer("r", TN_DTYPE_S32, 2);
  for (size_t i = 1; i < LEVELS; ++i) {
    for (size_t side = 0; side < 2; ++side) {
      entries[i][side] = (tn_attribute_t){.name = side ? "r" : "l",
                                          .kind = TN_ATTRIBUTE_DICTIONARY,
                                          .count = 2,
                                          .entries = entries[i - 1]};
    }
  }
  const tn_attribute_t bomb = {
      .name = "bomb", .kind = TN_ATTRIBUTE_DICTIONARY, .count = 2, .entries = entries[LEVELS - 1]};
  TN_ASSERT_REPORT("more than 1048576 parts", tn__attribute_check(&bomb));
  const tn_attribute_t small = {
      .name = "small", .kind = TN_ATTRIBUTE_DICTIONARY, .count = 2, .entries = entries[10]};
  TN_ASSERT_OK(tn__attribute_check(&small));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_outside_of_their_dtype_are_rejected),
      cmocka_unit_test(numbers_of_another_kind_than_their_dtype_are_rejected),
      cmocka_unit_test(elements_that_are_no_values_of_their_dtype_are_rejected),
      cmocka_unit_test(infinities_and_nans_need_a_dtype_that_has_them),
      cmocka_unit_test(the_ends_of_each_range_are_accepted),
      cmocka_unit_test(shared_dictionaries_are_limited_by_their_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
