// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/element.h"

#include <math.h>

#include "base/float_format.h"
#include "base/testing.h"

static bool is_narrow_float(tn_dtype_t dtype) {
  return tn_dtype_kind(dtype) == TN_KIND_FLOAT && tn_dtype_bit_width(dtype) <= 16;
}

static bool is_integer(tn_dtype_t dtype) {
  return (tn_dtype_kind(dtype) & TN_KIND_INTEGER) != 0;
}

// Statement after statement of every dtype of elements.
#define FOR_EACH_DTYPE(dtype)                                                      \
  for (tn_dtype_t dtype = next_dtype(TN_DTYPE_INVALID); dtype != TN_DTYPE_INVALID; \
       dtype = next_dtype(dtype))

static tn_dtype_t next_dtype(tn_dtype_t dtype) {
  int next = (int)dtype + 1;
  while (next < TN_DTYPE_LIMIT && (!tn_dtype_is_valid(next) || next == TN_DTYPE_TOKEN)) ++next;
  return next < TN_DTYPE_LIMIT ? (tn_dtype_t)next : TN_DTYPE_INVALID;
}

static double decode(tn_dtype_t dtype, uint16_t bits) {
  return tn__float_decode(tn__float_format(dtype), bits);
}

static void narrow_floats_decode_exactly_and_come_back(void** state) {
  (void)state;
  FOR_EACH_DTYPE(dtype) {
    if (!is_narrow_float(dtype)) continue;
    for (uint32_t bits = 0; bits < 1u << tn_dtype_bit_width(dtype); ++bits) {
      uint16_t from = (uint16_t)bits, back32 = 0, back64 = 0;
      float as_f32;
      double as_f64, wanted = decode(dtype, from);
      tn__convert_elements(dtype, &from, TN_DTYPE_F32, &as_f32, 1);
      tn__convert_elements(dtype, &from, TN_DTYPE_F64, &as_f64, 1);
      tn__convert_elements(TN_DTYPE_F32, &as_f32, dtype, &back32, 1);
      tn__convert_elements(TN_DTYPE_F64, &as_f64, dtype, &back64, 1);
      if (isnan(wanted)) {
        assert_true(isnan(as_f32) && isnan(as_f64));
        assert_true(isnan(decode(dtype, back32)) && isnan(decode(dtype, back64)));
      } else {
        assert_memory_equal(&as_f64, &wanted, sizeof wanted);
        assert_true(as_f32 == (float)wanted && !signbit(as_f32) == !signbit(wanted));
        assert_int_equal(back32, from);
        assert_int_equal(back64, from);
      }
    }
  }
}

// Between neighbours: the nearer one; half-way the even one.
static void assert_rounds(tn_dtype_t dtype, double value, uint16_t wanted) {
  uint16_t got = 0;
  tn__convert_elements(TN_DTYPE_F64, &value, dtype, &got, 1);
  if (got != wanted) {
    fail_msg("%a to %s: got %#x, wanted %#x", value, tn_dtype_name(dtype), got, wanted);
  }
  float as_f32 = (float)value;
  if ((double)as_f32 != value) return;
  got = 0;
  tn__convert_elements(TN_DTYPE_F32, &as_f32, dtype, &got, 1);
  assert_int_equal(got, wanted);
}

static void narrowing_rounds_once_to_nearest_even(void** state) {
  (void)state;
  FOR_EACH_DTYPE(dtype) {
    if (!is_narrow_float(dtype) || dtype == TN_DTYPE_F8E8M0FNU) continue;
    uint64_t largest = tn__float_largest_bits(tn__float_format(dtype));
    uint16_t sign = (uint16_t)(1u << (tn_dtype_bit_width(dtype) - 1));
    for (uint64_t bits = 0; bits < largest; ++bits) {
      uint16_t low = (uint16_t)bits;
      uint16_t high = (uint16_t)(low + 1), even = low & 1 ? high : low;
      double middle = (decode(dtype, low) + decode(dtype, high)) / 2;
      assert_rounds(dtype, middle, even);
      assert_rounds(dtype, nextafter(middle, 0), low);
      assert_rounds(dtype, nextafter(middle, INFINITY), high);
      // Formats without -0 make no difference between what rounds to zero.
      if (even != 0) assert_rounds(dtype, -middle, even | sign);
    }
  }
}

