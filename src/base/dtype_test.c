// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/detail/dtype.h>

#include "base/testing.h"

static const tn_dtype_t every_dtype[] = {
#define TN_DTYPE(name, number, mlir, numpy, bits, kind) TN_DTYPE_##name,
#include <tenon/detail/dtype.def>
#undef TN_DTYPE
};
enum { DTYPE_COUNT = sizeof every_dtype / sizeof every_dtype[0] };

static tn_dtype_t from_name(const char* name) {
  return tn_dtype_from_name(name, strlen(name));
}

static void dtype_numbers_are_those_of_xla(void** state) {
  (void)state;
  assert_int_equal(TN_DTYPE_PRED, 1);
  assert_int_equal(TN_DTYPE_S32, 4);
  assert_int_equal(TN_DTYPE_U8, 6);
  assert_int_equal(TN_DTYPE_F16, 10);
  assert_int_equal(TN_DTYPE_F64, 12);
  assert_int_equal(TN_DTYPE_C64, 15);
  assert_int_equal(TN_DTYPE_BF16, 16);
  assert_int_equal(TN_DTYPE_TOKEN, 17);
  assert_int_equal(TN_DTYPE_C128, 18);
  assert_int_equal(TN_DTYPE_F8E4M3FN, 20);
  assert_int_equal(TN_DTYPE_F8E8M0FNU, 33);
}

static void dtype_is_found_by_both_of_its_names(void** state) {
  (void)state;
  for (int i = 0; i < DTYPE_COUNT; ++i) {
    tn_dtype_t dtype = every_dtype[i];
    assert_true(tn_dtype_is_valid((int)dtype));
    assert_int_equal(from_name(tn_dtype_name(dtype)), dtype);
    if (tn_dtype_numpy_name(dtype)[0]) {
      assert_int_equal(from_name(tn_dtype_numpy_name(dtype)), dtype);
    }
  }
  assert_int_equal(from_name("bf16"), TN_DTYPE_BF16);
  assert_int_equal(from_name("complex128"), TN_DTYPE_C128);
}

static void dtype_names_must_match_whole(void** state) {
  (void)state;
  assert_int_equal(from_name(""), TN_DTYPE_INVALID);
  assert_int_equal(from_name("f3"), TN_DTYPE_INVALID);
  assert_int_equal(from_name("f322"), TN_DTYPE_INVALID);
  assert_int_equal(from_name("F32"), TN_DTYPE_INVALID);
  assert_int_equal(tn_dtype_from_name("f32xyz", 3), TN_DTYPE_F32);
}

static void dtype_sizes_round_the_width_up_to_bytes(void** state) {
  (void)state;
  for (int i = 0; i < DTYPE_COUNT; ++i) {
    assert_int_equal(tn_dtype_byte_size(every_dtype[i]),
                     (tn_dtype_bit_width(every_dtype[i]) + 7) / 8);
  }
  assert_int_equal(tn_dtype_byte_size(TN_DTYPE_PRED), 1);
  assert_int_equal(tn_dtype_byte_size(TN_DTYPE_S4), 1);
  assert_int_equal(tn_dtype_byte_size(TN_DTYPE_F6E2M3FN), 1);
  assert_int_equal(tn_dtype_byte_size(TN_DTYPE_C128), 16);
  assert_int_equal(tn_dtype_byte_size(TN_DTYPE_TOKEN), 0);
}

static void dtype_kinds_are_exclusive(void** state) {
  (void)state;
  for (int i = 0; i < DTYPE_COUNT; ++i) {
    unsigned kind = (unsigned)tn_dtype_kind(every_dtype[i]);
    assert_true(kind != 0 && (kind & (kind - 1)) == 0);
  }
  assert_int_equal(tn_dtype_kind(TN_DTYPE_U1), TN_KIND_UNSIGNED);
  assert_int_equal(tn_dtype_kind(TN_DTYPE_BF16), TN_KIND_FLOAT);
}

// Every byte as an element of every dtype.
static void bytes_become_values_of_their_dtype(void** state) {
  (void)state;
  for (int i = 0; i < DTYPE_COUNT; ++i) {
    const tn_dtype_t dtype = every_dtype[i];
    const uint32_t width = tn_dtype_bit_width(dtype);
    for (int byte = 0; byte < 256; ++byte) {
      const unsigned char before = (unsigned char)byte;
      unsigned char after = before;
      tn_dtype_make_values(dtype, &after, 1);
      const bool was_value = tn_dtype_are_values(dtype, &before, 1);
      assert_true(tn_dtype_are_values(dtype, &after, 1));
      assert_int_equal(was_value, after == before);
      if (dtype == TN_DTYPE_PRED) {
        assert_int_equal(after, before != 0);
      } else if (width > 0 && width < 8) {
        const int low = byte & ((1 << width) - 1);
        const bool is_negative = tn_dtype_kind(dtype) == TN_KIND_SIGNED && low >> (width - 1);
        assert_int_equal((signed char)after, is_negative ? low - (1 << width) : low);
      } else {
        assert_true(was_value);
      }
    }
  }
}

static void dtype_numbers_outside_the_table_are_invalid(void** state) {
  (void)state;
  const int strangers[] = {0, -1, 13, 14, 34, 99, TN_DTYPE_LIMIT, 1 << 30};
  for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; ++i) {
    assert_false(tn_dtype_is_valid(strangers[i]));
    assert_string_equal(tn_dtype_name((tn_dtype_t)strangers[i]), "invalid");
    assert_int_equal(tn_dtype_byte_size((tn_dtype_t)strangers[i]), 0);
    assert_int_equal(tn_dtype_kind((tn_dtype_t)strangers[i]), TN_KIND_NONE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dtype_numbers_are_those_of_xla),
      cmocka_unit_test(dtype_is_found_by_both_of_its_names),
      cmocka_unit_test(dtype_names_must_match_whole),
      cmocka_unit_test(dtype_sizes_round_the_width_up_to_bytes),
      cmocka_unit_test(dtype_kinds_are_exclusive),
      cmocka_unit_test(bytes_become_values_of_their_dtype),
      cmocka_unit_test(dtype_numbers_outside_the_table_are_invalid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