static void large_integers_round_once(void** state) {
  (void)state;
  // 2^62 + 2^54 is between two bf16; the lowest bit decides, which f64 cannot hold beside it.
  int64_t tie = (INT64_C(1) << 62) + (INT64_C(1) << 54), above = tie + 1, below = tie - 1;
  uint16_t got;
  tn__convert_elements(TN_DTYPE_S64, &tie, TN_DTYPE_BF16, &got, 1);
  assert_int_equal(got, 0x5e80);
  tn__convert_elements(TN_DTYPE_S64, &above, TN_DTYPE_BF16, &got, 1);
  assert_int_equal(got, 0x5e81);
  tn__convert_elements(TN_DTYPE_S64, &below, TN_DTYPE_BF16, &got, 1);
  assert_int_equal(got, 0x5e80);
  int64_t negative = -above;
  tn__convert_elements(TN_DTYPE_S64, &negative, TN_DTYPE_BF16, &got, 1);
  assert_int_equal(got, 0xde81);
  uint64_t all = UINT64_MAX;
  tn__convert_elements(TN_DTYPE_U64, &all, TN_DTYPE_BF16, &got, 1);
  assert_int_equal(got, 0x5f80);  // 2^64
}

static int64_t smallest(tn_dtype_t dtype) {
  if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) return 0;
  return INT64_MIN >> (64 - tn_dtype_bit_width(dtype));
}

// 2^width or 2^(width - 1): one above the largest value.
static double above_largest(tn_dtype_t dtype) {
  int width = (int)tn_dtype_bit_width(dtype);
  return ldexp(1, tn_dtype_kind(dtype) == TN_KIND_UNSIGNED ? width : width - 1);
}

static int64_t to_integer(double value, tn_dtype_t dtype) {
  uint64_t element = 0;
  tn__convert_elements(TN_DTYPE_F64, &value, dtype, &element, 1);
  return tn__element_to_i64(dtype, &element);
}

static void floats_saturate_in_integers(void** state) {
  (void)state;
  FOR_EACH_DTYPE(dtype) {
    if (!is_integer(dtype)) continue;
    int64_t low = smallest(dtype);
    int64_t high = (int64_t)((uint64_t)low - 1);  // of 64 bits: wraps to the largest
    if (tn_dtype_bit_width(dtype) < 64) high = (int64_t)above_largest(dtype) - 1;
    assert_int_equal(to_integer(NAN, dtype), 0);
    assert_int_equal(to_integer(INFINITY, dtype), high);
    assert_int_equal(to_integer(-INFINITY, dtype), low);
    assert_int_equal(to_integer(1e300, dtype), high);
    assert_int_equal(to_integer(-1e300, dtype), low);
    assert_int_equal(to_integer(above_largest(dtype), dtype), high);
    assert_int_equal(to_integer((double)low, dtype), low);
    assert_int_equal(to_integer(-0.99, dtype), 0);
    assert_int_equal(to_integer(0.99, dtype), 0);
    if (tn_dtype_bit_width(dtype) >= 4) assert_int_equal(to_integer(6.99, dtype), 6);
    if (tn_dtype_bit_width(dtype) < 53) {
      assert_int_equal(to_integer(nextafter(above_largest(dtype), 0), dtype), high);
      assert_int_equal(to_integer(above_largest(dtype) - 1, dtype), high);
    }
  }
}

static void integers_wrap_in_narrower_ones(void** state) {
  (void)state;
  FOR_EACH_DTYPE(from) FOR_EACH_DTYPE(to) {
    if (!is_integer(from) || !is_integer(to)) continue;
    uint32_t width = tn_dtype_bit_width(to);
    for (int64_t value = -300; value < 300; ++value) {
      uint64_t source = 0, element = 0;
      tn__convert_elements(TN_DTYPE_S64, &value, from, &source, 1);
      int64_t exact = tn__element_to_i64(from, &source);
      tn__convert_elements(from, &source, to, &element, 1);
      uint64_t wanted = (uint64_t)exact;
      if (width < 64) {
        wanted &= (UINT64_C(1) << width) - 1;
        if (tn_dtype_kind(to) == TN_KIND_SIGNED && wanted >> (width - 1))
          wanted |= ~UINT64_C(0) << width;
      }
      assert_int_equal(tn__element_to_i64(to, &element), wanted);
    }
  }
}

static void anything_but_zero_is_true(void** state) {
  (void)state;
  const double reals[] = {0.0, -0.0, 0.25, -3, NAN, INFINITY};
  uint8_t got[6];
  tn__convert_elements(TN_DTYPE_F64, reals, TN_DTYPE_PRED, got, 6);
  assert_memory_equal(got, ((uint8_t[]){0, 0, 1, 1, 1, 1}), 6);
  const float numbers[] = {0, 0, 0, 2, 1, 0, -0.0f, 0};  // complex: the real part alone
  tn__convert_elements(TN_DTYPE_C64, numbers, TN_DTYPE_PRED, got, 4);
  assert_memory_equal(got, ((uint8_t[]){0, 0, 1, 0}), 4);
  const uint8_t nibbles[] = {0, 15, 8};
  tn__convert_elements(TN_DTYPE_U4, nibbles, TN_DTYPE_PRED, got, 3);
  assert_memory_equal(got, ((uint8_t[]){0, 1, 1}), 3);
}

static void complex_numbers_lose_their_imaginary_part(void** state) {
  (void)state;
  const double numbers[] = {1.75, 9, -300, 1};
  int8_t bytes[2];
  float reals[2], narrow[4];
  tn__convert_elements(TN_DTYPE_C128, numbers, TN_DTYPE_S8, bytes, 2);
  assert_int_equal(bytes[0], 1);
  assert_int_equal(bytes[1], -128);
  tn__convert_elements(TN_DTYPE_C128, numbers, TN_DTYPE_F32, reals, 2);
  assert_true(reals[0] == 1.75f && reals[1] == -300);
  tn__convert_elements(TN_DTYPE_C128, numbers, TN_DTYPE_C64, narrow, 2);
  assert_memory_equal(narrow, ((float[]){1.75f, 9, -300, 1}), sizeof narrow);
  const int32_t integers[] = {-7, 3};
  tn__convert_elements(TN_DTYPE_S32, integers, TN_DTYPE_C64, narrow, 2);
  assert_memory_equal(narrow, ((float[]){-7, 0, 3, 0}), sizeof narrow);
}

// All pairs, over a length that ends within a chunk: as converting one by one, and in place.
static void conversion_of_many_is_conversion_of_each(void** state) {
  (void)state;
  enum { COUNT = 1100 };
  static uint8_t source[COUNT * 16], whole[COUNT * 16], each[COUNT * 16], in_place[COUNT * 16];
  int32_t values[COUNT];
  for (int i = 0; i < COUNT; ++i) values[i] = (i * 7919) % 401 - 200;
  FOR_EACH_DTYPE(from) FOR_EACH_DTYPE(to) {
    size_t from_size = tn_dtype_byte_size(from), to_size = tn_dtype_byte_size(to);
    tn__convert_elements(TN_DTYPE_S32, values, from, source, COUNT);
    tn__convert_elements(from, source, to, whole, COUNT);
    for (size_t i = 0; i < COUNT; ++i) {
      tn__convert_elements(from, source + i * from_size, to, each + i * to_size, 1);
    }
    assert_memory_equal(whole, each, COUNT * to_size);
    if (from_size != to_size) continue;
    memcpy(in_place, source, COUNT * from_size);
    tn__convert_elements(from, in_place, to, in_place, COUNT);
    assert_memory_equal(in_place, whole, COUNT * to_size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(narrow_floats_decode_exactly_and_come_back),
      cmocka_unit_test(narrowing_rounds_once_to_nearest_even),
      cmocka_unit_test(large_integers_round_once),
      cmocka_unit_test(floats_saturate_in_integers),
      cmocka_unit_test(integers_wrap_in_narrower_ones),
      cmocka_unit_test(anything_but_zero_is_true),
      cmocka_unit_test(complex_numbers_lose_their_imaginary_part),
      cmocka_unit_test(conversion_of_many_is_conversion_of_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
